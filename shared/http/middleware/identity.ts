import type { Route } from '#contract/route.ts';
import { findOrCreateUser } from '#data/users.ts';
import { header, type MiddlewareRequest } from '#http/call.ts';
import { tokensInCookies } from '#http/session-cookies.ts';
import { type Caller, callerWith } from '#model/api-key.ts';
import type { Identity } from '#model/user.ts';
import { looksLikeApiKey } from '#platform/api-key.ts';
import { log } from '#platform/log.ts';
import { KeysUnavailable, verifyToken } from '#platform/tokens.ts';
import { authenticateKey } from '#services/admin/api-keys.ts';
import { unauthorized } from '#shared/errors.ts';

/** Whether the function of a route may store roles: the middleware must not write more than its role allows. */
const mayWriteRoles = ({ writes = [] }: Route): boolean => writes.includes('users:roles');

/** What a request presents to authenticate its caller: the first valid token counts. */
interface Credential {
  readonly tokens: readonly string[];
  readonly byCookie: boolean;
}

/** A Bearer header, valid or not, or else the cookies. Another scheme is for a proxy in front of the service. */
const credentialOf = (request: MiddlewareRequest): Credential => {
  const bearer = /^bearer(?: +(.*))?$/i.exec(header(request.event, 'authorization')?.trim() ?? '');
  return bearer ? { tokens: [bearer[1] ?? ''], byCookie: false } : { tokens: tokensInCookies(request), byCookie: true };
};

const serviceIdentity = (id: string, name: string): Identity => ({
  sub: id,
  email: null,
  emailVerified: false,
  name,
  issuedAt: null,
});

const callerWithKey = async (presented: string): Promise<Caller | undefined> => {
  const key = await authenticateKey(presented);
  return key && callerWith(await findOrCreateUser(serviceIdentity(key.id, key.name), false), key);
};

const callerWithToken = async (token: string, route: Route): Promise<Caller | undefined> => {
  const verified = await verifyToken(token);
  return verified && (await findOrCreateUser(verified.identity, mayWriteRoles(route)));
};

const callerOf = async ({ tokens, byCookie }: Credential, route: Route): Promise<Caller | undefined> => {
  for (const token of tokens) {
    const isKey = !byCookie && looksLikeApiKey(token);
    const caller = isKey ? await callerWithKey(token) : await callerWithToken(token, route);
    // Tokens of erased users remain valid until they expire; treat them as unauthenticated.
    if (caller && caller.erased_at === null) return caller;
  }
  return undefined;
};

/** Routes with optional authentication stay available when credentials cannot be verified. */
const callerIfVerifiable = async (credential: Credential, route: Route): Promise<Caller | undefined> => {
  try {
    return await callerOf(credential, route);
  } catch (error) {
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
    const user = await callerIfVerifiable(credential, state.route);
    if (user) {
      state.user = user;
      state.byCookie = credential.byCookie;
    } else if (auth === 'user') {
      throw unauthorized();
    }
  },
};
