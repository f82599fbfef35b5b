import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { longTest } from '#test/support/long-test.ts';

/** Token verification and the fetching of the issuer's keys. */

const TOKEN = [
  { alg: 'RS256', kid: 'one' },
  { iss: 'http://issuer.test', sub: 'u' },
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .concat('c2lnbmF0dXJl')
  .join('.');

let server: Server | undefined;

const verify = async (response: RequestListener | undefined, path = '/keys', token = TOKEN) => {
  server = createServer(response ?? (() => undefined));
  const listening = server;
  await new Promise<void>((resolve) => {
    listening.listen(0, '127.0.0.1', resolve);
  });
  const { port } = listening.address() as AddressInfo;
  vi.stubEnv('OIDC_JWKS_URI', `http://127.0.0.1:${port}${path}`);
  const { verifyToken } = await import('#platform/tokens.ts');
  return await verifyToken(token);
};

beforeEach(() => {
  vi.resetModules();
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('OIDC_ISSUER', 'http://issuer.test');
  vi.stubEnv('OIDC_AUDIENCES', 'web');
});

afterEach(() => {
  vi.unstubAllEnvs();
  server?.closeAllConnections();
  server?.close();
});

/** The identity in a token signed by the issuer, undefined when the token is rejected. */
const verified = async (claims: JWTPayload, header: Record<string, unknown> = {}) => {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(publicKey)), kid: 'one', use: 'sig', alg: 'RS256' };
  const token = await new SignJWT({ iss: 'http://issuer.test', aud: 'web', exp: 4_000_000_000, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
    .sign(privateKey);
  return (await verify((_, response) => response.end(JSON.stringify({ keys: [key] })), '/keys', token))?.identity;
};

it('the service returns the claims of a token signed by the issuer', async () => {
  expect(await verified({ sub: 'u', name: 'Ada', email: 'Ada@example.com' })).toEqual({
    sub: 'u',
    name: 'Ada',
    email: 'ada@example.com',
    emailVerified: false,
  });
});

const nowSeconds = () => Math.floor(Date.now() / 1000);

it.each<readonly [string, JWTPayload]>([
  ['that was issued in the future', { iat: nowSeconds() + 3600 }],
  ['without a subject', { sub: '' }],
  ['whose subject is too long', { sub: 'x'.repeat(256) }],
  ['whose subject is a lone surrogate', { sub: '\ud800' }],
  ['whose subject is a number', { sub: 7 as never }],
])('the service rejects a token %s', async (_, claims) => {
  expect(await verified({ sub: 'u', ...claims })).toBeUndefined();
});

it.each<readonly [unknown]>([[undefined], ['JWT'], ['jwt'], ['at+jwt'], ['AT+JWT'], ['application/at+jwt']])(
  'the service accepts a token of the type %j',
  async (typ) => {
    expect(await verified({ sub: 'u' }, typ === undefined ? {} : { typ })).toMatchObject({ sub: 'u' });
  },
);

it.each<readonly [unknown]>([['dpop+jwt'], ['logout+jwt'], ['ID'], [''], [7], [null]])(
  'the service rejects a token of the type %j',
  async (typ) => {
    expect(await verified({ sub: 'u' }, { typ })).toBeUndefined();
  },
);

it('the service accepts tokens of an issuer whose clock is a little ahead', async () => {
  expect(await verified({ sub: 'u', iat: nowSeconds() + 20 })).toMatchObject({ sub: 'u' });
});

it('the verification of tokens requires an audience in the settings', async () => {
  vi.stubEnv('OIDC_AUDIENCES', ' , ');
  await expect(verified({ sub: 'u' })).rejects.toThrow('OIDC_AUDIENCES must name at least one audience');
});

it('the name in a token has no lone surrogates, which the table cannot store', async () => {
  expect(await verified({ sub: 'u', name: 'A\ud800' })).toMatchObject({ name: 'A\ufffd' });
});

it('the service rejects a token whose key the issuer does not have', async () => {
  expect(await verify((_, response) => response.end(JSON.stringify({ keys: [] })))).toBeUndefined();
});

it.each<readonly [string, RequestListener]>([
  ['responds with 500', (_, response) => response.writeHead(500).end()],
  ['redirects', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['closes the connection', (request) => request.socket.destroy()],
  [
    'closes the connection within the body',
    (_, response) => response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
  ],
  ['sends an oversized key set', (_, response) => response.end(Buffer.alloc(300 * 1024, ' '))],
])('the verification of a token throws KeysUnavailable when the issuer %s', async (_, response) => {
  await expect(verify(response)).rejects.toMatchObject({ name: 'KeysUnavailable' });
});

longTest(
  'the verification of a token throws KeysUnavailable after a timeout when the issuer does not respond',
  async () => {
    await expect(verify(undefined)).rejects.toMatchObject({ name: 'KeysUnavailable' });
  },
);

it('the service does not fetch keys over plain http from another host', async () => {
  vi.stubEnv('OIDC_JWKS_URI', 'http://issuer.test/keys');
  const { verifyToken } = await import('#platform/tokens.ts');
  await expect(verifyToken(TOKEN)).rejects.toThrow('OIDC_JWKS_URI must be an https address');
});
