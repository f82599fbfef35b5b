import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { JwtVerifier } from 'aws-jwt-verify';
import { assertIsJwk, assertIsSignatureJwk, type Jwk, type Jwks, SimpleJwksCache } from 'aws-jwt-verify/jwk';
import type { JwtHeader, JwtPayload } from 'aws-jwt-verify/jwt-model';
import { trimmed, withoutControls } from '#contract/characters.ts';
import { isApiKeyId } from '#model/api-key.ts';
import { asciiLowerCase, type Identity } from '#model/user.ts';
import { environment, InvalidEnvironment } from './environment.ts';
import { Unavailable } from './unavailable.ts';

/** The issuer's keys could not be fetched, so the token could not be verified. */
export class KeysUnavailable extends Unavailable {
  override readonly name = 'KeysUnavailable';
}

const KEYS_TIMEOUT_MS = 3000;
/** Larger than the key set of any issuer, in bytes. */
const KEYS_BYTES_MAX = 256 * 1024;

/**
 * Fetches a URL without following redirects. Uses the HTTP modules that the SDK has already loaded: loading `fetch`
 * makes the first response of a function 25% slower.
 */
const download = (url: URL): Promise<ArrayBuffer> =>
  new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const sent = request(url, { signal: AbortSignal.timeout(KEYS_TIMEOUT_MS) }, (response) => {
      if (response.statusCode !== 200) {
        response.resume();
        reject(new Error(`The server returned ${response.statusCode}.`));
        return;
      }
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > KEYS_BYTES_MAX) response.destroy(new Error('The key set is too large.'));
        else chunks.push(chunk);
      });
      response.once('end', () => resolve(new Uint8Array(Buffer.concat(chunks)).buffer));
      response.once('error', reject);
    });
    sent.once('error', reject);
    sent.end();
  });

const fetchKeys = async (address: string): Promise<ArrayBuffer> => {
  const url = new URL(address);
  try {
    return await download(url);
  } catch (cause) {
    throw new KeysUnavailable(`Could not fetch the issuer's keys from ${url.origin}.`, { cause });
  }
};

/** Whether signatures can be verified with a key. Key sets hold keys of other kinds and uses too (RFC 7517, section 5). */
const isUsable = (key: Jwk): boolean => {
  try {
    assertIsJwk(key);
    assertIsSignatureJwk(key);
    return true;
  } catch {
    return false;
  }
};

/** @throws {KeysUnavailable} without a usable key: the page of a proxy, for example, says nothing about a token. */
const usableKeys = (bytes: ArrayBuffer): Jwks => {
  let keys: Jwk[];
  try {
    const set = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Partial<Jwks> | null;
    keys = Array.isArray(set?.keys) ? set.keys.filter(isUsable) : [];
  } catch (cause) {
    throw new KeysUnavailable('The keys of the issuer could not be read.', { cause });
  }
  if (keys.length === 0) throw new KeysUnavailable('The issuer publishes no usable key.');
  return { keys };
};

/** The longest valid subject, in characters (OpenID Connect Core 1.0, section 2). */
const SUBJECT_MAX = 255;

/** The subject is the user's key in the table, so it must be valid as a key, and not that of an API key's service user. */
const isSubject = (sub: unknown): boolean =>
  typeof sub === 'string' && sub !== '' && sub.length <= SUBJECT_MAX && sub.isWellFormed() && !isApiKeyId(sub);

/** Types of access tokens, in lower case. Cognito sets no type; RFC 9068 sets `at+jwt`, with or without its prefix. */
const ACCESS_TOKEN_TYPES: ReadonlySet<unknown> = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt']);

/** Claims that only ID tokens and logout tokens contain. Not every issuer distinguishes its tokens by type or use. */
const FOREIGN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 'events'] as const;

/** How far the clock of the issuer may be ahead, in seconds; for `iat` and `nbf`. */
const CLOCK_TOLERANCE_SECONDS = 60;

/** @throws unless the token is an access token by its type, its use and its claims. */
const mustBeAccessToken = (header: JwtHeader, payload: JwtPayload): void => {
  const { typ, crit } = header as { typ?: unknown; crit?: unknown };
  // The service knows no extension, so it must refuse every critical one (RFC 7515, section 4.1.11).
  if (crit !== undefined) throw new Error('The token has critical extensions.');
  const isOfType = ACCESS_TOKEN_TYPES.has(typeof typ === 'string' ? typ.toLowerCase() : typ);
  const isOfUse = payload.token_use === undefined || payload.token_use === 'access';
  if (!isOfType || !isOfUse || FOREIGN_CLAIMS.some((name) => payload[name] !== undefined)) {
    throw new Error('The token is not an access token.');
  }
};

/**
 * The verifier checks `exp` only where it is present, and with the tolerance. @throws for a token without an end, of the past
 * or from the future.
 */
const mustBeCurrent = ({ exp, iat }: JwtPayload): void => {
  if (typeof exp !== 'number') throw new Error('The token does not expire.');
  if (exp < Date.now() / 1000) throw new Error('The token has expired.');
  if (iat === undefined) return;
  if (typeof iat !== 'number' || iat > Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS) {
    throw new Error('The token was issued in the future.');
  }
};

const makeVerifier = () => {
  const { identity } = environment();
  if (!identity) throw new InvalidEnvironment(['OIDC_ISSUER and OIDC_JWKS_URI must be set to verify tokens']);
  const { issuer, audiences, jwksUri } = identity;
  return JwtVerifier.create(
    {
      issuer,
      // Access tokens of Cognito have `client_id` instead of `aud`; the check below covers both.
      audience: null,
      jwksUri,
      graceSeconds: CLOCK_TOLERANCE_SECONDS,
      customJwtCheck: ({ header, payload }) => {
        mustBeAccessToken(header, payload);
        mustBeCurrent(payload);
        const audience = [payload.aud ?? payload.client_id ?? []].flat();
        if (!audience.some((name) => audiences.includes(String(name)))) {
          throw new Error('The token is for another audience.');
        }
        if (!isSubject(payload.sub)) throw new Error('The token has no valid subject.');
      },
    },
    { jwksCache: new SimpleJwksCache({ fetcher: { fetch: fetchKeys }, jwksParser: usableKeys }) },
  );
};

let verifier: ReturnType<typeof makeVerifier> | undefined;

const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.toWellFormed() : null;

/** A display name; names of accounts are chosen by users. */
const nameOrNull = (value: unknown): string | null =>
  typeof value === 'string' ? textOrNull(trimmed(withoutControls(value))) : null;

/**
 * The name of a service client. Only when client and subject are equal does the token belong to the client itself (RFC
 * 9068, section 2.2); otherwise `client_id` is the application that the user signed in with.
 */
const serviceName = ({ sub, client_id }: JwtPayload): string | null => (client_id === sub ? textOrNull(sub) : null);

/** Whom a valid access token names, and when it ends. */
interface VerifiedToken {
  readonly identity: Identity;
  readonly expiresAt: string;
}

/**
 * Verifies an access token: signature, issuer, audience, lifetime, use.
 * @returns undefined for an invalid token.
 * @throws {KeysUnavailable} when the issuer's keys cannot be fetched.
 */
export const verifyToken = async (token: string): Promise<VerifiedToken | undefined> => {
  verifier ??= makeVerifier();
  try {
    const payload = await verifier.verify(token);
    const email = textOrNull(payload.email);
    const identity = {
      sub: String(payload.sub),
      email: email === null ? null : asciiLowerCase(email),
      emailVerified: payload.email_verified === true || payload.email_verified === 'true',
      name: nameOrNull(payload.name) ?? serviceName(payload),
      issuedAt: payload.iat === undefined ? null : new Date(payload.iat * 1000).toISOString(),
    };
    return { identity, expiresAt: new Date(Number(payload.exp) * 1000).toISOString() };
  } catch (error) {
    if (error instanceof KeysUnavailable) throw error;
    return undefined;
  }
};
