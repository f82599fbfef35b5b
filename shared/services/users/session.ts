import { type SessionRequest, TOKEN_MAX } from '#contract/session.ts';
import { findOrCreateUser } from '#data/users.ts';
import type { UserRecord } from '#model/user.ts';
import { exchangeCode, type IssuedTokens, renewTokens, revokeToken } from '#platform/issuer.ts';
import { verifyToken } from '#platform/tokens.ts';
import { unauthorized } from '#shared/errors.ts';

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
 * Begins a session with a code or a token, or renews the one of a refresh token.
 * @param refreshToken of the caller's cookie.
 * @throws 401 when the issuer refuses, for an invalid token, and for an erased user.
 */
export const beginSession = async (request: SessionRequest, refreshToken: string | undefined): Promise<Session> => {
  const tokens = await tokensOf(request, refreshToken);
  const verified = tokens && (await verifyToken(tokens.accessToken));
  if (!verified) throw unauthorized();
  const longest = Math.max(tokens.accessToken.length, encodeURIComponent(tokens.refreshToken ?? '').length);
  if (longest > TOKEN_MAX)
    throw new Error(`A token of ${longest} characters does not fit a cookie: the issuer adds too many claims.`);
  const user = await findOrCreateUser(verified.identity, true);
  if (user.erased_at !== null) throw unauthorized();
  return { ...tokens, user, expiresAt: verified.expiresAt };
};

export const endSession = async (refreshToken: string | undefined): Promise<void> => {
  if (refreshToken !== undefined) await revokeToken(refreshToken);
};
