import type { MiddlewareRequest } from '#http/call.ts';
import { isUnavailable } from '#platform/unavailable.ts';
import { AppError, unavailable } from '#shared/errors.ts';

/** When a request can be repeated that failed because a dependency was unavailable, in seconds. */
const RETRY_AFTER_SECONDS = 5;

const unexpectedError = (error: unknown, requestId: string): AppError =>
  isUnavailable(error) ? unavailable(RETRY_AFTER_SECONDS) : new AppError('INTERNAL', { request_id: requestId });

/**
 * Turns errors into the contract's failure body. Unexpected errors become a 503 when a dependency is unavailable, else a
 * 500 without details.
 */
export const failure = {
  onError: (request: MiddlewareRequest): void => {
    const { state } = request.internal;
    const expected = request.error instanceof AppError ? request.error : undefined;
    if (!expected) state.cause = request.error;
    const error = expected ?? unexpectedError(request.error, state.requestId);
    const { retryAfter } = error.extra;
    request.response = {
      statusCode: error.status,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        ...(typeof retryAfter === 'number' && { 'retry-after': String(retryAfter) }),
      },
      body: JSON.stringify(error.body),
    };
  },
};
