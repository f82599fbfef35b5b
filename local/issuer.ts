import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import * as z from 'zod';
import { checked } from '#contract/fields.ts';
import { findOrCreateUser, setRole } from '#data/users.ts';
import { accessClaims, asciiLowerCase, roles } from '#model/user.ts';
import { environment } from '#platform/environment.ts';
import { isUnavailable } from '#platform/unavailable.ts';
import { AppError, invalidInput, unavailable, unsupportedMediaType } from '#shared/errors.ts';
import { AUTHORIZATION_PATH, createAuthorization, grantError, localUsers } from './authorization.ts';
import { jsonResponse, type LocalRequest, type LocalRoute } from './local-route.ts';
import { StartupError } from './startup-error.ts';

/** The audience of local tokens. */
export const LOCAL_AUDIENCE = 'directory-local';
/** Path of the issuer's JSON Web Key Set. */
export const KEYS_PATH = '/_local/.well-known/jwks.json';
/** Path of the token endpoint. */
export const TOKEN_PATH = '/_local/token';

/** The type of refresh tokens, in their header. */
const REFRESH_TYPE = 'rt+jwt';

const EXPIRES_IN_SECONDS = 3600;
const EXPIRES_IN_SECONDS_MAX = 10 * 365 * 86_400;

const TokenRequest = z
  .object({
    email: z.email({ pattern: z.regexes.unicodeEmail }).max(254).optional(),
    client_id: z
      .string()
      .trim()
      .min(1)
      .max(128)
      .regex(/^[\w.:-]+$/, { error: 'may contain only letters, digits and . : - _' })
      .optional(),
    name: z.string().trim().min(1).max(100).optional(),
    admin: z.boolean().optional(),
    role: z.enum(roles).optional(),
    email_verified: z.boolean().optional(),
    expires_in: z.int().min(-EXPIRES_IN_SECONDS_MAX).max(EXPIRES_IN_SECONDS_MAX).optional(),
  })
  .refine((body) => (body.email === undefined) !== (body.client_id === undefined), {
    error: 'Send either email, for a user, or client_id, for a service.',
  })
  .refine((body) => body.role === undefined || body.admin === undefined || body.admin === (body.role === 'admin'), {
    error: 'contradicts admin',
    path: ['role'],
  });
type TokenRequest = z.infer<typeof TokenRequest>;

/** The signing key and its public part. */
interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey | Uint8Array;
  readonly publicJwk: JWK;
}

const loadSigningKey = async (file: string): Promise<SigningKey> => {
  if (!existsSync(file)) {
    const pair = await generateKeyPair('RS256', { extractable: true });
    // Written under another name first, so that a crash leaves no partial key.
    writeFileSync(`${file}.new`, JSON.stringify(await exportJWK(pair.privateKey)), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  const content = readFileSync(file, 'utf8');
  try {
    const jwk = JSON.parse(content) as JWK;
    const { kty, n, e, d } = jwk;
    if (kty !== 'RSA' || d === undefined) throw new Error('it holds no private RSA key');
    const kid = await calculateJwkThumbprint(jwk);
    const publicJwk = { kty, n, e, kid, alg: 'RS256', use: 'sig' } as JWK;
    const privateKey = await importJWK(jwk, 'RS256');
    // A damaged key can have the form of a key.
    await new SignJWT({}).setProtectedHeader({ alg: 'RS256' }).sign(privateKey);
    return { kid, privateKey, publicJwk };
  } catch (cause) {
    throw new StartupError(
      `The file ${file} is damaged: ${(cause as Error).message}. Restore it from a backup, or delete it and start again: the ` +
        'next start creates a new key, and tokens signed with the old one are no longer accepted.',
      { cause },
    );
  }
};

/** Derives the user's id from the email address, so that an address is always the same user. */
const userIdOf = (email: string): string => {
  const bytes = createHash('sha256').update(email.toLowerCase()).digest().subarray(0, 16);
  // Version 8 and the variant of RFC 9562.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

const readTokenRequest = (request: LocalRequest): TokenRequest => {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    throw unsupportedMediaType('application/json');
  let body: unknown;
  try {
    // Leaves out a byte order mark.
    body = JSON.parse(new TextDecoder().decode(request.body));
  } catch (cause) {
    throw invalidInput(`The body is not valid JSON: ${(cause as Error).message}.`);
  }
  return checked(TokenRequest, body);
};

/**
 * The claims of Cognito's access tokens. A user's token names the app client and has the claims that the pre-token
 * trigger adds; a service's token has its own client id. A user pool accepts its registered clients only; here any
 * client id is accepted, and the audience replaces the list.
 */
const claimsOf = ({ client_id, email, email_verified = true, name }: TokenRequest, userId: string): JWTPayload =>
  client_id === undefined
    ? {
        client_id: LOCAL_AUDIENCE,
        username: userId,
        token_use: 'access',
        ...accessClaims({ email: email && asciiLowerCase(email), email_verified: String(email_verified), name }),
      }
    : { client_id, token_use: 'access', aud: LOCAL_AUDIENCE, ...(name !== undefined && { name }) };

/** How long a sign-in waits for the table, whose engine is restarted after a crash, in milliseconds. */
const TABLE_WAIT_MS = 5000;
const RETRY_PAUSE_MS = 100;

/** Repeats idempotent work while the table is unavailable. @throws 503 when it does not return in time. */
const whenAvailable = async (work: () => Promise<void>): Promise<void> => {
  const until = performance.now() + TABLE_WAIT_MS;
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (performance.now() > until) throw unavailable(1);
    }
    await wait(RETRY_PAUSE_MS);
  }
};

/**
 * Creates the routes of the local token issuer. It signs a token for any request.
 * @param keyFile of the signing key; created by the first start, readable by its owner only.
 */
export const createIssuer = async (keyFile: string, issuer: string): Promise<readonly LocalRoute[]> => {
  const key = await loadSigningKey(keyFile);
  const origin = new URL(issuer).origin;
  const discovery = {
    issuer,
    jwks_uri: `${origin}${KEYS_PATH}`,
    authorization_endpoint: `${origin}${AUTHORIZATION_PATH}`,
    token_endpoint: `${origin}${TOKEN_PATH}`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };

  const sign = async (request: TokenRequest, userId: string): Promise<string> => {
    const issuedAt = Math.floor(Date.now() / 1000);
    return await new SignJWT(claimsOf(request, userId))
      .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'JWT' })
      .setIssuer(issuer)
      .setSubject(userId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + (request.expires_in ?? EXPIRES_IN_SECONDS))
      .setJti(randomUUID())
      .sign(key.privateKey);
  };

  /** Stores the role that a request names. */
  const assignRole = async (input: TokenRequest, userId: string): Promise<void> => {
    const role = input.role ?? (input.admin ? 'admin' : undefined);
    if (role === undefined) return;
    const email = input.email === undefined ? null : asciiLowerCase(input.email);
    const name = input.name ?? input.client_id ?? null;
    const emailVerified = email !== null && input.email_verified !== false;
    await whenAvailable(async () => {
      await findOrCreateUser({ sub: userId, email, emailVerified, name, issuedAt: null }, true);
      await setRole(userId, role);
    });
  };

  const authorization = createAuthorization(LOCAL_AUDIENCE);

  /** The type keeps a refresh token from being an access token. */
  const signRefreshToken = async ({ email, name }: TokenRequest): Promise<string> =>
    await new SignJWT({ email, name, client_id: LOCAL_AUDIENCE })
      .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: REFRESH_TYPE })
      .setIssuer(issuer)
      .setIssuedAt()
      .setExpirationTime('30 days')
      .sign(key.privateKey);

  /** The user of a refresh token; undefined for an invalid one. Its role stays as it is. */
  const userOfRefreshToken = async (refreshToken: string): Promise<TokenRequest | undefined> => {
    try {
      const publicKey = await importJWK(key.publicJwk, 'RS256');
      const { payload } = await jwtVerify(refreshToken, publicKey, { issuer, typ: REFRESH_TYPE });
      return TokenRequest.parse({ email: payload.email, name: payload.name });
    } catch {
      return undefined;
    }
  };

  /** The grants of RFC 6749, in a form. */
  const grant = async (form: URLSearchParams) => {
    const type = form.get('grant_type');
    if (form.get('client_id') !== LOCAL_AUDIENCE) return grantError('invalid_client');
    if (type !== 'authorization_code' && type !== 'refresh_token') return grantError('unsupported_grant_type');
    const redeemed = type === 'authorization_code' ? authorization.redeem(form) : undefined;
    const user = redeemed ? localUsers[redeemed] : await userOfRefreshToken(form.get('refresh_token') ?? '');
    if (!user?.email) return grantError('invalid_grant');
    const userId = userIdOf(user.email);
    if (redeemed) await assignRole(user, userId);
    return jsonResponse({
      access_token: await sign(user, userId),
      token_type: 'Bearer',
      expires_in: EXPIRES_IN_SECONDS,
      refresh_token: await signRefreshToken(user),
    });
  };

  const token = async (request: LocalRequest) => {
    if (environment().identity?.issuer !== issuer) {
      throw new AppError('NOT_FOUND', { message: 'OIDC_ISSUER names another issuer: request the token there.' });
    }
    if (/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) {
      return await grant(new URLSearchParams(request.body.toString('utf8')));
    }
    const input = readTokenRequest(request);
    const userId = input.client_id ?? userIdOf(input.email ?? '');
    await assignRole(input, userId);
    return jsonResponse({
      access_token: await sign(input, userId),
      token_type: 'Bearer',
      expires_in: input.expires_in ?? EXPIRES_IN_SECONDS,
      user_id: userId,
    });
  };

  return [
    ...authorization.routes,
    { method: 'POST', path: TOKEN_PATH, respond: token },
    { method: 'GET', path: KEYS_PATH, respond: () => jsonResponse({ keys: [key.publicJwk] }) },
    { method: 'GET', path: '/_local/.well-known/openid-configuration', respond: () => jsonResponse(discovery) },
  ];
};
