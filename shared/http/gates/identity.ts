import { userAtFirstSight } from '#data/users.ts';
import { type GateRequest, header } from '#http/call.ts';
import { log } from '#platform/log.ts';
import { type Claims, KeysUnavailable, verifyToken } from '#platform/tokens.ts';
import { unauthorized } from '#shared/errors.ts';

/** The cookie that a browser on the same origin may present in place of the header. */
const COOKIE = 'directory_token';

const credentialOf = (request: GateRequest): { token: string; byCookie: boolean } | undefined => {
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

const mustBeJobCaller = async (request: GateRequest): Promise<void> => {
  const { route, isJobSecret } = request.internal.state;
  // A door without the means to tell would let nobody in, and nobody would know why.
  if (!isJobSecret) throw new Error(`${route.id} is for callers with the secret, but its door cannot check it.`);
  const presented = /^bearer +(\S.*)$/i.exec(header(request.event, 'authorization') ?? '')?.[1];
  if (presented === undefined || !(await isJobSecret(presented))) throw unauthorized();
};

const claimsOf = async (token: string, required: boolean): Promise<Claims | undefined> => {
  try {
    return await verifyToken(token);
  } catch (error) {
    // Where a login is not needed, an issuer that does not answer must not take the page away.
    if (required || !(error instanceof KeysUnavailable)) throw error;
    log.warn('the credential could not be checked and counts as none', { error });
    return undefined;
  }
};

/**
 * Finds out who asks: the verified token's user record, made at first sight. Missing or bad credentials are 401 where a
 * user is needed; for administrators' routes the permission gate speaks; elsewhere they count as none. The routes of jobs
 * ask for the secret that schedules outside share with the service, and 401 whoever does not present it.
 */
export const identity = {
  before: async (request: GateRequest): Promise<void> => {
    const { state } = request.internal;
    const { auth } = state.route;
    if (auth === 'cron') await mustBeJobCaller(request);
    if (auth !== 'user' && auth !== 'admin' && auth !== 'optional') return;
    const credential = credentialOf(request);
    const claims = credential && (await claimsOf(credential.token, auth !== 'optional'));
    const user = claims && (await userAtFirstSight(claims));
    // A token outlives its user: who was erased is nobody, for as long as it is valid.
    if (user && user.erased_at === null) {
      state.user = user;
      state.byCookie = credential?.byCookie ?? false;
    } else if (auth === 'user') {
      throw unauthorized();
    }
  },
};
