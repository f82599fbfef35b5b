import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { log } from '#platform/log.ts';
import { success, UNAUTHORIZED } from '#test/support/fixtures.ts';
import { OWN_SECRETS } from '#test/support/server.ts';
import { ownServer } from '#test/support/with-directory.ts';

/** The session of a browser at an issuer that this file controls, on a service that browsers reach by https. */

const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };

type Answer = readonly [status: number, body: object | string];

let answer: Answer = [200, {}];
const received: [path: string, form: Record<string, string>][] = [];

const issuerServer = createServer((request, response) => {
  void (async () => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const path = request.url ?? '';
    if (request.method === 'POST') received.push([path, Object.fromEntries(new URLSearchParams(text))]);
    const documents: Record<string, Answer> = {
      '/keys': [200, { keys: [jwk] }],
      '/.well-known/openid-configuration': [
        200,
        {
          issuer,
          token_endpoint: `${issuer}/token`,
          revocation_endpoint: `${issuer}/revoke`,
          jwks_uri: `${issuer}/keys`,
        },
      ],
    };
    const [status, body] = documents[path] ?? answer;
    response.writeHead(status, { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  })();
}).listen(0, '127.0.0.1');
await once(issuerServer, 'listening');
const issuer = `http://127.0.0.1:${(issuerServer.address() as AddressInfo).port}`;

const server = await ownServer({
  env: {
    ...OWN_SECRETS,
    OIDC_ISSUER: issuer,
    OIDC_JWKS_URI: `${issuer}/keys`,
    OIDC_AUDIENCES: 'the-directory',
    SIGN_IN_CLIENT_ID: 'the-client',
    HTTPS_ONLY: 'on',
  },
});

afterAll(() => {
  issuerServer.close();
  issuerServer.closeAllConnections();
});

beforeEach(() => {
  received.splice(0);
  vi.restoreAllMocks();
});

const token = (sub: string, claims: object = {}, header: object = {}) =>
  new SignJWT({ jti: sub, aud: 'the-directory', ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
    .setIssuer(issuer)
    .setSubject(sub)
    .setIssuedAt()
    .setExpirationTime('1 hour')
    .sign(privateKey);

const tokens = async (sub: string, refresh_token?: string): Promise<Answer> => [
  200,
  { access_token: await token(sub), token_type: 'Bearer', ...(refresh_token && { refresh_token }) },
];

const EXCHANGE = { code: 'a code', code_verifier: 'v'.repeat(43), redirect_uri: 'https://directory.example/sign-in' };

const begin = (body: object, cookie?: string) =>
  server.call('POST', '/api/session', {
    body,
    headers: { 'sec-fetch-site': 'same-origin', ...(cookie !== undefined && { cookie }) },
  });

it('the service exchanges the code at the token endpoint of the discovery document, as a public client', async () => {
  answer = await tokens('ada', 'refresh; one');
  const response = await begin(EXCHANGE);
  expect(response).toMatchObject(success({ user: { id: 'ada' }, is_renewable: true }));
  const grant = { grant_type: 'authorization_code', client_id: 'the-client' };
  expect(received).toEqual([['/token', { ...EXCHANGE, ...grant }]]);
  const cookies = response.headers.getSetCookie();
  expect(cookies).toHaveLength(3);
  for (const cookie of cookies) expect(cookie).toMatch(/; HttpOnly; SameSite=Lax; Secure$/);
  expect(cookies[2]).toContain('directory_refresh=refresh%3B%20one; Path=/api/session');
});

it('a renewal sends the refresh cookie, and keeps it unless the issuer replaces it', async () => {
  answer = await tokens('ada');
  const kept = await begin({}, 'directory_refresh=refresh%3B%20one');
  expect(received).toMatchObject([['/token', { grant_type: 'refresh_token', refresh_token: 'refresh; one' }]]);
  expect(kept.headers.getSetCookie()[2]).toContain('directory_refresh=refresh%3B%20one;');
  answer = await tokens('ada', 'two');
  expect((await begin({}, 'directory_refresh=one')).headers.getSetCookie()[2]).toContain('directory_refresh=two;');
});

/** Tokens of which the first has a number of characters, as an issuer makes them that adds a user's groups. */
const longTokens = async (sub: string, length: number, refresh_token?: string): Promise<Answer> => {
  // Four characters stand for three bytes, so a claim alone cannot give a token every length.
  for (const part of ['', 'x', 'xx']) {
    const empty = (await token(sub, { groups: '' }, { part })).length;
    const [least, most] = [Math.floor(((length - empty) * 3) / 4), Math.ceil(((length - empty) * 3) / 4)];
    for (let groups = least - 1; groups <= most + 1; groups += 1) {
      const access_token = await token(sub, { groups: 'g'.repeat(groups) }, { part });
      if (access_token.length !== length) continue;
      return [200, { access_token, token_type: 'Bearer', ...(refresh_token && { refresh_token }) }];
    }
  }
  throw new Error(`No token has ${length} characters.`);
};

const valuesOf = (response: { readonly headers: Headers }): ReadonlyMap<string, string> =>
  new Map(
    response.headers.getSetCookie().flatMap((cookie) => {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      return name === undefined || !value ? [] : [[name, value] as const];
    }),
  );

const whoHas = (cookies: ReadonlyMap<string, string>) =>
  server.call('GET', '/api/session', {
    headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
  });

it('a token that one cookie cannot hold goes on in a second one, which a later session removes', async () => {
  answer = await longTokens('ada', 7000, 'one');
  const long = await begin(EXCHANGE);
  expect(long).toMatchObject(success({ user: { id: 'ada' }, is_renewable: true }));
  const cookies = valuesOf(long);
  expect([...cookies.keys()]).toEqual(['directory_token', 'directory_token_rest', 'directory_refresh']);
  for (const cookie of long.headers.getSetCookie()) {
    expect(cookie.length).toBeLessThanOrEqual(4096);
    expect(cookie).toMatch(/; HttpOnly; SameSite=Lax; Secure$/);
  }
  expect(await whoHas(cookies)).toMatchObject(success({ user: { id: 'ada' } }));
  const { directory_token = '' } = Object.fromEntries(cookies);
  expect(await whoHas(new Map([['directory_token', directory_token]]))).toMatchObject(success({ user: null }));
  answer = await tokens('ben');
  const short = await begin(EXCHANGE);
  expect([...valuesOf(short).keys()]).toEqual(['directory_token']);
  expect(short.headers.getSetCookie()[1]).toMatch(/^directory_token_rest=; Path=\/api; Max-Age=0;/);
});

it.each([
  ['of the greatest length of a cookie', 3900],
  ['with the shortest rest', 3901],
  ['of the greatest length', 7800],
])('a token %s is read beside the rest of another one', async (_, length) => {
  answer = await longTokens('ada', 5000);
  const { directory_token_rest: rest = '' } = Object.fromEntries(valuesOf(await begin(EXCHANGE)));
  answer = await longTokens('ben', length);
  const cookies = valuesOf(await begin(EXCHANGE));
  const own = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  for (const cookie of [`${own}; directory_token_rest=${rest}`, `directory_token_rest=${rest}; ${own}`]) {
    expect(await server.call('GET', '/api/session', { headers: { cookie } })).toMatchObject(
      success({ user: { id: 'ben' } }),
    );
  }
});

it.each([
  ['of its own length', 1000, 3901],
  ['of the length of both', 7000, 900],
])('a session begins without a refresh token for which there is no room because %s', async (_, access, refresh) => {
  answer = await longTokens('ada', access, 'r'.repeat(refresh));
  const response = await begin(EXCHANGE);
  expect(response).toMatchObject(success({ user: { id: 'ada' }, is_renewable: false }));
  expect(valuesOf(response).has('directory_refresh')).toBe(false);
  expect(response.headers.getSetCookie().at(-1)).toMatch(/^directory_refresh=; .*Max-Age=0;/);
});

it('a token that no cookies hold is refused with a message', async () => {
  answer = await longTokens('ada', 7801);
  const response = await begin(EXCHANGE);
  expect(response).toMatchObject({
    status: 413,
    body: { code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('at most 7800') as unknown },
  });
  expect(response.headers.getSetCookie()).toEqual([]);
});

it.each<[string, Answer]>([
  ['refuses', [400, { error: 'invalid_grant' }]],
  ['wants to ask the user', [400, { error: 'interaction_required', error_description: 'AADSTS50076' }]],
  ['returns a token that is not its own', [200, { access_token: 'x.y.z', token_type: 'Bearer' }]],
])('an issuer that %s leaves the caller signed out', async (_, given) => {
  answer = given;
  const response = await begin(EXCHANGE);
  expect(response).toMatchObject(UNAUTHORIZED);
  expect(response.headers.getSetCookie()).toEqual([]);
});

it.each<[string, Answer, string]>([
  ['fails', [500, 'Sorry'], ''],
  ['answers with a page', [200, '<html>'], ''],
  ['does not know this client', [401, { error: 'invalid_client' }], 'invalid_client'],
  ['is overloaded and says so with 400', [400, { error: 'temporarily_unavailable' }], 'temporarily_unavailable'],
  [
    'takes the request for wrong',
    [400, { error: 'invalid_request', error_description: 'no client_secret from ada@example.com' }],
    'invalid_request',
  ],
  ['answers with a long error', [400, { error: 'e'.repeat(5000) }], 'e'.repeat(100)],
])('an issuer that %s is unavailable, which the log explains', async (_, given, issuer_error) => {
  answer = given;
  const logged = vi.spyOn(log, 'error');
  expect(await begin(EXCHANGE)).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
  const line = logged.mock.calls.find(([message]) => message === 'the issuer grants no tokens');
  expect(line?.[1]).toEqual({ error: expect.any(Error) as Error, issuer_error });
});

it('the end of a session revokes what renews it, and does not depend on the issuer', async () => {
  const end = () =>
    server.call('DELETE', '/api/session', {
      headers: { 'sec-fetch-site': 'same-origin', cookie: 'directory_refresh=one' },
    });
  answer = [200, {}];
  expect(await end()).toMatchObject(success({ user: null }));
  expect(received).toMatchObject([['/revoke', { token: 'one', client_id: 'the-client' }]]);
  answer = [500, 'Sorry'];
  expect(await end()).toMatchObject(success({ user: null }));
});
