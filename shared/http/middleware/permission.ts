import type { Route } from '#contract/route.ts';
import { header, type MiddlewareRequest } from '#http/call.ts';
import type { Caller } from '#model/api-key.ts';
import { isModerator } from '#model/policy.ts';
import { banned, forbidden, outOfScope } from '#shared/errors.ts';

/**
 * Whether a page of this origin sent the request, by headers that pages cannot forge. Browsers attach cookies to
 * cross-site requests too.
 */
const isSameOrigin = ({ event }: MiddlewareRequest): boolean => {
  const site = header(event, 'sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = URL.parse(header(event, 'origin') ?? '');
  return origin !== null && origin.host === header(event, 'host');
};

const hasScopeOf = ({ scopes = [] }: Route, { scopes: own = [] }: Caller): boolean =>
  scopes.some((scope) => own.includes(scope));

/**
 * Rejects callers without access to `admin` routes, API keys on routes that no scope of theirs covers, banned users on
 * `admin` routes and their writes elsewhere, and cross-site writes with a cookie. Services decide what moderators and API
 * keys may do on a route that they may use.
 */
export const permission = {
  before: (request: MiddlewareRequest): void => {
    const { route, user, byCookie, settings } = request.internal.state;
    const writes = route.method !== 'GET';
    if (user?.scopes) {
      if (route.auth !== 'optional' && !hasScopeOf(route, user)) throw outOfScope();
    } else if (route.auth === 'admin') {
      const mayModerate = settings.features.moderators && route.moderators && user && isModerator(user);
      if (!user?.is_admin && !mayModerate) throw forbidden();
    }
    if (writes && byCookie && !isSameOrigin(request)) throw forbidden();
    const isClosedToBanned = route.auth === 'admin' || (writes && !route.allowsBanned);
    if (isClosedToBanned && user?.is_banned) throw banned(user.ban_reason);
  },
};
