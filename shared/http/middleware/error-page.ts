import { header, type MiddlewareRequest } from '#http/call.ts';
import type { RouteMiddleware } from '#http/middleware.ts';
import { type AppError, PageError } from '#shared/errors.ts';
import { failureOf } from './failure.ts';

/**
 * Answers a failure of a page with a page, if `Accept` names `text/html`. A handler that throws a `PageError` has decided
 * that itself.
 * @param render the page for a failure.
 */
export const errorPage = (
  render: (failure: AppError, request: MiddlewareRequest) => Promise<PageError['page']>,
): RouteMiddleware => ({
  name: 'errorPage',
  runsAfter: 'failure',
  onError: async (request) => {
    const { error, event, internal } = request;
    const { route, environment } = internal.state;
    if (route.feature && !environment.features[route.feature]) return;
    if (error instanceof PageError || !header(event, 'accept')?.includes('text/html')) return;
    const failure = failureOf(error, internal.state.requestId);
    if (failure !== error) internal.state.cause = error;
    const { text, headers } = await render(failure, request);
    const { retryAfter } = failure.extra;
    const retry = typeof retryAfter === 'number' ? { 'retry-after': String(retryAfter) } : {};
    request.error = new PageError(failure.code, { text, headers: { ...headers, ...retry } });
  },
});
