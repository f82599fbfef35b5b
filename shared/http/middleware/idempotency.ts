import { createHash } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { allowRetry, beginRequest, forgetRequest, storeResponse } from '#data/idempotency.ts';
import { header, type MiddlewareRequest, type MultipartBody, type RequestState } from '#http/call.ts';
import type { RouteMiddleware } from '#http/middleware.ts';
import { log } from '#platform/log.ts';
import { withTimeLimit } from '#platform/time-limit.ts';
import { AppError, invalidInput, isRefusal } from '#shared/errors.ts';

const KEY_MAX = 255;
/** How long a failed request waits for the release of its key, in milliseconds. */
const RELEASE_MS = 1000;

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('base64url');

const digest = (...parts: readonly string[]): string => sha256(JSON.stringify(parts));

/** The parts of a form by name: a client that repeats it chooses another boundary, and perhaps another order. */
const textOfForm = ({ fields, files }: MultipartBody): string => {
  const parts = [
    ...Object.entries(fields).map(([name, content]) => [name, '', sha256(content)]),
    ...Object.entries(files).map(([name, { filename, content }]) => [name, filename, sha256(content)]),
  ];
  return JSON.stringify(parts.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1)));
};

/** What a repeated request has in common with the first one: the body, and what it is about. */
const digestOf = ({ sentBody = '', multipartBody, input }: RequestState): string => {
  const { params = {}, query } = input ?? {};
  const content = multipartBody ? textOfForm(multipartBody) : sentBody;
  return digest(content, ...Object.values(params), ...(query === undefined ? [] : [JSON.stringify(query)]));
};

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
    const name = digest(state.user?.id ?? '', state.route.id, key);
    const begun = await beginRequest({ name, key }, digestOf(state));
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
