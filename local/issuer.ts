import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import * as z from 'zod';
import { checked } from '#contract/checked.ts';
import { makeAdmin } from '#data/user-admin.ts';
import { userAtFirstSight } from '#data/users.ts';
import { accessClaims } from '#domain/users/claims.ts';
import { settings } from '#platform/settings.ts';
import { AppError, invalidInput, unsupportedMediaType } from '#shared/errors.ts';
import { jsonAnswer, type LocalRequest, type LocalRoute } from './local-route.ts';

/** The audience of the tokens that the local issuer signs. */
export const LOCAL_AUDIENCE = 'directory-local';
/** Where the local issuer's keys are. */
export const KEYS_PATH = '/_local/.well-known/jwks.json';

const EXPIRES_IN = 3600;
const TEN_YEARS = 10 * 365 * 86_400;

const TokenRequest = z
  .object({
    email: z.email().max(254).optional(),
    client_id: z
      .string()
      .trim()
      .min(1)
      .max(128)
      .regex(/^[\w.:-]+$/, { error: 'may have letters, digits and . : - _' })
      .optional(),
    name: z.string().trim().min(1).max(100).optional(),
    admin: z.boolean().optional(),
    expires_in: z.int().min(-TEN_YEARS).max(TEN_YEARS).optional(),
  })
  .refine((body) => (body.email === undefined) !== (body.client_id === undefined), {
    error: 'Send either email, for a user, or client_id, for a service.',
  });
type TokenRequest = z.infer<typeof TokenRequest>;

/** The issuer's signing key with its public half. */
interface SigningKey {
  readonly kid: string;
  readonly secret: CryptoKey | Uint8Array;
  readonly open: JWK;
}

const signingKey = async (file: string): Promise<SigningKey> => {
  if (!existsSync(file)) {
    const pair = await generateKeyPair('RS256', { extractable: true });
    // Under another name first: a start that dies here must not leave half a key.
    writeFileSync(`${file}.new`, JSON.stringify(await exportJWK(pair.privateKey)), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  const jwk = JSON.parse(readFileSync(file, 'utf8')) as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  const { kty, n, e } = jwk;
  return { kid, secret: await importJWK(jwk, 'RS256'), open: { kty, n, e, kid, alg: 'RS256', use: 'sig' } as JWK };
};

/** The same address is always the same user. */
const userIdOf = (email: string): string => {
  const bytes = createHash('sha256').update(email.toLowerCase()).digest().subarray(0, 16);
  // The marks of a name-based UUID of no standard hash (RFC 9562, version 8).
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
    body = JSON.parse(request.body.toString('utf8'));
  } catch (cause) {
    throw invalidInput(`The body is not valid JSON: ${(cause as Error).message}.`);
  }
  return checked(TokenRequest, body);
};

/**
 * What a token says of its bearer, as in Cognito's access tokens. A person's has the client that he signed in with and what
 * the trigger adds; a service is its own client and has nothing else. A pool would know its services: here anybody may be
 * one, and an audience has to stand in for the list.
 */
const claimsOf = ({ client_id, email, name }: TokenRequest, userId: string): JWTPayload =>
  client_id === undefined
    ? {
        client_id: LOCAL_AUDIENCE,
        username: userId,
        token_use: 'access',
        ...accessClaims({ email: email?.toLowerCase(), email_verified: 'true', name }),
      }
    : { client_id, token_use: 'access', aud: LOCAL_AUDIENCE, ...(name !== undefined && { name }) };

/**
 * Makes the local issuer: it signs a token for whoever asks, with a key of its own that is kept between runs.
 * @param keyFile where the key is; made at the first start, readable for its owner only.
 */
export const makeIssuer = async (keyFile: string, issuer: string): Promise<readonly LocalRoute[]> => {
  const key = await signingKey(keyFile);

  const sign = async (request: TokenRequest, userId: string): Promise<string> => {
    const issuedAt = Math.floor(Date.now() / 1000);
    return await new SignJWT(claimsOf(request, userId))
      .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'JWT' })
      .setIssuer(issuer)
      .setSubject(userId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + (request.expires_in ?? EXPIRES_IN))
      .setJti(randomUUID())
      .sign(key.secret);
  };

  const token = async (request: LocalRequest) => {
    if (settings().identity?.issuer !== issuer) {
      throw new AppError('NOT_FOUND', { message: 'OIDC_ISSUER names another issuer: ask that one for tokens.' });
    }
    const asked = readTokenRequest(request);
    const userId = asked.client_id ?? userIdOf(asked.email ?? '');
    if (asked.admin) {
      const email = asked.email?.toLowerCase() ?? null;
      const name = asked.name ?? asked.client_id ?? null;
      await userAtFirstSight({ sub: userId, email, emailVerified: email !== null, name });
      await makeAdmin(userId);
    }
    return jsonAnswer({
      access_token: await sign(asked, userId),
      token_type: 'Bearer',
      expires_in: asked.expires_in ?? EXPIRES_IN,
      user_id: userId,
    });
  };

  return [
    { method: 'POST', path: '/_local/token', answer: token },
    { method: 'GET', path: KEYS_PATH, answer: () => jsonAnswer({ keys: [key.open] }) },
  ];
};
