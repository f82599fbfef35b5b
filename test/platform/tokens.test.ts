import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

/** How an issuer's keys are fetched, and what is said when they cannot be. */

const TOKEN = [
  { alg: 'RS256', kid: 'one' },
  { iss: 'http://issuer.test', sub: 'u' },
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .concat('c2lnbmF0dXJl')
  .join('.');

let server: Server | undefined;

const verify = async (answer: RequestListener | undefined, path = '/keys', token = TOKEN) => {
  server = createServer(answer ?? (() => undefined));
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
});

afterEach(() => {
  vi.unstubAllEnvs();
  server?.closeAllConnections();
  server?.close();
});

/** What is believed of a token that the issuer has signed. */
const believed = async (claims: JWTPayload) => {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(publicKey)), kid: 'one', use: 'sig', alg: 'RS256' };
  const token = await new SignJWT({ iss: 'http://issuer.test', exp: 4_000_000_000, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .sign(privateKey);
  return await verify((_, answer) => answer.end(JSON.stringify({ keys: [key] })), '/keys', token);
};

it('believes what the issuer has signed', async () => {
  expect(await believed({ sub: 'u', name: 'Ada', email: 'Ada@example.com' })).toEqual({
    sub: 'u',
    name: 'Ada',
    email: 'ada@example.com',
    emailVerified: false,
  });
});

it.each<readonly [string, unknown]>([
  ['empty', ''],
  ['longer than any', 'x'.repeat(256)],
  ['half a character', '\ud800'],
  ['a number', 7],
])('believes no token whose subject is %s', async (_, sub) => {
  expect(await believed({ sub: sub as string })).toBeUndefined();
});

it('makes text of what is none, for no table takes half a character', async () => {
  expect(await believed({ sub: 'u', name: 'A\ud800' })).toMatchObject({ name: 'A\ufffd' });
});

it('believes no token whose key the issuer does not have', async () => {
  expect(await verify((_, answer) => answer.end(JSON.stringify({ keys: [] })))).toBeUndefined();
});

it.each<readonly [string, RequestListener]>([
  ['fails', (_, answer) => answer.writeHead(500).end()],
  ['leads elsewhere', (_, answer) => answer.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['hangs up', (request) => request.socket.destroy()],
  [
    'hangs up half-way',
    (_, answer) => answer.writeHead(200, { 'content-length': '100' }).write('{', () => answer.destroy()),
  ],
  ['never ends', (_, answer) => answer.end(Buffer.alloc(300 * 1024, ' '))],
])('says that the keys are not to be had when the issuer %s', async (_, answer) => {
  await expect(verify(answer)).rejects.toMatchObject({ name: 'KeysUnavailable' });
});

it('says so in time when the issuer does not answer', { timeout: 10_000 }, async () => {
  await expect(verify(undefined)).rejects.toMatchObject({ name: 'KeysUnavailable' });
});

it('asks nobody over plain http but this machine', async () => {
  vi.stubEnv('OIDC_JWKS_URI', 'http://issuer.test/keys');
  const { verifyToken } = await import('#platform/tokens.ts');
  expect(await verifyToken(TOKEN)).toBeUndefined();
});
