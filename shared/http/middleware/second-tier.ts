import type { Route } from '#contract/route.ts';
import type { Call, MiddlewareRequest } from '#http/call.ts';
import type { RouteMiddleware } from '#http/middleware.ts';
import { countIn } from './rate.ts';

/** Counts requests in the second tier of their route. @param times how often a request counts there. */
export const secondTier = <R extends Route>(times: (call: Pick<Call<R>, 'body'>) => number): RouteMiddleware => ({
  name: 'secondTier',
  runsAfter: 'input',
  before: async (request: MiddlewareRequest): Promise<void> => {
    const { route, input } = request.internal.state;
    const { secondTier: tier } = route;
    if (tier === undefined || !input) return;
    for (let left = times(input as Pick<Call<R>, 'body'>); left > 0; left -= 1) await countIn(request, tier);
  },
});
