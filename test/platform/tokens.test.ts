import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
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

const verify = async (answer: RequestListener | undefined, path = '/keys') => {
  server = createServer(answer ?? (() => undefined));
  const listening = server;
  await new Promise<void>((resolve) => {
    listening.listen(0, '127.0.0.1', resolve);
  });
  const { port } = listening.address() as AddressInfo;
  vi.stubEnv('OIDC_JWKS_URI', `http://127.0.0.1:${port}${path}`);
  const { verifyToken } = await import('#platform/tokens.ts');
  return await verifyToken(TOKEN);
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
