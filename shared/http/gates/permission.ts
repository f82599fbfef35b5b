import { type GateRequest, header } from '#http/call.ts';
import { paramsOf, readableJson } from '#http/request.ts';
import { banned, forbidden } from '#shared/errors.ts';

/**
 * Whether the browser says that a page of this very origin made the request. A browser sends a cookie along with
 * requests that other sites cause, and neither of these headers can be set by a page.
 */
const isSameOrigin = ({ event }: GateRequest): boolean => {
  const site = header(event, 'sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = URL.parse(header(event, 'origin') ?? '');
  return origin !== null && origin.host === header(event, 'host');
};

/**
 * Refuses administrators' routes to others, writes to banned users, writes that another site may have caused, and what the
 * door itself says that this caller may not do.
 */
export const permission = {
  before: async (request: GateRequest): Promise<void> => {
    const { route, user, byCookie, permit } = request.internal.state;
    const writes = route.method !== 'GET';
    if (route.auth === 'admin' && !user?.is_admin) throw forbidden();
    if (writes && byCookie && !isSameOrigin(request)) throw forbidden();
    if (writes && user?.is_banned) throw banned(user.ban_reason);
    await permit?.({ params: paramsOf(request), user, body: readableJson(request) });
  },
};
