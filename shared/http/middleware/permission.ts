import { header, type MiddlewareRequest } from '#http/call.ts';
import { banned, forbidden } from '#shared/errors.ts';

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
 * Rejects non-administrators and banned administrators on `admin` routes, writes of banned users, and cross-site writes
 * with a cookie.
 */
export const permission = {
  before: (request: MiddlewareRequest): void => {
    const { route, user, byCookie } = request.internal.state;
    const writes = route.method !== 'GET';
    if (route.auth === 'admin' && !user?.is_admin) throw forbidden();
    if (writes && byCookie && !isSameOrigin(request)) throw forbidden();
    const isClosedToBanned = route.auth === 'admin' || (writes && !route.allowsBanned);
    if (isClosedToBanned && user?.is_banned) throw banned(user.ban_reason);
  },
};
