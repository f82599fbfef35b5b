import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { userIdsByEmail } from '#data/users.ts';
import { FORBIDDEN, submission, success, UNAUTHORIZED, unique } from '#test/support/fixtures.ts';
import { OWN_SECRETS } from '#test/support/server.ts';
import { ownServer } from '#test/support/with-directory.ts';

/** Accepted and rejected credentials. The test has an issuer of its own so that it can sign arbitrary tokens. */

const AUDIENCE = 'the-directory';
const ADMIN = 'admin@example.com';
const ADMIN_WITH_K = 'frank@example.com';

const { privateKey: signingKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
const keys = createServer((_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ keys: [jwk] }));
}).listen(0, '127.0.0.1');
await once(keys, 'listening');
const issuer = `http://127.0.0.1:${(keys.address() as AddressInfo).port}`;
const server = await ownServer({
  env: {
    ...OWN_SECRETS,
    OIDC_ISSUER: issuer,
    OIDC_JWKS_URI: `${issuer}/keys`,
    OIDC_AUDIENCES: AUDIENCE,
    ADMIN_EMAILS: `${ADMIN},${ADMIN_WITH_K}`,
  },
});

afterAll(() => void keys.close());

const HOUR = 3600;
const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Valid claims with changes; undefined removes a claim. */
const claims = (changes: Record<string, unknown> = {}): JWTPayload => {
  const all = {
    iss: issuer,
    aud: AUDIENCE,
    sub: unique('user'),
    iat: nowSeconds(),
    exp: nowSeconds() + HOUR,
    token_use: 'access',
    ...changes,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
};

const signed = (
  payload: JWTPayload,
  key: CryptoKey | Uint8Array = signingKey,
  header: Record<string, string> = {},
): Promise<string> => new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(key);

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const ownSubmissions = (authorization: string | undefined) =>
  server.call('GET', '/api/me/submissions', { headers: authorization === undefined ? {} : { authorization } });

describe('a token', () => {
  it('of the issuer for this audience is accepted', async () => {
    const token = await signed(claims());
    for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `BEARER  ${token}`]) {
      expect(await ownSubmissions(authorization)).toMatchObject(success([]));
    }
  });

  it.each([
    ['that names this client in client_id and has no audience', { aud: undefined, client_id: AUDIENCE }],
    ['that names this audience among others', { aud: ['other', AUDIENCE] }],
  ])('%s is accepted', async (_, changes) => {
    expect(await ownSubmissions(`Bearer ${await signed(claims(changes))}`)).toMatchObject({ status: 200 });
  });

  it.each<[string, () => Promise<string>]>([
    ['that has expired', () => signed(claims({ exp: nowSeconds() - 60 }))],
    ['that is not valid yet', () => signed(claims({ nbf: nowSeconds() + HOUR }))],
    ['for another audience', () => signed(claims({ aud: 'other' }))],
    ['of another client', () => signed(claims({ aud: undefined, client_id: 'other' }))],
    ['without audience and client', () => signed(claims({ aud: undefined }))],
    ['of another issuer', () => signed(claims({ iss: 'https://issuer.example.net' }))],
    ['for another use', () => signed(claims({ token_use: 'id' }))],
    ['of an ID token', () => signed(claims({ token_use: undefined, nonce: 'n' }))],
    ['with the hash of another token', () => signed(claims({ token_use: undefined, at_hash: 'h' }))],
    ['of a logout', () => signed(claims({ token_use: undefined, events: {} }))],
    ['that never expires', () => signed(claims({ exp: undefined }))],
    ['without a subject', () => signed(claims({ sub: undefined }))],
    ['signed by another key', async () => signed(claims(), (await generateKeyPair('RS256')).privateKey)],
    ['signed by a key that the issuer does not know', () => signed(claims(), signingKey, { kid: 'two' })],
    ['that is unsigned', async () => `${encoded({ alg: 'none', typ: 'JWT' })}.${encoded(claims())}.`],
    [
      'with algorithm none and a signature',
      async () => (await signed(claims())).replace(/^[^.]+/, encoded({ alg: 'none', kid: 'one' })),
    ],
    [
      'signed with the public key as a shared secret',
      async () =>
        signed(claims(), new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey))), { alg: 'HS256' }),
    ],
    [
      'with claims changed after signing',
      async () => (await signed(claims())).replace(/\.[^.]+\./, `.${encoded(claims({ sub: 'other' }))}.`),
    ],
    ['that is malformed', async () => 'nonsense'],
    ['that is empty', async () => ''],
  ])('%s is rejected with 401', async (_, createToken) => {
    expect(await ownSubmissions(`Bearer ${await createToken()}`)).toMatchObject(UNAUTHORIZED);
  });

  it('in another scheme, repeated or missing is rejected with 401', async () => {
    const token = await signed(claims());
    for (const authorization of [undefined, token, `Basic ${token}`, `Bearer ${token} ${token}`, 'Bearer'])
      expect(await ownSubmissions(authorization)).toMatchObject(UNAUTHORIZED);
  });
});

describe('the user record', () => {
  it('is created at the first request, also by concurrent requests', async () => {
    const token = await signed(claims());
    const responses = await Promise.all(Array.from({ length: 10 }, () => ownSubmissions(`Bearer ${token}`)));
    expect(responses.map((response) => response.status)).toEqual(Array(10).fill(200));
  });

  const adminList = async (changes: Record<string, unknown>) =>
    await server.call('GET', '/api/admin/projects', { token: await signed(claims(changes)) });

  it('is an administrator for a verified address of ADMIN_EMAILS', async () => {
    const token = await signed(claims({ email: 'Admin@Example.com', email_verified: true }));
    expect(await server.call('GET', '/api/admin/projects', { token })).toMatchObject({ status: 200 });
    const profile = await server.call('GET', '/api/user/profile', { token });
    expect(profile).toMatchObject(success({ role: 'admin', is_admin: true }));
    expect(await adminList({ email: ADMIN, email_verified: 'true' })).toMatchObject({ status: 200 });
  });

  it('is no administrator for an unverified or other address', async () => {
    expect(await adminList({ email: ADMIN })).toMatchObject(FORBIDDEN);
    expect(await adminList({ email: ADMIN, email_verified: false })).toMatchObject(FORBIDDEN);
    expect(await adminList({ email: `x${ADMIN}`, email_verified: true })).toMatchObject(FORBIDDEN);
    expect(await adminList({ email_verified: true })).toMatchObject(FORBIDDEN);
  });

  it('compares addresses by ASCII case only', async () => {
    // The Kelvin sign, whose lower case in Unicode is the letter k.
    const lookalike = ADMIN_WITH_K.replace('k', '\u212a');
    expect(await adminList({ email: lookalike, email_verified: true })).toMatchObject(FORBIDDEN);
    expect(await adminList({ email: ADMIN_WITH_K.toUpperCase(), email_verified: true })).toMatchObject({ status: 200 });
  });

  it('says whether the address is verified', async () => {
    for (const email_verified of [true, false]) {
      const token = await signed(claims({ email: `${unique('one')}@example.com`, email_verified }));
      expect(await server.call('GET', '/api/user/profile', { token })).toMatchObject(success({ email_verified }));
    }
  });

  it('is found by a verified address only', async () => {
    const email = `${unique('one')}@example.com`;
    const verified = unique('user');
    const changes = { sub: verified, email, email_verified: true };
    await server.call('GET', '/api/user/profile', { token: await signed(claims({ email })) });
    expect(await userIdsByEmail(email)).toEqual([]);
    await server.call('GET', '/api/user/profile', { token: await signed(claims(changes)) });
    expect(await userIdsByEmail(email.toUpperCase())).toEqual([verified]);
  });

  it('receives mail at a verified address only', async () => {
    const token = await signed(claims({ email: ADMIN, email_verified: true }));
    const name = unique('Category');
    const category = await server.call('POST', '/api/admin/categories', { token, body: { name } });
    const { slug } = (category.body as { data: { slug: string } }).data;
    const submitAs = async (email: string, email_verified: boolean) => {
      const response = await server.call('POST', '/api/projects', {
        token: await signed(claims({ email, email_verified })),
        body: submission({ categories: [slug] }),
      });
      expect(response).toMatchObject({ status: 201 });
    };
    const [unverified, verified] = [`${unique('no')}@example.com`, `${unique('yes')}@example.com`];
    await submitAs(unverified, false);
    await submitAs(verified, true);
    const recipients = async () => (await server.mails()).map(({ to }) => to);
    // Events are delivered in order.
    await server.until(async () => (await recipients()).includes(verified));
    expect(await recipients()).not.toContain(unverified);
  });

  it('ignores claims about administrators', async () => {
    expect(await adminList({ is_admin: true, role: 'admin', 'cognito:groups': ['admin'] })).toMatchObject(FORBIDDEN);
  });
});

it('the local token route is disabled when another issuer is configured', async () => {
  const response = await server.call('POST', '/_local/token', { body: { email: ADMIN, admin: true } });
  expect(response.status).toBe(404);
});
