import type { Route } from '#contract/route.ts';
import { header, type MiddlewareRequest } from '#http/call.ts';
import { hasSessionCookie } from '#http/session-cookies.ts';
import type { Caller } from '#model/api-key.ts';
import { isModerator, lacksVerifiedEmail } from '#model/policy.ts';
import type { Environment } from '#platform/environment.ts';
import { banned, emailUnverified, forbidden, notFound, outOfScope } from '#shared/errors.ts';

/** Responds with 404 on routes of a disabled feature, before any other check and to every caller. */
export const feature = {
  before: ({ internal: { state } }: MiddlewareRequest): void => {
    if (state.route.feature && !state.environment.features[state.route.feature]) throw notFound();
  },
};

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

/**
 * Whether a write acts for the browser that sent it: with a cookie that authenticates, or on a route that sets such cookies.
 * There every browser counts, which would otherwise be signed in as another user, and every cookie, even an expired one.
 */
const actsForBrowser = (request: MiddlewareRequest): boolean => {
  const { route, byCookie } = request.internal.state;
  if (byCookie) return true;
  if (!route.session) return false;
  const isBrowser = ['sec-fetch-site', 'origin'].some((name) => header(request.event, name) !== undefined);
  return isBrowser || hasSessionCookie(request);
};

const hasScopeOf = ({ scopes = [] }: Route, { scopes: own = [] }: Caller): boolean =>
  scopes.some((scope) => own.includes(scope));

const needsVerifiedEmail = (
  { method, submits, allowsUnverified }: Route,
  required: Environment['verifiedEmailRequired'],
): boolean =>
  required === 'write' ? method !== 'GET' && !allowsUnverified : required === 'submit' && submits === true;

/**
 * Rejects callers without access to `admin` routes, API keys on routes that no scope of theirs covers, banned users on
 * `admin` routes and their writes elsewhere, cross-site writes with a cookie, and what the configuration requires a verified
 * address for. Services decide what moderators and API
 * keys may do on a route that they may use.
 */
export const permission = {
  before: (request: MiddlewareRequest): void => {
    const { route, user, environment } = request.internal.state;
    const writes = route.method !== 'GET';
    if (user?.scopes) {
      if (route.auth !== 'optional' && !hasScopeOf(route, user)) throw outOfScope();
    } else if (route.auth === 'admin') {
      const mayModerate = environment.features.moderators && route.moderators && user && isModerator(user);
      if (!user?.is_admin && !mayModerate) throw forbidden();
    }
    if (writes && actsForBrowser(request) && !isSameOrigin(request)) throw forbidden();
    const isClosedToBanned = route.auth === 'admin' || (writes && !route.allowsBanned);
    if (isClosedToBanned && user?.is_banned) throw banned(user.ban_reason);
    if (user && needsVerifiedEmail(route, environment.verifiedEmailRequired) && lacksVerifiedEmail(user)) {
      throw emailUnverified();
    }
  },
};
