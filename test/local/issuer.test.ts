import { readFileSync, statSync } from 'node:fs';
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
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

let world: TestWorld;

beforeAll(async () => {
  world = await startTestWorld();
});

afterAll(async () => {
  await world.stop();
});

interface TokenAnswer {
  access_token: string;
  token_type: string;
  expires_in: number;
  user_id: string;
}

const ask = async (body: unknown): Promise<TokenAnswer> => {
  const answer = await world.call('POST', '/_local/token', { body });
  expect(answer.status).toBe(200);
  return answer.body as TokenAnswer;
};

const claimsOf = async (token: string): Promise<JWTPayload> => {
  const keys = createRemoteJWKSet(new URL('/_local/.well-known/jwks.json', world.url));
  return (await jwtVerify(token, keys, { algorithms: ['RS256'] })).payload;
};

describe('a token', () => {
  it('is signed with the published key and says who it is for', async () => {
    const { access_token, ...rest } = await ask({ email: 'Ada@Example.com', name: 'Ada Lovelace' });
    expect(rest).toEqual({
      token_type: 'Bearer',
      expires_in: 3600,
      user_id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
    });
    const claims = await claimsOf(access_token);
    expect(claims).toEqual({
      iss: `http://localhost:${world.world.port}/_local`,
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

  it('is for the same user for every spelling of an address, and for others for other addresses', async () => {
    const [one, same, other] = [
      await ask({ email: 'x@example.com' }),
      await ask({ email: 'X@EXAMPLE.com' }),
      await ask({ email: 'y@example.com' }),
    ];
    expect(same.user_id).toBe(one.user_id);
    expect(other.user_id).not.toBe(one.user_id);
    expect(same.access_token).not.toBe(one.access_token);
  });

  it('can be for a service', async () => {
    const { access_token, user_id } = await ask({ client_id: 'importer' });
    expect(user_id).toBe('importer');
    const claims = await claimsOf(access_token);
    expect(claims).toMatchObject({ sub: 'importer', client_id: 'importer', token_use: 'access' });
    for (const personal of ['email', 'email_verified', 'username']) expect(claims).not.toHaveProperty(personal);
    const answer = await world.call('GET', '/api/me/submissions', { token: access_token });
    expect(answer.status).toBe(200);
  });

  it('lasts as long as it was asked to', async () => {
    const { access_token, expires_in } = await ask({ email: 'x@example.com', expires_in: -60 });
    expect(expires_in).toBe(-60);
    await expect(claimsOf(access_token)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
  });

  it('makes an administrator at once, also of somebody who is known', async () => {
    const token = await world.token({ email: 'grace@example.com' });
    expect((await world.call('GET', '/api/admin/projects', { token })).status).toBe(403);
    await ask({ email: 'Grace@example.com', admin: true });
    expect((await world.call('GET', '/api/admin/projects', { token })).status).toBe(200);
  });

  it.each([
    ['nothing', {}, ''],
    ['both', { email: 'x@example.com', client_id: 'y' }, ''],
    ['an address that is none', { email: 'ada' }, 'email'],
    ['a number for an address', { email: 1 }, 'email'],
    ['an empty client', { client_id: ' ' }, 'client_id'],
    ['a client with a slash', { client_id: 'a/b' }, 'client_id'],
    ['a text for admin', { email: 'x@example.com', admin: 'yes' }, 'admin'],
    ['a text for the time', { email: 'x@example.com', expires_in: '60' }, 'expires_in'],
    ['half a second', { email: 'x@example.com', expires_in: 0.5 }, 'expires_in'],
    ['a list', [], ''],
    ['null', null, ''],
  ])('is refused in the shape of the contract for %s', async (_, body, field) => {
    const answer = await world.call('POST', '/_local/token', { rawBody: JSON.stringify(body) });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      error: 'Invalid input',
      code: 'INVALID_INPUT',
      details: { _errors: expect.any(Array) },
    });
    const { details } = answer.body as { details: Record<string, { _errors: string[] }> };
    if (field) expect(details[field]?._errors.length).toBeGreaterThan(0);
  });

  it('is refused for a body that is not JSON, or does not say so', async () => {
    expect((await world.call('POST', '/_local/token', { rawBody: '{"email":' })).status).toBe(400);
    const form = { rawBody: '{"email":"x@example.com"}', headers: { 'content-type': 'text/plain' } };
    expect((await world.call('POST', '/_local/token', form)).body).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
  });

  it('is refused to pages that have pointed a name of theirs at this machine', async () => {
    for (const host of [
      'evil.example',
      `evil.example:${world.world.port}`,
      'localhost.evil.example',
      '127.0.0.1.evil.example',
    ]) {
      const answer = await world.call('POST', '/_local/token', { body: { email: 'x@example.com' }, headers: { host } });
      expect([host, answer.status]).toEqual([host, 404]);
    }
    const local = await world.call('POST', '/_local/token', {
      body: { email: 'x@example.com' },
      headers: { host: 'localhost:3000' },
    });
    expect(local.status).toBe(200);
  });
});

describe('a credential', () => {
  const status = async (token: string): Promise<number> =>
    (await world.call('GET', '/api/me/submissions', { token })).status;

  const signingKey = async () => {
    const jwk = JSON.parse(readFileSync(path.join(world.world.dataDir, 'issuer-key.json'), 'utf8')) as JWK;
    const { keys } = (await world.call('GET', '/_local/.well-known/jwks.json')).body as { keys: JWK[] };
    return { key: await importJWK(jwk, 'RS256'), kid: keys[0]?.kid ?? '' };
  };

  const good = async (): Promise<JWTPayload> => claimsOf(await world.token({ email: 'claims@example.com' }));

  const signed = async (claims: JWTPayload, key?: CryptoKey): Promise<string> => {
    const own = await signingKey();
    return await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: own.kid }).sign(key ?? own.key);
  };

  it('with the right key and the right claims holds', async () => {
    expect(await status(await signed(await good()))).toBe(200);
  });

  it('signed by another key does not', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    expect(await status(await signed(await good(), privateKey))).toBe(401);
  });

  it('without a signature does not', async () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { kid } = await signingKey();
    for (const alg of ['none', 'None', 'RS256', 'HS256']) {
      expect(await status(`${part({ alg, kid })}.${part(await good())}.`)).toBe(401);
    }
  });

  it('signed with the public key as if it were a shared secret does not', async () => {
    const { keys } = (await world.call('GET', '/_local/.well-known/jwks.json')).body as { keys: JWK[] };
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
    ['that does not hold yet', { nbf: 4_000_000_000 }],
    ['without a subject', { sub: '' }],
  ])('%s does not', async (_, claims) => {
    expect(await status(await signed({ ...(await good()), ...claims }))).toBe(401);
  });
});

it('keeps its key to itself', async () => {
  const file = path.join(world.world.dataDir, 'issuer-key.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(world.world.dataDir).mode & 0o077).toBe(0);
  const { body } = await world.call('GET', '/_local/.well-known/jwks.json');
  expect(Object.keys((body as { keys: JWK[] }).keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
});
