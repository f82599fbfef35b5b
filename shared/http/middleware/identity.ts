import type { Route } from '#contract/route.ts';
import { findOrCreateUser } from '#data/users.ts';
import { header, type MiddlewareRequest } from '#http/call.ts';
import { cookieOf, TOKEN_COOKIE } from '#http/session-cookies.ts';
import { type Caller, callerWith } from '#model/api-key.ts';
import type { Identity } from '#model/user.ts';
import { looksLikeApiKey } from '#platform/api-key.ts';
import { log } from '#platform/log.ts';
import { KeysUnavailable, verifyToken } from '#platform/tokens.ts';
import { authenticateKey } from '#services/admin/api-keys.ts';
import { unauthorized } from '#shared/errors.ts';

/** Whether the function of a route may store roles: the middleware must not write more than its role allows. */
const mayWriteRoles = ({ writes = [] }: Route): boolean => writes.includes('users:roles');

interface Credential {
  readonly token: string;
  readonly byCookie: boolean;
}

const credentialOf = (request: MiddlewareRequest): Credential | undefined => {
  const authorization = header(request.event, 'authorization');
  if (authorization !== undefined) {
    const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
    return token === undefined ? undefined : { token, byCookie: false };
  }
  const token = cookieOf(request, TOKEN_COOKIE);
  return token === undefined ? undefined : { token, byCookie: true };
};

const serviceIdentity = (id: string, name: string): Identity => ({ sub: id, email: null, emailVerified: false, name });

const callerWithKey = async (presented: string): Promise<Caller | undefined> => {
  const key = await authenticateKey(presented);
  return key && callerWith(await findOrCreateUser(serviceIdentity(key.id, key.name), false), key);
};

const callerWithToken = async (token: string, route: Route): Promise<Caller | undefined> => {
  const verified = await verifyToken(token);
  return verified && (await findOrCreateUser(verified.identity, mayWriteRoles(route)));
};

const callerOf = async ({ token, byCookie }: Credential, route: Route): Promise<Caller | undefined> => {
  try {
    return !byCookie && looksLikeApiKey(token) ? await callerWithKey(token) : await callerWithToken(token, route);
  } catch (error) {
    // Routes with optional authentication stay available when credentials cannot be verified.
    if (route.auth !== 'optional' || !(error instanceof KeysUnavailable)) throw error;
    log.warn('credential ignored: it could not be verified', { error });
    return undefined;
  }
};

/**
 * Authenticates the caller by an access token or an API key, and creates their user record on the first request. Missing
 * or invalid credentials are 401 on `user` routes, 403 on `admin` routes (see `permission`), and ignored on `optional`
 * routes.
 */
export const identity = {
  before: async (request: MiddlewareRequest): Promise<void> => {
    const { state } = request.internal;
    const { auth } = state.route;
    if (auth !== 'user' && auth !== 'admin' && auth !== 'optional') return;
    const credential = credentialOf(request);
    const user = credential && (await callerOf(credential, state.route));
    // Tokens of erased users remain valid until they expire; treat them as unauthenticated.
    if (user && user.erased_at === null) {
      state.user = user;
      state.byCookie = credential.byCookie;
    } else if (auth === 'user') {
      throw unauthorized();
    }
  },
};
