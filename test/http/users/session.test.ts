import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { dataOf, FORBIDDEN, invalidAt, person, success, UNAUTHORIZED } from '#test/support/fixtures.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

/** The session of a browser at the local issuer. */

const { server, directory } = await sharedDirectory();

const origin = `http://localhost:${server.server.port}`;
const SAME_ORIGIN = { origin, 'sec-fetch-site': 'same-origin' };
const REDIRECT = `${origin}/sign-in`;

/** The cookies that a browser keeps, by name. */
type Jar = Map<string, string>;

const cookiesOf = (headers: Headers): readonly string[] => headers.getSetCookie();

const keep = (jar: Jar, headers: Headers): void => {
  for (const cookie of cookiesOf(headers)) {
    const [pair = ''] = cookie.split(';');
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    if (value === '') jar.delete(name);
    else jar.set(name, value);
  }
};

const sent = (jar: Jar): Record<string, string> =>
  jar.size === 0 ? {} : { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') };

const begin = async (body: object, jar: Jar = new Map(), headers: Record<string, string> = SAME_ORIGIN) => {
  const response = await server.call('POST', '/api/session', { body, headers: { ...headers, ...sent(jar) } });
  keep(jar, response.headers);
  return response;
};

const current = async (jar: Jar) => await server.call('GET', '/api/session', { headers: sent(jar) });

/** Chooses a user on the page of the local issuer. */
const chosen = async (as: string, changes: Record<string, string> = {}) => {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'directory-local',
    redirect_uri: REDIRECT,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'a state',
    ...changes,
  });
  const response = await fetch(`${origin}/_local/authorize?${query.toString()}`, {
    method: 'POST',
    body: new URLSearchParams({ as }),
    redirect: 'manual',
  });
  return { verifier, response, back: URL.parse(response.headers.get('location') ?? '') };
};

const signedIn = async (as = 'user') => {
  const { verifier, back } = await chosen(as);
  return { code: back?.searchParams.get('code') ?? '', code_verifier: verifier, redirect_uri: REDIRECT };
};

it('a token at hand begins a session whose cookie is for this service only and cannot be read by scripts', async () => {
  const user = await person(server);
  const jar: Jar = new Map();
  const response = await begin({ access_token: user.token }, jar);
  expect(response).toMatchObject(success({ user: { email: user.email }, is_renewable: false }));
  const cookie = cookiesOf(response.headers).find((one) => one.startsWith('directory_token='));
  expect(cookie).toMatch(/^directory_token=[\w.-]+; Path=\/api; Max-Age=3(?:600|5\d\d); HttpOnly; SameSite=Lax$/);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await current(jar)).toMatchObject(success({ user: { email: user.email } }));
  expect(await server.call('GET', '/api/user/profile', { headers: sent(jar) })).toMatchObject({ status: 200 });
});

it('without a credential, or with a bad one, there is no user', async () => {
  expect(await current(new Map())).toMatchObject(success({ user: null }));
  expect((await current(new Map())).headers.get('cache-control')).toBe('private, no-cache');
  expect(await current(new Map([['directory_token', 'x.y.z']]))).toMatchObject(success({ user: null }));
});

it('the code of the local issuer begins a session, which {} renews by the refresh cookie', async () => {
  const jar: Jar = new Map();
  const response = await begin(await signedIn('moderator'), jar);
  expect(response).toMatchObject(
    success({ user: { email: 'moderator@example.com', role: 'moderator' }, is_renewable: true }),
  );
  const second = cookiesOf(response.headers).find((one) => one.startsWith('directory_refresh='));
  expect(second).toMatch(/; Path=\/api\/session; Max-Age=2592000; HttpOnly; SameSite=Lax$/);

  jar.delete('directory_token');
  expect(await current(jar)).toMatchObject(success({ user: null }));
  expect(await begin({}, jar)).toMatchObject(success({ user: { email: 'moderator@example.com' }, is_renewable: true }));
  expect(await current(jar)).toMatchObject(success({ user: { email: 'moderator@example.com' } }));
});

it('the refresh cookie is not an access token', async () => {
  const jar: Jar = new Map();
  await begin(await signedIn(), jar);
  const refresh = decodeURIComponent(jar.get('directory_refresh') ?? '');
  expect(await begin({ access_token: refresh })).toMatchObject(UNAUTHORIZED);
  expect(await current(new Map([['directory_token', refresh]]))).toMatchObject(success({ user: null }));
});

it('a code is used once, by who has its verifier and its address', async () => {
  const used = await signedIn();
  expect(await begin(used)).toMatchObject({ status: 200 });
  expect(await begin(used)).toMatchObject(UNAUTHORIZED);
  const verifier = randomBytes(32).toString('base64url');
  expect(await begin({ ...(await signedIn()), code_verifier: verifier })).toMatchObject(UNAUTHORIZED);
  expect(await begin({ ...(await signedIn()), redirect_uri: `${origin}/other` })).toMatchObject(UNAUTHORIZED);
  expect(await begin({ ...(await signedIn()), code: 'made-up' })).toMatchObject(UNAUTHORIZED);
});

it('a code may have several thousand characters, as those of some issuers have', async () => {
  const body = { code_verifier: 'v'.repeat(43), redirect_uri: REDIRECT };
  expect(await begin({ ...body, code: 'c'.repeat(8192) })).toMatchObject(UNAUTHORIZED);
  expect(await begin({ ...body, code: 'c'.repeat(8193) })).toMatchObject(invalidAt('code'));
});

it.each<[string, Record<string, string>]>([
  ['another client', { client_id: 'other' }],
  ['another origin', { redirect_uri: 'https://evil.example/sign-in' }],
  ['no challenge', { code_challenge: '' }],
  ['a plain challenge', { code_challenge_method: 'plain' }],
  ['an implicit flow', { response_type: 'token' }],
])('the local issuer refuses %s', async (_, changes) => {
  expect((await chosen('user', changes)).response.status).toBe(400);
});

it('the local issuer returns to the page that asked, with its state, and says when the user did not choose', async () => {
  const { back } = await chosen('visitor');
  expect(`${back?.origin}${back?.pathname}`).toBe(REDIRECT);
  expect(Object.fromEntries(back?.searchParams ?? [])).toEqual({ error: 'access_denied', state: 'a state' });
});

it('{} without a session, or with a second cookie that the issuer did not give, is 401', async () => {
  expect(await begin({})).toMatchObject(UNAUTHORIZED);
  for (const value of ['made-up', '%', 'eyJhbGciOiJub25lIn0.e30.']) {
    expect(await begin({}, new Map([['directory_refresh', value]]))).toMatchObject(UNAUTHORIZED);
  }
});

it.each<[string, object, string]>([
  ['code_verifier', { code: 'a', redirect_uri: REDIRECT }, 'code_verifier'],
  ['redirect_uri', { code: 'a', code_verifier: 'v'.repeat(43) }, 'redirect_uri'],
  ['code', { code_verifier: 'v'.repeat(43), redirect_uri: REDIRECT }, 'code'],
  [
    'one of two',
    { code: 'a', code_verifier: 'v'.repeat(43), redirect_uri: REDIRECT, access_token: 'a' },
    'access_token',
  ],
  ['a token', { access_token: 'a; Path=/' }, 'access_token'],
])('a session is not begun without %s', async (_, body, field) => {
  expect(await begin(body)).toMatchObject(invalidAt(field));
});

it('an API key is not a session', async () => {
  const body = { name: 'A program', scopes: ['projects:read'] };
  const { secret } = dataOf<{ secret: string }>(await directory.as(directory.admin, 'POST', '/api/admin/keys', body));
  expect(await begin({ access_token: secret })).toMatchObject(UNAUTHORIZED);
  expect(await current(new Map([['directory_token', secret]]))).toMatchObject(success({ user: null }));
  const headers = { authorization: `Bearer ${secret}` };
  expect(await server.call('GET', '/api/session', { headers })).toMatchObject(success({ user: null }));
});

it.each<[string, Record<string, string>]>([
  ['of another origin', { origin: 'https://evil.example' }],
  ['of another site', { 'sec-fetch-site': 'cross-site' }],
  ['of a sister domain', { 'sec-fetch-site': 'same-site', origin: 'http://sister.localhost' }],
  ['without an origin', { origin: 'null' }],
])(
  'a page %s can neither begin a session for a visitor, who would act as its user, nor end one',
  async (_, headers) => {
    const attacker = await person(server);
    const response = await begin({ access_token: attacker.token }, new Map(), headers);
    expect(response).toMatchObject(FORBIDDEN);
    expect(cookiesOf(response.headers)).toEqual([]);
    const jar: Jar = new Map();
    await begin(await signedIn(), jar);
    expect(await begin({}, jar, headers)).toMatchObject(FORBIDDEN);
    const end = await server.call('DELETE', '/api/session', { headers: { ...headers, ...sent(jar) } });
    expect(end).toMatchObject(FORBIDDEN);
  },
);

it('a cookie without any origin changes no session', async () => {
  const jar: Jar = new Map([['directory_refresh', 'expired']]);
  expect(await begin({ access_token: (await person(server)).token }, jar, {})).toMatchObject(FORBIDDEN);
});

it('a session begins without anything of the one before', async () => {
  const jar: Jar = new Map();
  await begin(await signedIn('moderator'), jar);
  const next = await person(server);
  await begin({ access_token: next.token }, jar);
  expect(await current(jar)).toMatchObject(success({ user: { email: next.email } }));
  // The refresh cookie of the moderator would make the next renewal theirs.
  expect([...jar.keys()]).toEqual(['directory_token']);
});

it('ending a session removes all cookies, and can be repeated', async () => {
  const jar: Jar = new Map();
  await begin(await signedIn(), jar);
  for (const _ of ['first', 'again']) {
    const response = await server.call('DELETE', '/api/session', { headers: { ...SAME_ORIGIN, ...sent(jar) } });
    expect(response).toMatchObject(success({ user: null }));
    expect(cookiesOf(response.headers).map((cookie) => cookie.replace(/; HttpOnly.*/, ''))).toEqual([
      'directory_token=; Path=/api; Max-Age=0',
      'directory_token_rest=; Path=/api; Max-Age=0',
      'directory_refresh=; Path=/api/session; Max-Age=0',
    ]);
    keep(jar, response.headers);
  }
  expect(jar.size).toBe(0);
});

it('an erased user begins no session', async () => {
  const user = await person(server);
  await directory.ok(user, 'DELETE', '/api/user');
  expect(await begin({ access_token: user.token })).toMatchObject(UNAUTHORIZED);
});
