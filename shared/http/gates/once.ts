import { createHash } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { type GateRequest, header } from '#http/call.ts';
import { invalidInput, isRefusal } from '#shared/errors.ts';

const KEY_MAX = 255;

const digest = (...parts: string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/** What was done is kept; what failed passes by `onError`. */
const keep = async ({ internal: { state }, response }: GateRequest): Promise<void> => {
  const { running, idempotency } = state;
  if (!running || !idempotency) return;
  const status = response?.statusCode;
  if (status === undefined) return;
  await idempotency.keepAnswer(running, {
    status,
    headers: (response?.headers ?? {}) as Record<string, string>,
    body: response?.body ?? '',
  });
};

/**
 * `Idempotency-Key`: what was done under a key is not done again, and its answer is given again for a day. A gate must not
 * return early, so a kept answer travels in the state, and the work and the reply gate step aside for it.
 */
export const once = {
  before: async (request: GateRequest): Promise<void> => {
    const { state } = request.internal;
    const { route } = state;
    if (!route.idempotent) return;
    const key = header(request.event, 'idempotency-key');
    if (key === undefined) return;
    if (key.length === 0 || key.length > KEY_MAX)
      throw invalidInput(`Idempotency-Key must have 1 to ${KEY_MAX} characters.`);
    if (!state.idempotency) throw new Error(`${route.id} is idempotent, but its door was not given the means.`);
    const begun = await state.idempotency.beginOnce(
      digest(state.user?.id ?? '', route.id, key),
      digest(request.event.body ?? ''),
    );
    if ('status' in begun) {
      const { status, headers, body } = begun;
      state.kept = { statusCode: status, headers: { ...headers }, body } satisfies APIGatewayProxyResult;
    } else {
      state.running = begun;
    }
  },
  after: keep,
  // The failure gate stands further out and has not spoken yet when an error passes here.
  onError: async (request: GateRequest): Promise<void> => {
    const { running, idempotency } = request.internal.state;
    if (!running || !idempotency) return;
    const { error } = request;
    const status = error && 'status' in error ? Number(error.status) : undefined;
    if (status !== undefined && isRefusal(status)) await idempotency.forgetRefused(running);
    else await idempotency.allowAgain(running);
  },
};
