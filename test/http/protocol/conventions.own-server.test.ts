import { describe, expect, it, vi } from 'vitest';
import { routes } from '#contract/table.ts';
import { environment } from '#platform/environment.ts';
import type { CallResponse } from '#test/support/client.ts';
import {
  BANNED,
  ban,
  dataOf,
  FORBIDDEN,
  NOT_FOUND,
  type Person,
  person,
  submission,
  success,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const ORIGIN = 'https://app.example.com';
const OTHER_ORIGIN = 'https://admin.example.com:8443';
const FOREIGN = 'https://evil.example.net';

const { server, directory } = await ownDirectory({
  env: { ALLOWED_ORIGINS: `${ORIGIN}, ${OTHER_ORIGIN}` },
});
const [owner, stranger] = await Promise.all([person(server), person(server)]);

const exactly = ({ status, body }: CallResponse) => ({ status, body });

it.each(['/api/admin/projects/export', '/api/user/export'])(
  'HEAD of %s returns the headers of the file',
  async (path) => {
    const head = await server.call('HEAD', path, { token: directory.admin.token });
    expect([head.status, head.body]).toEqual([200, undefined]);
    expect(head.headers.get('content-disposition')).toMatch(/^attachment; /);
  },
);

describe('errors', () => {
  it('have `no-store`, and exactly `error` and `code` for 401, 403 and 404', async () => {
    const { id } = await directory.live(owner);
    expect(exactly(await directory.as(undefined, 'DELETE', `/api/projects/${id}`))).toEqual(UNAUTHORIZED);
    expect(exactly(await directory.as(stranger, 'DELETE', `/api/projects/${id}`))).toEqual(FORBIDDEN);
    const missing = await directory.get(`/api/projects/${unique('none')}`);
    expect(exactly(missing)).toEqual(NOT_FOUND);
    expect(missing.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    '/api/projects',
    '/api/categories',
    '/api/health',
    '/api/openapi.json',
    '/api/user/profile',
    '/api/projects/none',
  ])('of HEAD %s are those of GET without a body', async (path) => {
    const [head, get] = [await server.call('HEAD', path), await server.call('GET', path)];
    expect([head.status, head.body]).toEqual([get.status, undefined]);
    for (const name of ['content-type', 'cache-control', 'etag', 'ratelimit-policy'])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    const etag = get.headers.get('etag');
    if (!etag) return;
    const again = await server.call('HEAD', path, { headers: { 'if-none-match': etag } });
    expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
  });
});

describe('a header in several lines', () => {
  it('is one list: If-None-Match', async () => {
    const { id } = await directory.live(owner);
    const etag = (await directory.get(`/api/projects/${id}`)).headers.get('etag') ?? '';
    for (const lines of [
      ['"other"', etag],
      [etag, '"other"'],
    ]) {
      const headers = { 'if-none-match': lines };
      expect(await server.call('GET', `/api/projects/${id}`, { headers })).toMatchObject({ status: 304 });
    }
  });

  it('is no credential: Authorization', async () => {
    const lines = [owner, stranger].map(({ token }) => `Bearer ${token}`);
    const response = await server.call('GET', '/api/user/profile', { headers: { authorization: lines } });
    expect(exactly(response)).toEqual(UNAUTHORIZED);
  });
});

describe('the ETags of responses', () => {
  const withTag = (path: string, tag: string, caller?: Person) => directory.get(path, caller, { 'if-none-match': tag });

  it('are strong, and If-None-Match returns 304 without a body on GET for any of several, also weak ones', async () => {
    const { id } = await directory.live(owner);
    for (const [path, caller] of [[`/api/projects/${id}`], ['/api/me/submissions', owner]] as const) {
      const response = await directory.get(path, caller);
      const tag = response.headers.get('etag') ?? '';
      expect([path, tag]).toEqual([path, expect.stringMatching(/^"[^"]+"$/)]);
      for (const sent of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const again = await withTag(path, sent, caller);
        expect([path, sent, again.status, again.body]).toEqual([path, sent, 304, undefined]);
        expect(again.headers.get('etag')).toBe(tag);
        expect(again.headers.get('cache-control')).toBe(response.headers.get('cache-control'));
      }
      expect((await withTag(path, '"other"', caller)).status).toBe(200);
    }
  });

  it('change with the content', async () => {
    const { slug } = await directory.addCategory();
    const path = `/api/projects?category=${slug}`;
    const tag = (await directory.get(path)).headers.get('etag') ?? '';
    const { id } = await directory.live(owner, { categories: [slug] });
    const next = await withTag(path, tag);
    expect(next).toMatchObject(success([{ id }]));
    await directory.ok(owner, 'PUT', `/api/projects/${id}/upvote`);
    expect(await withTag(path, next.headers.get('etag') ?? '')).toMatchObject(success([{ upvote_count: 1 }]));
  });

  it('in If-None-Match are ignored on other methods than GET', async () => {
    const { id } = await directory.live(owner);
    const response = await directory.as(
      owner,
      'PUT',
      `/api/projects/${id}`,
      { name: 'Changed' },
      { 'if-none-match': '*' },
    );
    expect(response).toMatchObject(success({ name: 'Changed' }));
  });
});

describe('Strict-Transport-Security', () => {
  const headerOf = async (path: string) => (await directory.get(path)).headers.get('strict-transport-security');

  it('is absent on one machine, which serves http', async () => {
    expect(await headerOf('/api/categories')).toBeNull();
  });

  it('is on every response of a deployed stage, errors included', async () => {
    const isDeployed = vi.spyOn(environment(), 'httpsOnly', 'get').mockReturnValue(true);
    try {
      for (const path of ['/api/categories', '/api/user/profile', `/api/projects/${unique('none')}`])
        expect([path, await headerOf(path)]).toEqual([path, 'max-age=31536000']);
    } finally {
      isDeployed.mockRestore();
    }
  });
});

describe('Cache-Control', () => {
  const cacheControlOf = async (path: string, caller?: Person) => {
    const { status, headers } = await directory.get(path, caller);
    return [path, status, headers.get('cache-control')];
  };

  it('is `no-store` for every response to a signed-in caller, unless the response is the same for all', async () => {
    const { id } = await directory.live(owner);
    const reads = routes.filter(({ method, auth, path }) => method === 'GET' && auth !== 'cron' && !path.includes('{'));
    expect(reads.map((route) => route.id)).toContain('users.exportData');
    for (const { id: route, path, cacheSeconds } of reads.filter(({ auth }) => auth !== 'public')) {
      expect(cacheSeconds).toBeUndefined();
      const query = path === '/api/user/votes' ? '?ids=a' : '';
      // Users have no key.
      const status = route === 'apiKeys.current' ? 403 : 200;
      expect(await cacheControlOf(`${path}${query}`, directory.admin)).toEqual([`${path}${query}`, status, 'no-store']);
    }
    expect(await cacheControlOf(`/api/projects/${id}`, owner)).toEqual([`/api/projects/${id}`, 200, 'no-store']);
    const updated = await directory.as(owner, 'PUT', '/api/user/profile', { bio: 'Mine.' });
    expect(updated.headers.get('cache-control')).toBe('no-store');
  });

  it('of anonymous responses requires revalidation', async () => {
    expect(await cacheControlOf('/api/projects')).toEqual(['/api/projects', 200, 'private, no-cache']);
    expect(await cacheControlOf('/api/categories')).toEqual(['/api/categories', 200, 'no-cache']);
  });
});

it('a response varies by its compression, however short it is, without a body and after a revalidation too', async () => {
  const vary = 'Origin, Accept-Encoding';
  for (const path of ['/api/settings', '/api/projects', '/api/openapi.json', '/console', '/projects']) {
    const { status, headers } = await directory.get(path);
    expect([path, status, headers.get('vary')]).toEqual([path, 200, vary]);
    const head = await server.call('HEAD', path);
    expect([path, head.status, head.headers.get('vary')]).toEqual([path, 200, vary]);
    const known = await directory.get(path, undefined, { 'if-none-match': headers.get('etag') ?? '' });
    expect([path, known.status, known.headers.get('vary')]).toEqual([path, 304, vary]);
  }
});

describe('CORS', () => {
  const allowed = (response: CallResponse) => response.headers.get('access-control-allow-origin');

  it('permits configured origins to read every response with credentials and the headers of the contract', async () => {
    for (const origin of [ORIGIN, OTHER_ORIGIN]) {
      for (const path of ['/api/projects', '/api/projects/none', '/api/me/submissions', '/api/nonsense']) {
        const response = await directory.get(path, undefined, { origin });
        expect([path, allowed(response)]).toEqual([path, origin]);
        expect(response.headers.get('access-control-allow-credentials')).toBe('true');
        expect(response.headers.get('vary')).toMatch(/origin/i);
        const exposed = (response.headers.get('access-control-expose-headers') ?? '').toLowerCase();
        for (const name of ['etag', 'x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after'])
          expect(exposed).toContain(name);
      }
    }
  });

  it.each([FOREIGN, 'null', `${ORIGIN}.evil.example.net`, 'http://app.example.com', `${ORIGIN}:444`])(
    'sends no headers to the origin %s',
    async (origin) => {
      for (const response of [
        await directory.get('/api/projects', undefined, { origin }),
        await server.call('OPTIONS', '/api/projects', { headers: { origin, 'access-control-request-method': 'POST' } }),
      ]) {
        const corsHeaders = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'));
        expect(corsHeaders).toEqual([]);
      }
    },
  );
});

describe('the cookie', () => {
  const cookie = (caller: Person) => ({ cookie: `theme=dark; directory_token=${caller.token}; other=1` });
  const withCookie = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    server.call(method, path, { headers: { ...cookie(owner), ...headers }, ...(body !== undefined && { body }) });
  const host = () => new URL(server.url).host;

  it('identifies a browser of the same origin on reads', async () => {
    expect(await withCookie('GET', '/api/me/submissions', {})).toMatchObject({ status: 200 });
    expect(
      await server.call('GET', '/api/me/submissions', { headers: { cookie: 'directory_token=nonsense' } }),
    ).toMatchObject(UNAUTHORIZED);
    expect(
      await server.call('GET', '/api/me/submissions', { headers: { cookie: `other=${owner.token}` } }),
    ).toMatchObject(UNAUTHORIZED);
  });

  it.each<[string, () => Record<string, string>]>([
    ['Sec-Fetch-Site: same-origin', () => ({ 'sec-fetch-site': 'same-origin' })],
    ['an Origin of the same host', () => ({ host: host(), origin: `http://${host()}` })],
  ])('is accepted on an unsafe method with %s', async (_, headers) => {
    const body = submission({ categories: [directory.category] });
    expect(await withCookie('POST', '/api/projects', headers(), body)).toMatchObject({ status: 201 });
  });

  it.each<[string, Record<string, string>]>([
    ['no header that names the origin', {}],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site' }],
    ['an Origin of another host', { origin: FOREIGN }],
    ['an Origin that CORS permits', { origin: ORIGIN }],
    ['the Origin null', { origin: 'null' }],
    ['a Referer only', { referer: 'http://localhost/' }],
  ])('returns 403 on an unsafe method with %s', async (_, headers) => {
    const { id } = await directory.live(owner);
    expect(exactly(await withCookie('DELETE', `/api/projects/${id}`, headers))).toEqual(FORBIDDEN);
    expect(exactly(await withCookie('POST', '/api/projects', headers, {}))).toEqual(FORBIDDEN);
    expect(await directory.read(id)).toMatchObject({ deleted_at: null });
  });

  const readerWith = async (headers: Readonly<Record<string, string | readonly string[]>>) => {
    const response = await server.call('GET', '/api/user/profile', { headers });
    return response.status === 200 ? dataOf<{ id: string }>(response).id : response.status;
  };
  const tokenOf = ({ token }: Pick<Person, 'token'>) => `directory_token=${token}`;

  it.each<[string, (token: string) => readonly string[]]>([
    ['the first', (token) => [token, 'theme=dark', 'a=1; b=2']],
    ['the second', (token) => ['theme=dark', token, 'a=1']],
    ['the last', (token) => ['theme=dark', `other=1; ${token}`]],
  ])('counts in %s of several lines, which browsers send over HTTP/2', async (_, lines) => {
    expect(await readerWith({ cookie: lines(tokenOf(owner)) })).toBe(owner.id);
    const body = submission({ categories: [directory.category] });
    const headers = { cookie: lines(tokenOf(owner)), 'sec-fetch-site': 'same-origin' };
    expect(await server.call('POST', '/api/projects', { headers, body })).toMatchObject({ status: 201 });
    expect(
      await server.call('POST', '/api/projects', { headers: { ...headers, 'sec-fetch-site': 'none' }, body }),
    ).toMatchObject(FORBIDDEN);
  });

  it('counts when it is the first valid one of several of that name', async () => {
    const erased = await person(server);
    await directory.ok(erased, 'DELETE', '/api/user');
    const invalid = ['directory_token=', 'directory_token', 'directory_token=a.b.c', tokenOf(erased)];
    for (const sent of [
      [...invalid, tokenOf(owner), tokenOf(stranger)],
      [tokenOf(owner), ...invalid, tokenOf(stranger)],
    ]) {
      expect(await readerWith({ cookie: sent.join('; ') })).toBe(owner.id);
      expect(await readerWith({ cookie: sent })).toBe(owner.id);
    }
    expect(await readerWith({ cookie: invalid })).toBe(401);
  });

  it.each(['Basic dXNlcjpwYXNz', 'basic', 'Digest username="a"', 'Negotiate YII=', 'Bearers x', 'nonsense', ''])(
    'counts beside the header Authorization: "%s", which is for a proxy in front of the service',
    async (authorization) => {
      expect(await readerWith({ authorization, cookie: tokenOf(owner) })).toBe(owner.id);
      expect(await readerWith({ authorization })).toBe(401);
      const { id } = await directory.live(stranger);
      await directory.ok(owner, 'POST', `/api/projects/${id}/upvote`);
      const headers = { authorization, cookie: tokenOf(owner) };
      expect(await directory.get(`/api/projects/${id}`, undefined, headers)).toMatchObject(
        success({ viewer: { upvoted: true } }),
      );
      // Browsers attach the credentials of such schemes to requests of other sites too.
      const write = { headers: { ...headers, 'sec-fetch-site': 'cross-site' } };
      expect(exactly(await server.call('DELETE', `/api/projects/${id}/upvote`, write))).toEqual(FORBIDDEN);
    },
  );

  it.each(['Bearer', 'Bearer ', 'bearer nonsense', 'BEARER a b'])(
    'does not count beside the header Authorization: "%s"',
    async (authorization) => {
      expect(await readerWith({ authorization, cookie: tokenOf(owner) })).toBe(401);
    },
  );

  it('is overridden by a bearer token, which requires no origin', async () => {
    const response = await server.call('POST', '/api/projects', {
      ...{ token: stranger.token, headers: { ...cookie(owner), origin: FOREIGN } },
      body: submission({ categories: [directory.category] }),
    });
    expect(response.status).toBe(201);
    expect(await directory.read(dataOf<{ id: string }>(response).id, stranger)).toMatchObject({
      owner_id: stranger.id,
    });
  });
});

it('a banned user receives 403 BANNED on any write and may still read', async () => {
  const user = await person(server);
  const mine = await directory.live(user);
  const other = await directory.live(owner);
  await ban(user, 'Spam.');
  const writes = [
    ['POST', '/api/projects', submission({ categories: [directory.category] })],
    ['POST', '/api/projects', {}],
    ['PUT', `/api/projects/${mine.id}`, { name: 'Changed' }],
    ['PUT', `/api/projects/${other.id}/upvote`, undefined],
  ] as const;
  for (const [method, path, body] of writes) {
    expect([method, path, await directory.as(user, method, path, body)]).toMatchObject([method, path, BANNED]);
  }
  for (const path of ['/api/me/submissions', '/api/projects'])
    expect(await directory.get(path, user)).toMatchObject({ status: 200 });
  expect(await directory.read(other.id, user)).toMatchObject({ upvote_count: 0 });
});
