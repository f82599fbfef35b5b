import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUser } from '#domain/users/user.ts';
import { FORBIDDEN, UNAUTHORIZED, unique } from '#test/support/fixtures.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** Which credentials are believed, with an issuer of the test's own so that it can sign whatever it likes. */

const AUDIENCE = 'the-directory';
const BOSS = 'boss@example.com';

let world: TestWorld;
let keys: Server;
let issuer: string;
let signingKey: CryptoKey;
let publicKey: CryptoKey;

beforeAll(async () => {
  const pair = await generateKeyPair('RS256', { extractable: true });
  signingKey = pair.privateKey;
  publicKey = pair.publicKey;
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  keys = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: [jwk] }));
  }).listen(0, '127.0.0.1');
  await once(keys, 'listening');
  issuer = `http://127.0.0.1:${(keys.address() as AddressInfo).port}`;
  world = await startTestWorld({
    env: { OIDC_ISSUER: issuer, OIDC_JWKS_URI: `${issuer}/keys`, OIDC_AUDIENCES: AUDIENCE, ADMIN_EMAILS: BOSS },
  });
});

afterAll(async () => {
  await world.stop();
  keys.close();
});

const HOUR = 3600;
const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Good claims with changes; undefined leaves one out. */
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
  head: Record<string, string> = {},
): Promise<string> => new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'one', ...head }).sign(key);

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const mine = (authorization: string | undefined) =>
  world.call('GET', '/api/me/submissions', { headers: authorization === undefined ? {} : { authorization } });

describe('a token', () => {
  it('of the issuer for this audience is believed', async () => {
    const token = await signed(claims());
    for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `BEARER  ${token}`]) {
      expect(await mine(authorization)).toMatchObject({ status: 200, body: { data: [] } });
    }
  });

  it('that names this client in client_id and has no audience is believed', async () => {
    expect(await mine(`Bearer ${await signed(claims({ aud: undefined, client_id: AUDIENCE }))}`)).toMatchObject({
      status: 200,
    });
  });

  it('that names this audience among others is believed', async () => {
    expect(await mine(`Bearer ${await signed(claims({ aud: ['other', AUDIENCE] }))}`)).toMatchObject({ status: 200 });
  });

  it.each<[string, () => Promise<string>]>([
    ['that is expired', () => signed(claims({ exp: nowSeconds() - 60 }))],
    ['that is not valid yet', () => signed(claims({ nbf: nowSeconds() + HOUR }))],
    ['for another audience', () => signed(claims({ aud: 'somebody-else' }))],
    ['of another client', () => signed(claims({ aud: undefined, client_id: 'somebody-else' }))],
    ['without audience and client', () => signed(claims({ aud: undefined }))],
    ['of another issuer', () => signed(claims({ iss: 'https://issuer.example.net' }))],
    ['for another use', () => signed(claims({ token_use: 'id' }))],
    ['without a subject', () => signed(claims({ sub: undefined }))],
    ['signed by another key', async () => signed(claims(), (await generateKeyPair('RS256')).privateKey)],
    ['signed by a key that the issuer does not know', () => signed(claims(), signingKey, { kid: 'two' })],
    ['that is unsigned', async () => `${encoded({ alg: 'none', typ: 'JWT' })}.${encoded(claims())}.`],
    [
      'that says none and has a signature',
      async () => (await signed(claims())).replace(/^[^.]+/, encoded({ alg: 'none', kid: 'one' })),
    ],
    [
      'signed with the public key as a shared secret',
      async () =>
        signed(claims(), new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey))), { alg: 'HS256' }),
    ],
    [
      'with other claims than those that were signed',
      async () => (await signed(claims())).replace(/\.[^.]+\./, `.${encoded(claims({ sub: 'somebody-else' }))}.`),
    ],
    ['that is no token', async () => 'nonsense'],
    ['that is empty', async () => ''],
  ])('%s is 401', async (_, make) => {
    const token = await make();
    for (const [method, path] of [
      ['GET', '/api/me/submissions'],
      ['POST', '/api/projects'],
      ['POST', '/api/projects/x/upvote'],
    ] as const) {
      const answer = await world.call(method, path, { headers: { authorization: `Bearer ${token}` } });
      expect({ status: answer.status, body: answer.body }).toEqual(UNAUTHORIZED);
    }
    const asAdmin = await world.call('GET', '/api/admin/projects', { headers: { authorization: `Bearer ${token}` } });
    expect({ status: asAdmin.status, body: asAdmin.body }).toEqual(FORBIDDEN);
    expect(await world.call('GET', '/api/projects', { headers: { authorization: `Bearer ${token}` } })).toMatchObject({
      status: 200,
    });
  });

  it('in another scheme, twice, or missing is 401', async () => {
    const token = await signed(claims());
    for (const authorization of [
      undefined,
      token,
      `Basic ${token}`,
      `Token ${token}`,
      `Bearer ${token} ${token}`,
      'Bearer',
    ]) {
      expect(await mine(authorization)).toMatchObject(UNAUTHORIZED);
    }
  });
});

describe('the user record', () => {
  const submit = (token: string) =>
    world.call('POST', '/api/projects', {
      token,
      body: {
        plan: 'premium',
        name: 'x',
        url: 'https://x.example.com',
        description: 'x',
        pricing_type: 'free',
        categories: ['x'],
      },
    });

  it('is made at first sight, also of many requests at once', async () => {
    const token = await signed(claims());
    const answers = await Promise.all(Array.from({ length: 10 }, () => mine(`Bearer ${token}`)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200));
    expect((await submit(token)).status).not.toBe(401);
  });

  const adminList = async (changes: Record<string, unknown>) =>
    await world.call('GET', '/api/admin/projects', { token: await signed(claims(changes)) });

  it('is an administrator for a verified address of ADMIN_EMAILS', async () => {
    expect(await adminList({ email: 'Boss@Example.com', email_verified: true })).toMatchObject({ status: 200 });
    expect(await adminList({ email: BOSS, email_verified: 'true' })).toMatchObject({ status: 200 });
  });

  it('is none for an address that is not verified, or another one', async () => {
    expect(await adminList({ email: BOSS })).toMatchObject(FORBIDDEN);
    expect(await adminList({ email: BOSS, email_verified: false })).toMatchObject(FORBIDDEN);
    expect(await adminList({ email: `x${BOSS}`, email_verified: true })).toMatchObject(FORBIDDEN);
    expect(await adminList({ email_verified: true })).toMatchObject(FORBIDDEN);
  });

  it('does not believe a token about administrators', async () => {
    expect(await adminList({ is_admin: true, role: 'admin', 'cognito:groups': ['admin'] })).toMatchObject(FORBIDDEN);
  });

  it('keeps role and is_admin in step from the beginning', () => {
    const identity = { sub: 'one', email: BOSS, emailVerified: true, name: null };
    expect(newUser(identity, [BOSS], '')).toMatchObject({ role: 'admin', is_admin: true });
    expect(newUser({ ...identity, emailVerified: false }, [BOSS], '')).toMatchObject({ role: 'user', is_admin: false });
    expect(newUser({ ...identity, email: null }, [BOSS], '')).toMatchObject({ role: 'user', is_admin: false });
  });
});

it('gives no tokens away when another issuer is configured', async () => {
  const answer = await world.call('POST', '/_local/token', { body: { email: BOSS, admin: true } });
  expect(answer.status).toBe(404);
});
