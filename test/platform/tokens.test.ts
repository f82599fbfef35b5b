import { generateKeyPairSync, sign } from 'node:crypto';
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

/** The identity in a token signed by the issuer, undefined when the token is rejected. @param others keys of the issuer. */
const verified = async (claims: JWTPayload, header: Record<string, unknown> = {}, others: readonly unknown[] = []) => {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(publicKey)), kid: 'one', use: 'sig', alg: 'RS256' };
  const token = await new SignJWT({ iss: 'http://issuer.test', aud: 'web', exp: 4_000_000_000, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
    .sign(privateKey);
  return (
    await verify((_, response) => response.end(JSON.stringify({ keys: [...others, key, ...others] })), '/keys', token)
  )?.identity;
};

it('the service returns the claims of a token signed by the issuer', async () => {
  expect(await verified({ sub: 'u', name: 'Ada', email: 'Ada@example.com' })).toEqual({
    sub: 'u',
    name: 'Ada',
    email: 'ada@example.com',
    emailVerified: false,
    issuedAt: null,
  });
});

it('the service returns when a token was issued', async () => {
  expect(await verified({ sub: 'u', iat: 1_700_000_000 })).toMatchObject({ issuedAt: '2023-11-14T22:13:20.000Z' });
});

const nowSeconds = () => Math.floor(Date.now() / 1000);

it.each<readonly [string, JWTPayload]>([
  ['that was issued in the future', { iat: nowSeconds() + 3600 }],
  ['that is not yet valid', { nbf: nowSeconds() + 3600 }],
  ['that has just expired', { exp: nowSeconds() - 2 }],
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

it.each(['iat', 'nbf'])(
  'the service accepts tokens whose %s is a little ahead, by the clock of the issuer',
  async (claim) => {
    expect(await verified({ sub: 'u', [claim]: nowSeconds() + 20 })).toMatchObject({ sub: 'u' });
  },
);

it.each<readonly [unknown]>([[['x']], [['exp']], [['b64', 'x']], [[]], ['x'], [null]])(
  'the service rejects a token whose critical extensions are %j',
  async (crit) => {
    // The library that signs here refuses such headers.
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = { ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' };
    const claims = { iss: 'http://issuer.test', aud: 'web', sub: 'u', exp: 4_000_000_000 };
    const tokenWith = (header: object): string => {
      const signed = [{ alg: 'RS256', kid: 'one', x: 1, b64: true, ...header }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url')}`;
    };
    const issuer: RequestListener = (_, response) => response.end(JSON.stringify({ keys: [key] }));
    expect(await verify(issuer, '/keys', tokenWith({ crit }))).toBeUndefined();
    expect(await verify(issuer, '/keys', tokenWith({}))).toMatchObject({ identity: { sub: 'u' } });
  },
);

const UNUSABLE: readonly unknown[] = [
  {},
  null,
  'key',
  7,
  { kid: 'one' },
  { kty: 7, kid: 'two' },
  { kty: 'RSA', kid: 'two', n: 7, e: 'AQAB' },
  { kty: 'RSA', kid: 'one', use: 'sig', e: 'AQAB' },
  { kty: 'oct', kid: 'one', k: 'c2VjcmV0' },
  { kty: 'RSA', kid: 'one', use: 'enc', n: 'AQAB', e: 'AQAB' },
  { kty: 'EC', kid: 'one', crv: 'P-256', x: 'AQAB' },
  { kty: 'AKP', kid: 'one', alg: 'ML-DSA-44', pub: 'AQAB' },
];

it.each<readonly [readonly unknown[]]>([...UNUSABLE.map((key) => [[key]] as const), [UNUSABLE]])(
  'the service skips keys that it cannot use, which the issuer publishes beside a good one: %j',
  async (others) => {
    expect(await verified({ sub: 'u' }, {}, others)).toMatchObject({ sub: 'u' });
  },
);

it('the verification of tokens requires an audience in the settings', async () => {
  vi.stubEnv('OIDC_AUDIENCES', ' , ');
  await expect(verified({ sub: 'u' })).rejects.toThrow('OIDC_AUDIENCES must name at least one audience');
});

it('the name in a token has no lone surrogates, which the table cannot store', async () => {
  expect(await verified({ sub: 'u', name: 'A\ud800' })).toMatchObject({ name: 'A\ufffd' });
});

it('the service rejects a token whose key the issuer does not have', async () => {
  const key = { ...(await exportJWK((await generateKeyPair('RS256')).publicKey)), kid: 'other' };
  expect(await verify((_, response) => response.end(JSON.stringify({ keys: [key] })))).toBeUndefined();
});

it.each<readonly [string, RequestListener]>([
  ['responds with 500', (_, response) => response.writeHead(500).end()],
  ['redirects', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['closes the connection', (request) => request.socket.destroy()],
  [
    'closes the connection within the body',
    (_, response) => response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
  ],
  ['publishes no key', (_, response) => response.end(JSON.stringify({ keys: [] }))],
  ['publishes no usable key', (_, response) => response.end(JSON.stringify({ keys: UNUSABLE }))],
  ['sends keys that are no list', (_, response) => response.end('{"keys":{"kty":"RSA"}}')],
  ['sends a page', (_, response) => response.end('<html></html>')],
  ['sends null', (_, response) => response.end('null')],
  ['sends bytes that are not UTF-8', (_, response) => response.end(Buffer.from([0x7b, 0xff, 0x7d]))],
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
