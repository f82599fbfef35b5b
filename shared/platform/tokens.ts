import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { JwtVerifier } from 'aws-jwt-verify';
import { SimpleJwksCache } from 'aws-jwt-verify/jwk';
import type { JwtPayload } from 'aws-jwt-verify/jwt-model';
import { settings } from './settings.ts';

/** What a verified access token says about its bearer. */
export interface Claims {
  /** The identity provider's subject: the user's id. */
  readonly sub: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The issuer's keys could not be had: nothing is known about the token. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

const KEYS_TIMEOUT_MS = 3000;
/** Larger than any issuer's set of keys, in bytes. */
const KEYS_BYTES_MAX = 256 * 1024;

/**
 * Reads what stands at an address; redirects are not followed. By the modules that the SDK has loaded already: `fetch` would
 * be loaded for this one question, and make the first answer of a function a quarter slower.
 */
const download = (url: URL): Promise<ArrayBuffer> =>
  new Promise((resolve, reject) => {
    const ask = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const sent = ask(url, { signal: AbortSignal.timeout(KEYS_TIMEOUT_MS) }, (answer) => {
      if (answer.statusCode !== 200) {
        answer.resume();
        reject(new Error(`it answered ${answer.statusCode}`));
        return;
      }
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > KEYS_BYTES_MAX) answer.destroy(new Error('it answered too much'));
        else chunks.push(chunk);
      });
      answer.once('end', () => resolve(new Uint8Array(Buffer.concat(chunks)).buffer));
      answer.once('error', reject);
    });
    sent.once('error', reject);
    sent.end();
  });

/** Keys travel over https; plain http is taken from this machine only. */
const fetchKeys = async (address: string): Promise<ArrayBuffer> => {
  const url = new URL(address);
  if (url.protocol !== 'https:' && !LOOPBACK.has(url.hostname)) {
    throw new Error('OIDC_JWKS_URI must be an https address.');
  }
  try {
    return await download(url);
  } catch (cause) {
    throw new KeysUnavailable(`The issuer's keys are not to be had from ${url.origin}.`, { cause });
  }
};

/** The longest subject there is, in characters (OpenID Connect Core 1.0, section 2). */
const SUBJECT_MAX = 255;

/** Users are kept under it, so it must be what the table takes as a key. */
const isSubject = (sub: unknown): boolean =>
  typeof sub === 'string' && sub !== '' && sub.length <= SUBJECT_MAX && sub.isWellFormed();

const makeVerifier = () => {
  const { identity } = settings();
  if (!identity) throw new Error('OIDC_ISSUER and OIDC_JWKS_URI say whose tokens are believed and must be set.');
  const { issuer, audiences, jwksUri } = identity;
  return JwtVerifier.create(
    {
      issuer,
      // Cognito's access tokens name their client in `client_id` and have no `aud`, so both are checked below.
      audience: null,
      jwksUri,
      customJwtCheck: ({ payload }) => {
        if (payload.token_use !== undefined && payload.token_use !== 'access') {
          throw new Error('The token is not an access token.');
        }
        const audience = [payload.aud ?? payload.client_id ?? []].flat();
        if (audiences.length > 0 && !audience.some((one) => audiences.includes(String(one)))) {
          throw new Error('The token is for another audience.');
        }
        if (!isSubject(payload.sub)) throw new Error('The token has no subject that anybody could be.');
      },
    },
    { jwksCache: new SimpleJwksCache({ fetcher: { fetch: fetchKeys } }) },
  );
};

let verifier: ReturnType<typeof makeVerifier> | undefined;

const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.toWellFormed() : null;

/**
 * The name of a service. Persons' tokens name a client too, the one that they have signed in with; only where the client is
 * the subject itself does it speak for itself (RFC 9068, section 2.2).
 */
const serviceName = ({ sub, client_id }: JwtPayload): string | null => (client_id === sub ? textOrNull(sub) : null);

/**
 * Checks an access token: signature by the issuer's keys, issuer, audience, time, use.
 * @returns undefined for a token that does not hold.
 * @throws {KeysUnavailable} when the issuer's keys are not to be had.
 */
export const verifyToken = async (token: string): Promise<Claims | undefined> => {
  verifier ??= makeVerifier();
  try {
    const payload = await verifier.verify(token);
    return {
      sub: String(payload.sub),
      email: textOrNull(payload.email)?.toLowerCase() ?? null,
      emailVerified: payload.email_verified === true || payload.email_verified === 'true',
      name: textOrNull(payload.name) ?? serviceName(payload),
    };
  } catch (error) {
    if (error instanceof KeysUnavailable) throw error;
    return undefined;
  }
};
