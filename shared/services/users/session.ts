import { COOKIE_MAX, COOKIES_MAX, type SessionRequest } from '#contract/session.ts';
import { findOrCreateUser } from '#data/users.ts';
import type { UserRecord } from '#model/user.ts';
import { exchangeCode, type IssuedTokens, renewTokens, revokeToken } from '#platform/issuer.ts';
import { log } from '#platform/log.ts';
import { verifyToken } from '#platform/tokens.ts';
import { AppError, unauthorized } from '#shared/errors.ts';

/** A session with the tokens that its cookies hold. */
export interface Session {
  readonly user: UserRecord;
  readonly accessToken: string;
  /** Undefined when nothing can renew it. */
  readonly refreshToken: string | undefined;
  readonly expiresAt: string;
}

const tokensOf = async (
  { code, code_verifier = '', redirect_uri = '', access_token }: SessionRequest,
  refreshToken: string | undefined,
): Promise<IssuedTokens | undefined> => {
  if (code !== undefined) return await exchangeCode(code, code_verifier, redirect_uri);
  // A session begins without what an earlier one left: its refresh token may be another user's.
  if (access_token !== undefined) return { accessToken: access_token, refreshToken: undefined };
  if (refreshToken === undefined) return undefined;
  const renewed = await renewTokens(refreshToken);
  return renewed && { ...renewed, refreshToken: renewed.refreshToken ?? refreshToken };
};

/**
 * The tokens that the cookies of a browser can hold: without the refresh token where there is no room for it, so that the session
 * ends with its token. @throws 413 when there is none for the access token.
 */
const fittingTokens = ({ accessToken, refreshToken }: IssuedTokens): IssuedTokens => {
  const [access, refresh] = [accessToken.length, encodeURIComponent(refreshToken ?? '').length];
  if (access > COOKIES_MAX) {
    log.warn('an access token does not fit the cookies of a session: the issuer adds too many claims', { access });
    throw new AppError('PAYLOAD_TOO_LARGE', {
      message: `The access token of this account has ${access} characters, and a session holds at most ${COOKIES_MAX}. The issuer has to add fewer claims, such as groups.`,
    });
  }
  if (refresh <= COOKIE_MAX && access + refresh <= COOKIES_MAX) return { accessToken, refreshToken };
  log.warn('a refresh token does not fit the cookies of a session, which ends with its token', { access, refresh });
  return { accessToken, refreshToken: undefined };
};

/**
 * Begins a session with a code or a token, or renews the one of a refresh token.
 * @param refreshToken of the caller's cookie.
 * @throws 401 when the issuer refuses, for an invalid token, and for an erased user; 413 for a token that no cookies hold.
 */
export const beginSession = async (request: SessionRequest, refreshToken: string | undefined): Promise<Session> => {
  const tokens = await tokensOf(request, refreshToken);
  const verified = tokens && (await verifyToken(tokens.accessToken));
  if (!verified) throw unauthorized();
  const fitting = fittingTokens(tokens);
  const user = await findOrCreateUser(verified.identity, true);
  if (user.erased_at !== null) throw unauthorized();
  return { ...fitting, user, expiresAt: verified.expiresAt };
};

export const endSession = async (refreshToken: string | undefined): Promise<void> => {
  if (refreshToken !== undefined) await revokeToken(refreshToken);
};
