import { createHash } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { allowRetry, beginRequest, forgetRequest, storeResponse } from '#data/idempotency.ts';
import { header, type MiddlewareRequest } from '#http/call.ts';
import type { RouteMiddleware } from '#http/middleware.ts';
import { log } from '#platform/log.ts';
import { withTimeLimit } from '#platform/time-limit.ts';
import { AppError, invalidInput, isRefusal } from '#shared/errors.ts';

const KEY_MAX = 255;
/** How long a failed request waits for the release of its key, in milliseconds. */
const RELEASE_MS = 1000;

const digest = (...parts: string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/**
 * `Idempotency-Key`: a request is executed once per caller, route and key, and its response is replayed for a day. A
 * stored response is passed on in the state (see `orderedMiddleware` on early returns); the handler does not run then.
 */
export const idempotency: RouteMiddleware = {
  name: 'idempotency',
  runsAfter: 'input',
  before: async (request: MiddlewareRequest): Promise<void> => {
    const { state } = request.internal;
    const key = header(request.event, 'idempotency-key');
    if (key === undefined) return;
    if (key.length === 0 || key.length > KEY_MAX)
      throw invalidInput(`Idempotency-Key must have 1 to ${KEY_MAX} characters.`);
    const begun = await beginRequest(
      digest(state.user?.id ?? '', state.route.id, key),
      digest(request.internal.state.sentBody ?? request.event.body ?? ''),
    );
    if ('status' in begun) {
      const { status, headers, body } = begun;
      state.storedResponse = { statusCode: status, headers: { ...headers }, body } satisfies APIGatewayProxyResult;
    } else {
      state.runningRequest = begun;
    }
  },
  after: async ({ internal: { state }, response }: MiddlewareRequest): Promise<void> => {
    if (!state.runningRequest || !response) return;
    await storeResponse(state.runningRequest, {
      status: response.statusCode,
      headers: (response.headers ?? {}) as Record<string, string>,
      body: response.body,
    });
  },
  // The error is the thrown one: `failure` creates its response later.
  onError: async ({ error, internal: { state } }: MiddlewareRequest): Promise<void> => {
    const { runningRequest } = state;
    if (!runningRequest) return;
    const isRefused = error instanceof AppError && isRefusal(error.status);
    try {
      await withTimeLimit(RELEASE_MS, () => (isRefused ? forgetRequest(runningRequest) : allowRetry(runningRequest)));
    } catch (cause) {
      // The response stays that of the original error. The key is released when the time of the request is over.
      log.warn('an idempotency key was not released', { error: cause });
    }
  },
};
