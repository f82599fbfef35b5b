import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ErrorResponse, type FaultProxy, startFaultProxy } from '#test/support/fault-proxy.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';

/** Credentials while the keys of the issuer cannot be fetched. */

let issuer: FaultProxy;
let server: TestServer;
let token: string;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

beforeAll(async () => {
  // Port 1 is reserved, so nothing listens on it.
  issuer = await startFaultProxy('http://127.0.0.1:1');
  server = await startTestServer({ env: { OIDC_ISSUER: issuer.url, OIDC_JWKS_URI: `${issuer.url}/keys` } });
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const claims = { iss: issuer.url, sub: 'u', exp };
  token = `${encode({ alg: 'RS256', kid: 'k', typ: 'JWT' })}.${encode(claims)}.c2lnbmVk`;
});

afterAll(async () => {
  await server.stop();
  await issuer.stop();
});

const html = (status: number): ErrorResponse => ({ status, type: 'text/html', body: '<h1>Maintenance</h1>' });
const json = (body: string): ErrorResponse => ({ status: 200, type: 'application/json', body });

describe.each([
  ['is unreachable', undefined],
  ['fails', html(500)],
  ['responds with a page', html(200)],
  ['responds without keys', json('{"message":"maintenance"}')],
  ['responds with something else', json('{"keys":[{}]}')],
] as const)('while the issuer %s', (_, response) => {
  beforeEach(() => issuer.fail(() => response));

  it.each(['/api/user/profile', '/api/admin/projects'])('%s returns 503 with Retry-After', async (path) => {
    const { status, headers, body } = await server.call('GET', path, { token });
    expect([status, body]).toMatchObject([503, { error: 'Unavailable', code: 'UNAVAILABLE' }]);
    expect(headers.get('retry-after')).toBe(String((body as { retryAfter: number }).retryAfter));
  });

  it('a public route ignores the credential', async () => {
    expect(await server.call('GET', '/api/projects/none', { token })).toMatchObject({ status: 404 });
    expect(await server.call('GET', '/api/projects', { token })).toMatchObject({ status: 200 });
  });
});
