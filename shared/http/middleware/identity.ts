import type { RouteDeclaration } from '#contract/route.ts';
import { findOrCreateUser } from '#data/users.ts';
import { header, type MiddlewareRequest } from '#http/call.ts';
import type { Identity } from '#model/identity.ts';
import { log } from '#platform/log.ts';
import { KeysUnavailable, verifyToken } from '#platform/tokens.ts';
import { unauthorized } from '#shared/errors.ts';

/** Whether the function of a route may store roles: the middleware must not write more than its role allows. */
const mayWriteRoles = ({ permissions }: Pick<RouteDeclaration, 'permissions'>): boolean =>
  permissions.includes('users:roles');

/** The cookie that same-origin browsers may send instead of the `Authorization` header. */
const COOKIE = 'directory_token';

const credentialOf = (request: MiddlewareRequest): { token: string; byCookie: boolean } | undefined => {
  const authorization = header(request.event, 'authorization');
  if (authorization !== undefined) {
    const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
    return token === undefined ? undefined : { token, byCookie: false };
  }
  for (const pair of (header(request.event, 'cookie') ?? '').split(';')) {
    const [name, ...value] = pair.split('=');
    if (name?.trim() === COOKIE) return { token: value.join('=').trim(), byCookie: true };
  }
  return undefined;
};

const identityOf = async (token: string, required: boolean): Promise<Identity | undefined> => {
  try {
    return await verifyToken(token);
  } catch (error) {
    // Routes with optional authentication stay available when the issuer is unreachable.
    if (required || !(error instanceof KeysUnavailable)) throw error;
    log.warn('credential ignored: the keys of the issuer are unavailable', { error });
    return undefined;
  }
};

/**
 * Authenticates the caller by an access token and creates their user record on the first request. Missing or invalid
 * credentials are 401 on `user` routes, 403 on `admin` routes (see `permission`), and ignored on `optional` routes.
 */
export const identity = {
  before: async (request: MiddlewareRequest): Promise<void> => {
    const { state } = request.internal;
    const { auth } = state.route;
    if (auth !== 'user' && auth !== 'admin' && auth !== 'optional') return;
    const credential = credentialOf(request);
    const verified = credential && (await identityOf(credential.token, auth !== 'optional'));
    const user = verified && (await findOrCreateUser(verified, mayWriteRoles(state.route)));
    // Tokens of erased users remain valid until they expire; treat them as unauthenticated.
    if (user && user.erased_at === null) {
      state.user = user;
      state.byCookie = credential?.byCookie ?? false;
    } else if (auth === 'user') {
      throw unauthorized();
    }
  },
};
