import type { MiddlewareRequest } from '#http/call.ts';
import { isUnavailable } from '#platform/unavailable.ts';
import { AppError, PageError, unavailable } from '#shared/errors.ts';

/** When a request can be repeated that failed because a dependency was unavailable, in seconds. */
const RETRY_AFTER_SECONDS = 5;

/** The failure that an error means for the caller: a 503 when a dependency is unavailable, for other unexpected errors a 500. */
export const failureOf = (error: unknown, requestId: string): AppError => {
  if (error instanceof AppError) return error;
  return isUnavailable(error) ? unavailable(RETRY_AFTER_SECONDS) : new AppError('INTERNAL', { request_id: requestId });
};

/**
 * Turns errors into the contract's failure body. Unexpected errors become a 503 when a dependency is unavailable, else a
 * 500 without details.
 */
export const failure = {
  onError: (request: MiddlewareRequest): void => {
    const { state } = request.internal;
    if (!(request.error instanceof AppError)) state.cause = request.error;
    const error = failureOf(request.error, state.requestId);
    const { retryAfter } = error.extra;
    const page = error instanceof PageError ? error.page : undefined;
    request.response = {
      statusCode: error.status,
      headers: {
        'content-type': page ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        ...page?.headers,
        ...(typeof retryAfter === 'number' && { 'retry-after': String(retryAfter) }),
      },
      body: page?.text ?? JSON.stringify(error.body),
    };
  },
};
