import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startFaultProxy } from '#test/support/fault-proxy.ts';
import { OWN_SECRETS } from '#test/support/server.ts';
import { ownServer } from '#test/support/with-directory.ts';

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

// Port 1 is reserved, so nothing listens on it.
const issuer = await startFaultProxy('http://127.0.0.1:1');
const server = await ownServer({
  env: { ...OWN_SECRETS, OIDC_ISSUER: issuer.url, OIDC_JWKS_URI: `${issuer.url}/keys`, OIDC_AUDIENCES: 'web' },
});
const exp = Math.floor(Date.now() / 1000) + 3600;
const claims = { iss: issuer.url, aud: 'web', sub: 'u', exp };
const token = `${encode({ alg: 'RS256', kid: 'k', typ: 'JWT' })}.${encode(claims)}.c2lnbmVk`;

afterAll(() => issuer.stop());

describe.each([
  ['is unreachable', undefined],
  ['responds with a page', { status: 200, type: 'text/html', body: '<h1>Maintenance</h1>' }],
  ['responds without keys', { status: 200, type: 'application/json', body: '{"message":"maintenance"}' }],
  ['responds with something else', { status: 200, type: 'application/json', body: '{"keys":[{}]}' }],
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
