import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import path from 'node:path';
import {
  type CryptoKey,
  createRemoteJWKSet,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '#test/support/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(async () => {
  await server.stop();
});

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

describe('a token', () => {
  it('is signed with the published key and identifies the user', async () => {
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

  it('is for the same user for any case of an address, and for different users otherwise', async () => {
    const [one, same, other] = [
      await requestToken({ email: 'x@example.com' }),
      await requestToken({ email: 'X@EXAMPLE.com' }),
      await requestToken({ email: 'y@example.com' }),
    ];
    expect(same.user_id).toBe(one.user_id);
    expect(other.user_id).not.toBe(one.user_id);
    expect(same.access_token).not.toBe(one.access_token);
  });

  it('can say that the address is not verified', async () => {
    const { access_token } = await requestToken({ email: 'unverified@example.com', email_verified: false });
    expect(await claimsOf(access_token)).toMatchObject({ email: 'unverified@example.com', email_verified: 'false' });
    const { body } = await server.call('GET', '/api/user/export', { token: access_token });
    expect(JSON.stringify(body)).toContain('"email_verified":false');
  });

  it('can be issued to a service', async () => {
    const { access_token, user_id } = await requestToken({ client_id: 'importer' });
    expect(user_id).toBe('importer');
    const claims = await claimsOf(access_token);
    expect(claims).toMatchObject({ sub: 'importer', client_id: 'importer', token_use: 'access' });
    for (const personal of ['email', 'email_verified', 'username']) expect(claims).not.toHaveProperty(personal);
    const response = await server.call('GET', '/api/me/submissions', { token: access_token });
    expect(response.status).toBe(200);
  });

  it('expires as requested', async () => {
    const { access_token, expires_in } = await requestToken({ email: 'x@example.com', expires_in: -60 });
    expect(expires_in).toBe(-60);
    await expect(claimsOf(access_token)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
  });

  it('makes a new or an existing user an administrator', async () => {
    const token = await server.token({ email: 'grace@example.com' });
    expect((await server.call('GET', '/api/admin/projects', { token })).status).toBe(403);
    await requestToken({ email: 'Grace@example.com', admin: true });
    expect((await server.call('GET', '/api/admin/projects', { token })).status).toBe(200);
  });

  it('sets the role of a new or an existing user', async () => {
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
  ])('is rejected with 400 for %s', async (_, body, field) => {
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

  it('is rejected for a malformed body and another media type', async () => {
    expect((await server.call('POST', '/_local/token', { rawBody: '{"email":' })).status).toBe(400);
    const form = { rawBody: '{"email":"x@example.com"}', headers: { 'content-type': 'text/plain' } };
    expect((await server.call('POST', '/_local/token', form)).body).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
  });

  it('is not available under host names that resolve to the loopback (DNS rebinding)', async () => {
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
});

describe('authentication', () => {
  const status = async (token: string): Promise<number> =>
    (await server.call('GET', '/api/me/submissions', { token })).status;

  const signingKey = async () => {
    const jwk = JSON.parse(readFileSync(path.join(server.server.dataDir, 'issuer-key.json'), 'utf8')) as JWK;
    const { keys } = (await server.call('GET', '/_local/.well-known/jwks.json')).body as { keys: JWK[] };
    return { key: await importJWK(jwk, 'RS256'), kid: keys[0]?.kid ?? '' };
  };

  const good = async (): Promise<JWTPayload> => claimsOf(await server.token({ email: 'claims@example.com' }));

  const signed = async (claims: JWTPayload, key?: CryptoKey): Promise<string> => {
    const own = await signingKey();
    return await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: own.kid }).sign(key ?? own.key);
  };

  it('accepts a token with the right key and claims', async () => {
    expect(await status(await signed(await good()))).toBe(200);
  });

  it('rejects a token signed with another key', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    expect(await status(await signed(await good(), privateKey))).toBe(401);
  });

  it('rejects a token without a signature', async () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { kid } = await signingKey();
    for (const alg of ['none', 'None', 'RS256', 'HS256']) {
      expect(await status(`${part({ alg, kid })}.${part(await good())}.`)).toBe(401);
    }
  });

  it('rejects a token signed with the public key as shared secret', async () => {
    const { keys } = (await server.call('GET', '/_local/.well-known/jwks.json')).body as { keys: JWK[] };
    const secret = new TextEncoder().encode(JSON.stringify(keys[0]));
    const token = await new SignJWT(await good())
      .setProtectedHeader({ alg: 'HS256', kid: keys[0]?.kid ?? '' })
      .sign(secret);
    expect(await status(token)).toBe(401);
  });

  it.each<[string, JWTPayload]>([
    ['for another audience', { aud: 'another' }],
    ['of another issuer', { iss: 'https://issuer.example' }],
    ['of another use', { token_use: 'id' }],
    ['that has expired', { exp: 1 }],
    ['that is not valid yet', { nbf: 4_000_000_000 }],
    ['without a subject', { sub: '' }],
  ])('rejects a token %s', async (_, claims) => {
    expect(await status(await signed({ ...(await good()), ...claims }))).toBe(401);
  });
});

it('protects its private key', async () => {
  const file = path.join(server.server.dataDir, 'issuer-key.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(server.server.dataDir).mode & 0o077).toBe(0);
  const { body } = await server.call('GET', '/_local/.well-known/jwks.json');
  expect(Object.keys((body as { keys: JWK[] }).keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
});
