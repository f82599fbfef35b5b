import {
  type AuthorizationServer,
  allowInsecureRequests,
  discoveryRequest,
  genericTokenEndpointRequest,
  None,
  processDiscoveryResponse,
  processGenericTokenEndpointResponse,
  processRevocationResponse,
  ResponseBodyError,
  revocationRequest,
} from 'oauth4webapi';
import { firstCharacters } from '#model/characters.ts';
import { environment, InvalidEnvironment, LOOPBACK } from './environment.ts';
import { log } from './log.ts';
import { Unavailable } from './unavailable.ts';

// Requests to the issuer as a public client: the exchange of codes, and what renews and ends a session.

/** How long the issuer may take for a request, in milliseconds. */
const TIMEOUT_MS = 4000;

/** What the issuer returned. */
export interface IssuedTokens {
  readonly accessToken: string;
  /** Undefined when the issuer returned none. */
  readonly refreshToken: string | undefined;
}

const configured = () => {
  const { signIn } = environment();
  if (!signIn) throw new InvalidEnvironment(['SIGN_IN_ISSUER or OIDC_ISSUER must be set to sign in']);
  return { ...signIn, client: { client_id: signIn.clientId ?? '' } };
};

/** An issuer on this machine may use http. */
const requestOptions = () => ({
  signal: AbortSignal.timeout(TIMEOUT_MS),
  [allowInsecureRequests]: LOOPBACK.has(URL.parse(configured().issuer)?.hostname),
});

let discovered: AuthorizationServer | undefined;

/** The metadata of the issuer; configured addresses are enough for a sign-in without a request. */
const server = async (): Promise<AuthorizationServer> => {
  const { issuer, tokenUrl } = configured();
  if (discovered) return discovered;
  const url = new URL(issuer);
  try {
    discovered = await processDiscoveryResponse(url, await discoveryRequest(url, requestOptions()));
    return discovered;
  } catch (error) {
    if (tokenUrl === null) throw error;
    return { issuer, token_endpoint: tokenUrl };
  }
};

/** Errors about what the caller sent, or has to do first (RFC 6749, OpenID Connect Core 3.1.2.6). Others are about this service. */
const REFUSALS: ReadonlySet<string> = new Set([
  'invalid_grant',
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
]);

/** The longest error of an issuer in a line of the log, in characters. */
const LOGGED_MAX = 100;

/** @returns undefined when the issuer refuses. @throws {Unavailable} when it does not answer properly. */
const grant = async (type: string, parameters: Record<string, string>): Promise<IssuedTokens | undefined> => {
  const { client, issuer } = configured();
  try {
    const as = await server();
    const response = await genericTokenEndpointRequest(as, client, None(), type, parameters, requestOptions());
    const tokens = await processGenericTokenEndpointResponse(as, client, response);
    return { accessToken: tokens.access_token, refreshToken: tokens.refresh_token };
  } catch (cause) {
    const code = cause instanceof ResponseBodyError ? cause.error : undefined;
    if (code !== undefined && REFUSALS.has(code)) return undefined;
    // Without the description, in which issuers repeat what a caller sent.
    log.error('the issuer grants no tokens', { error: cause, issuer_error: firstCharacters(code ?? '', LOGGED_MAX) });
    throw new Unavailable(`The issuer ${issuer} granted no tokens.`, { cause });
  }
};

/** Exchanges an authorization code. */
export const exchangeCode = async (
  code: string,
  codeVerifier: string,
  redirectUri: string,
): Promise<IssuedTokens | undefined> =>
  await grant('authorization_code', { code, code_verifier: codeVerifier, redirect_uri: redirectUri });

/** New tokens for a refresh token; the issuer may replace it. */
export const renewTokens = async (refreshToken: string): Promise<IssuedTokens | undefined> =>
  await grant('refresh_token', { refresh_token: refreshToken });

/** Revokes a refresh token where the issuer supports it. The cookies end without it: a failure is logged. */
export const revokeToken = async (refreshToken: string): Promise<void> => {
  try {
    const as = await server();
    if (as.revocation_endpoint === undefined) return;
    const response = await revocationRequest(as, configured().client, None(), refreshToken, requestOptions());
    await processRevocationResponse(response);
  } catch (error) {
    log.warn('the refresh token was not revoked', { error });
  }
};
