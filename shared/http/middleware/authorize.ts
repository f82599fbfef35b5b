import type { Route } from '#contract/route.ts';
import { type Call, type MiddlewareRequest, paramsOf } from '#http/call.ts';
import type { RouteMiddleware } from '#http/middleware.ts';
import { parsedJson } from './json-body.ts';

/** What a permission check decides on. */
interface AuthorizationRequest<R extends Route> extends Pick<Call<R>, 'params' | 'user'> {
  /** The parsed body before validation; undefined when it is missing or was rejected. */
  readonly body: unknown;
}

export interface Authorization<R extends Route> extends RouteMiddleware {
  readonly check: (request: AuthorizationRequest<R>) => Promise<unknown>;
}

/**
 * Checks what the path names before the errors of the input are reported: 404 and 403 come first. The service makes the
 * same check for valid input, so the check is made here only when the input is rejected, and no request looks up twice.
 * @param check throws 403, or 404 when the resource does not exist or the caller must not learn that it does.
 */
export const authorize = <R extends Route>(check: Authorization<R>['check']): Authorization<R> => ({
  name: 'authorize',
  runsAfter: 'permission',
  check,
  before: ({ internal: { state } }: MiddlewareRequest): void => {
    state.isIdentified = true;
  },
  onError: async (request: MiddlewareRequest): Promise<void> => {
    const { isIdentified, input, user } = request.internal.state;
    if (!isIdentified || input) return;
    try {
      await check({ params: paramsOf(request), user, body: parsedJson(request) } as AuthorizationRequest<R>);
    } catch (error) {
      request.error = error as Error;
    }
  },
});
