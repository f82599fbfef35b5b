import { once } from 'node:events';
import { statSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { createRemoteJWKSet, type JWK, type JWTPayload, jwtVerify } from 'jose';
import { expect, it, vi } from 'vitest';
import { environment } from '#platform/environment.ts';
import { ownServer } from '#test/support/with-directory.ts';

const server = await ownServer();

interface TokenResponse {
  access_token: string;
  token_type: string;
  expires_in: number;
  user_id: string;
}

const requestToken = async (body: unknown): Promise<TokenResponse> => {
  const response = await server.call('POST', '/_local/token', { body });
  expect(response.status).toBe(200);
  return response.body as TokenResponse;
};

const claimsOf = async (token: string): Promise<JWTPayload> => {
  const keys = createRemoteJWKSet(new URL('/_local/.well-known/jwks.json', server.url));
  return (await jwtVerify(token, keys, { algorithms: ['RS256'] })).payload;
};

it('a token is signed with the published key and identifies the user', async () => {
  const { access_token, ...rest } = await requestToken({ email: 'Ada@Example.com', name: 'Ada Lovelace' });
  expect(rest).toEqual({
    token_type: 'Bearer',
    expires_in: 3600,
    user_id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
  });
  const claims = await claimsOf(access_token);
  expect(claims).toEqual({
    iss: `http://localhost:${server.server.port}/_local`,
    sub: rest.user_id,
    client_id: 'directory-local',
    username: rest.user_id,
    token_use: 'access',
    email: 'ada@example.com',
    email_verified: 'true',
    name: 'Ada Lovelace',
    iat: expect.any(Number),
    exp: Number(claims.iat) + 3600,
    jti: expect.any(String),
  });
});

it('a token is for the same user for any case of an email, and for different users otherwise', async () => {
  const [one, same, other] = [
    await requestToken({ email: 'x@example.com' }),
    await requestToken({ email: 'X@EXAMPLE.com' }),
    await requestToken({ email: 'y@example.com' }),
  ];
  expect(same.user_id).toBe(one.user_id);
  expect(other.user_id).not.toBe(one.user_id);
  expect(same.access_token).not.toBe(one.access_token);
});

it('a token can state that the email is not verified', async () => {
  const { access_token } = await requestToken({ email: 'unverified@example.com', email_verified: false });
  expect(await claimsOf(access_token)).toMatchObject({ email: 'unverified@example.com', email_verified: 'false' });
  const { body } = await server.call('GET', '/api/user/export', { token: access_token });
  expect(JSON.stringify(body)).toContain('"email_verified":false');
});

it('a token can be issued to a service', async () => {
  const { access_token, user_id } = await requestToken({ client_id: 'importer' });
  expect(user_id).toBe('importer');
  const claims = await claimsOf(access_token);
  expect(claims).toMatchObject({ sub: 'importer', client_id: 'importer', token_use: 'access' });
  for (const personal of ['email', 'email_verified', 'username']) expect(claims).not.toHaveProperty(personal);
  const response = await server.call('GET', '/api/me/submissions', { token: access_token });
  expect(response.status).toBe(200);
});

it('a token expires as requested', async () => {
  const { access_token, expires_in } = await requestToken({ email: 'x@example.com', expires_in: -60 });
  expect(expires_in).toBe(-60);
  await expect(claimsOf(access_token)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
});

it('a token request makes a new or an existing user an administrator', async () => {
  const token = await server.token({ email: 'grace@example.com' });
  expect((await server.call('GET', '/api/admin/projects', { token })).status).toBe(403);
  await requestToken({ email: 'Grace@example.com', admin: true });
  expect((await server.call('GET', '/api/admin/projects', { token })).status).toBe(200);
});

it('a token request sets the role of a new or an existing user', async () => {
  const roleOf = async (body: object) => {
    const { access_token } = await requestToken({ email: 'mira@example.com', ...body });
    const profile = await server.call('GET', '/api/user/profile', { token: access_token });
    const { role, is_admin } = (profile.body as { data: { role: string; is_admin: boolean } }).data;
    return [role, is_admin];
  };
  expect(await roleOf({ role: 'moderator' })).toEqual(['moderator', false]);
  expect(await roleOf({})).toEqual(['moderator', false]);
  expect(await roleOf({ role: 'admin', admin: true })).toEqual(['admin', true]);
  expect(await roleOf({ role: 'user' })).toEqual(['user', false]);
});

it.each([
  ['an unknown role', { email: 'x@example.com', role: 'owner' }, 'role'],
  ['a role that contradicts admin', { email: 'x@example.com', role: 'user', admin: true }, 'role'],
  ['an empty object', {}, ''],
  ['both email and client_id', { email: 'x@example.com', client_id: 'y' }, ''],
  ['an invalid address', { email: 'ada' }, 'email'],
  ['a number as address', { email: 1 }, 'email'],
  ['an empty client id', { client_id: ' ' }, 'client_id'],
  ['a client id with a slash', { client_id: 'a/b' }, 'client_id'],
  ['a string as admin', { email: 'x@example.com', admin: 'yes' }, 'admin'],
  ['a string as expires_in', { email: 'x@example.com', expires_in: '60' }, 'expires_in'],
  ['a fraction of a second', { email: 'x@example.com', expires_in: 0.5 }, 'expires_in'],
  ['a list', [], ''],
  ['null', null, ''],
])('a token is rejected with 400 for %s', async (_, body, field) => {
  const response = await server.call('POST', '/_local/token', { rawBody: JSON.stringify(body) });
  expect(response.status).toBe(400);
  expect(response.body).toMatchObject({
    error: 'Invalid input',
    code: 'INVALID_INPUT',
    details: { _errors: expect.any(Array) },
  });
  const { details } = response.body as { details: Record<string, { _errors: string[] }> };
  if (field) expect(details[field]?._errors.length).toBeGreaterThan(0);
});

it('a token request with a malformed body or another media type is rejected', async () => {
  expect((await server.call('POST', '/_local/token', { rawBody: '{"email":' })).status).toBe(400);
  const form = { rawBody: '{"email":"x@example.com"}', headers: { 'content-type': 'text/plain' } };
  expect((await server.call('POST', '/_local/token', form)).body).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
});

it('a token request may be compressed and begin with a byte order mark, within the limit of its inflated bytes', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const sent = (text: string) => server.call('POST', '/_local/token', { rawBody: gzipSync(text), headers });
  expect((await sent('\ufeff{"email":"x@example.com"}')).status).toBe(200);
  expect(await sent(`{"email":"x@example.com","more":"${'x'.repeat(70_000)}"}`)).toMatchObject({
    status: 413,
    body: { code: 'PAYLOAD_TOO_LARGE', message: 'The limit is 65536 bytes.' },
  });
});

it('no token is issued under host names that resolve to the loopback (DNS rebinding)', async () => {
  for (const host of [
    'evil.example',
    `evil.example:${server.server.port}`,
    'localhost.evil.example',
    'sub.localhost',
    '127.0.0.1.evil.example',
  ]) {
    const response = await server.call('POST', '/_local/token', {
      body: { email: 'x@example.com' },
      headers: { host },
    });
    expect([host, response.status, response.body]).toMatchObject([host, 403, { code: 'FORBIDDEN' }]);
    for (const target of ['/', '/docs', '/api/projects', '/api/nothing', '/_local/mail']) {
      const { port } = server.server;
      const sent = httpRequest({ hostname: '127.0.0.1', port, path: target, headers: { host }, agent: false }).end();
      const [other] = (await once(sent, 'response')) as [IncomingMessage];
      const body = Buffer.concat(await other.toArray()).toString();
      expect([target, other.statusCode, body]).toEqual([target, 403, '{"error":"Forbidden","code":"FORBIDDEN"}']);
    }
  }
  const local = await server.call('POST', '/_local/token', {
    body: { email: 'x@example.com' },
    headers: { host: 'localhost:3000' },
  });
  expect(local.status).toBe(200);
});

it('a token requested at another address of this machine, or another port in front, is valid', async () => {
  for (const host of [`127.0.0.1:${server.server.port}`, `[::1]:${server.server.port}`, 'localhost:8080']) {
    const headers = { host, origin: `http://${host}` };
    const { status, body } = await server.call('POST', '/_local/token', { body: { email: 'a@example.com' }, headers });
    expect([host, status]).toEqual([host, 200]);
    const authorization = `Bearer ${(body as TokenResponse).access_token}`;
    const profile = await server.call('GET', '/api/user/profile', { headers: { host, authorization } });
    expect([host, profile.status]).toEqual([host, 200]);
  }
});

it('nothing under /_local/ but keys and signed storage answers requests that a proxy forwarded', async () => {
  const body = { email: 'x@example.com' };
  for (const headers of [
    { 'x-forwarded-for': '203.0.113.9' },
    { 'x-forwarded-host': 'directory.example' },
    { forwarded: 'for=203.0.113.9' },
    { via: '1.1 proxy' },
  ]) {
    const refused = { status: 404, body: { code: 'NOT_FOUND' } };
    expect(await server.call('POST', '/_local/token', { body, headers })).toMatchObject(refused);
    expect(await server.call('POST', '/%5Flocal/token', { body, headers })).toMatchObject(refused);
    for (const page of ['/_local/mail', '/_local/events', '/_local/dead-letters', '/_local/checkout/x']) {
      expect(await server.call('GET', page, { headers })).toMatchObject(refused);
    }
    expect(await server.call('GET', '/_local/.well-known/jwks.json', { headers })).toMatchObject({ status: 200 });
    expect(await server.call('PUT', '/_local/storage/uploads/x', { rawBody: 'x', headers })).toMatchObject({
      status: 403,
    });
  }
  const isDeployed = vi.spyOn(environment(), 'httpsOnly', 'get').mockReturnValue(true);
  expect(await server.call('POST', '/_local/token', { body })).toMatchObject({ status: 404 });
  expect(await server.call('GET', '/_local/mail')).toMatchObject({ status: 404 });
  isDeployed.mockRestore();
  expect(await server.call('POST', '/_local/token', { body })).toMatchObject({ status: 200 });
});

it('configured origins get no CORS headers under /_local/', async () => {
  vi.spyOn(environment(), 'allowedOrigins', 'get').mockReturnValue(['https://shop.example']);
  const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
  const corsOf = async (method: string, target: string): Promise<string | null> =>
    (await server.call(method, target, { headers })).headers.get('access-control-allow-origin');
  expect(await corsOf('GET', '/api/categories')).toBe('https://shop.example');
  for (const page of ['/_local/token', '/_local/mail', '/_local/.well-known/jwks.json', '/_local/nothing']) {
    for (const method of ['GET', 'POST', 'OPTIONS']) expect([page, await corsOf(method, page)]).toEqual([page, null]);
  }
  vi.restoreAllMocks();
});

it('only its owner can read the private key of the issuer', async () => {
  const file = path.join(server.server.dataDir, 'issuer-key.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(server.server.dataDir).mode & 0o077).toBe(0);
  const { body } = await server.call('GET', '/_local/.well-known/jwks.json');
  expect(Object.keys((body as { keys: JWK[] }).keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
});
