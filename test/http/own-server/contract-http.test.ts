import { describe, expect, it, vi } from 'vitest';
import { routes } from '#contract/table.ts';
import { userDataPages } from '#data/user-export.ts';
import { settings } from '#platform/settings.ts';
import { csvLines } from '#shared/csv/cells.ts';
import type { CallResponse } from '#test/support/client.ts';
import {
  BANNED,
  ban,
  category,
  type Directory,
  dataOf,
  FORBIDDEN,
  invalidAt,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  submission,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import { pathOf } from '#test/support/requests.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

vi.mock('#shared/csv/cells.ts', { spy: true });
vi.mock('#data/user-export.ts', { spy: true });

/** Conventions of every response: errors, ETags, compression, CORS, cookies, bans and the first administrator. */

const ORIGIN = 'https://app.example.com';
const OTHER_ORIGIN = 'https://admin.example.com:8443';
const FOREIGN = 'https://evil.example.net';
const FIRST_ADMIN = 'First.Admin@example.com';

let server: TestServer;
let directory: Directory;
let owner: Person;
let stranger: Person;

withOwnServer(
  async (started) => {
    ({ server, directory } = started);
    [owner, stranger] = await Promise.all([person(server), person(server)]);
  },
  {
    env: { ALLOWED_ORIGINS: `${ORIGIN}, ${OTHER_ORIGIN}`, ADMIN_EMAILS: `unused@example.com, ${FIRST_ADMIN}` },
  },
);

const exactly = ({ status, body }: CallResponse) => ({ status, body });

describe('HEAD', () => {
  it.each(['/api/admin/projects/export', '/api/user/export'])('of %s does not produce the body', async (path) => {
    await directory.live(owner);
    const head = await server.call('HEAD', path, { token: directory.admin.token });
    expect([head.status, head.body]).toEqual([200, undefined]);
    expect(head.headers.get('content-disposition')).toMatch(/^attachment; /);
    expect([vi.mocked(csvLines).mock.calls, vi.mocked(userDataPages).mock.calls]).toEqual([[], []]);
    expect((await server.call('GET', path, { token: directory.admin.token })).status).toBe(200);
    expect(vi.mocked(csvLines).mock.calls.length + vi.mocked(userDataPages).mock.calls.length).toBeGreaterThan(0);
    vi.mocked(csvLines).mockClear();
    vi.mocked(userDataPages).mockClear();
  });
});

describe('errors', () => {
  it('have exactly `error` and `code` for 401, 403 and 404', async () => {
    const { id } = await directory.live(owner);
    expect(exactly(await directory.as(undefined, 'DELETE', `/api/projects/${id}`))).toEqual(UNAUTHORIZED);
    expect(exactly(await directory.as(stranger, 'DELETE', `/api/projects/${id}`))).toEqual(FORBIDDEN);
    expect(exactly(await directory.get(`/api/projects/${unique('none')}`))).toEqual(NOT_FOUND);
  });

  it.each([
    ['GET', '/api/nonsense'],
    ['GET', '/api'],
    ['POST', '/api/projects/x/y/z'],
    ['DELETE', '/api/admin/nonsense'],
    ['GET', '/api/projects/x/'],
    ['GET', '/API/projects'],
  ])('return 404 in the same shape for an unknown path: %s %s', async (method, path) => {
    const response = await server.call(method, path, { token: directory.admin.token });
    expect(exactly(response)).toEqual(NOT_FOUND);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('x-request-id')).toMatch(/\S/);
  });

  it.each([
    ['PATCH', '/api/projects', 'GET, HEAD, POST, OPTIONS'],
    ['DELETE', '/api/projects', 'GET, HEAD, POST, OPTIONS'],
    ['POST', '/api/categories', 'GET, HEAD, OPTIONS'],
    ['GET', '/api/admin/projects/x/approve', 'PUT, OPTIONS'],
    ['HEAD', '/api/admin/projects/x/approve', 'PUT, OPTIONS'],
  ])('return 405 with the methods of the path: %s %s', async (method, path, allow) => {
    const response = await server.call(method, path);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    const body = method === 'HEAD' ? undefined : { error: 'Method not allowed', code: 'METHOD_NOT_ALLOWED' };
    expect(response.body).toEqual(body);
  });

  it.each([
    '/api/projects',
    '/api/categories',
    '/api/health',
    '/api/openapi.json',
    '/api/user/profile',
    '/api/projects/none',
  ])('to HEAD %s are those to GET without a body', async (path) => {
    const [head, get] = [await server.call('HEAD', path), await server.call('GET', path)];
    expect([head.status, head.body]).toEqual([get.status, undefined]);
    for (const name of ['content-type', 'cache-control', 'etag', 'ratelimit-policy'])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    const etag = get.headers.get('etag');
    if (!etag) return;
    const again = await server.call('HEAD', path, { headers: { 'if-none-match': etag } });
    expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
  });

  it('return 404 for an unknown path before authentication', async () => {
    expect(await server.call('GET', '/api/admin/nonsense')).toMatchObject(NOT_FOUND);
  });

  it('return 403 on administrators’ routes without a credential, with an invalid one and to users', async () => {
    for (const token of [undefined, 'nonsense', owner.token]) {
      const response = await server.call('GET', '/api/admin/projects', token === undefined ? {} : { token });
      expect(exactly(response)).toEqual(FORBIDDEN);
    }
  });

  it('follow the order identity, permission, input', async () => {
    const { id } = await directory.submit(owner);
    const invalid = { reason: 5 };
    const path = `/api/admin/projects/${id}/reject`;
    expect(await directory.as(undefined, 'PUT', path, invalid)).toMatchObject(FORBIDDEN);
    expect(await directory.as(owner, 'PUT', path, invalid)).toMatchObject(FORBIDDEN);
    expect(await directory.as(directory.admin, 'PUT', path, invalid)).toMatchObject(invalidAt('reason'));
    expect(await directory.as(undefined, 'POST', `/api/projects/${id}/ratings`, { rating: 9 })).toMatchObject(
      UNAUTHORIZED,
    );
    expect(await directory.as(undefined, 'GET', '/api/me/submissions?limit=999')).toMatchObject(UNAUTHORIZED);
  });

  it('have `no-store`', async () => {
    const response = await directory.get(`/api/projects/${unique('none')}`);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

describe('x-request-id', () => {
  it('is unique and on every response', async () => {
    const { id } = await directory.live(owner);
    const first = await directory.get(`/api/projects/${id}`);
    const responses = [
      first,
      await directory.get(`/api/projects/${id}`, undefined, { 'if-none-match': first.headers.get('etag') ?? '' }),
      await directory.get('/api/projects?limit=0'),
      await directory.get('/api/me/submissions'),
      await directory.get('/api/admin/projects'),
      await directory.get('/api/nonsense'),
      await directory.as(owner, 'POST', '/api/projects', {}),
      await server.call('OPTIONS', '/api/projects'),
    ];
    const ids = responses.map((response) => response.headers.get('x-request-id'));
    expect(ids.every((requestId) => requestId !== null && requestId !== '')).toBe(true);
    expect(new Set(ids).size).toBe(responses.length);
  });
});

describe('ETags', () => {
  const withTag = (path: string, tag: string, caller?: Person) => directory.get(path, caller, { 'if-none-match': tag });

  it('are strong, on every JSON response, and If-None-Match returns 304 without a body on GET', async () => {
    const { id } = await directory.live(owner, { latitude: 1, longitude: 1 });
    const categoryId = dataOf<{ id: string }[]>(await directory.get('/api/categories'))[0]?.id;
    const reads: readonly (readonly [string, Person?])[] = [
      ['/api/projects'],
      ['/api/projects/map'],
      [`/api/projects/${id}`],
      [`/api/projects/${id}/comments`],
      ['/api/categories'],
      [`/api/categories/${categoryId}`],
      ['/api/me/submissions', owner],
      ['/api/admin/projects', directory.admin],
    ];
    for (const [path, caller] of reads) {
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

  it('change with the response', async () => {
    const { slug } = await directory.addCategory();
    const path = `/api/projects?category=${slug}`;
    const tag = (await directory.get(path)).headers.get('etag') ?? '';
    const { id } = await directory.live(owner, { categories: [slug] });
    const next = await withTag(path, tag);
    expect(next).toMatchObject({ status: 200, body: { data: [{ id }] } });
    expect((await directory.as(owner, 'PUT', `/api/projects/${id}/upvote`)).status).toBe(200);
    expect(await withTag(path, next.headers.get('etag') ?? '')).toMatchObject({
      status: 200,
      body: { data: [{ upvote_count: 1 }] },
    });
  });

  it('are ignored on other methods', async () => {
    const { id } = await directory.live(owner);
    const response = await directory.as(
      owner,
      'PUT',
      `/api/projects/${id}`,
      { name: 'Changed' },
      { 'if-none-match': '*' },
    );
    expect(response).toMatchObject({ status: 200, body: { data: { name: 'Changed' } } });
  });
});

describe('Strict-Transport-Security', () => {
  const headerOf = async (path: string) => (await directory.get(path)).headers.get('strict-transport-security');

  it('is absent on one machine, which serves http', async () => {
    expect(await headerOf('/api/categories')).toBeNull();
  });

  it('is on every response of a deployed stage, errors included', async () => {
    const isDeployed = vi.spyOn(settings(), 'httpsOnly', 'get').mockReturnValue(true);
    try {
      for (const path of ['/api/categories', '/api/user/profile', `/api/projects/${unique('none')}`])
        expect([path, await headerOf(path)]).toEqual([path, 'max-age=31536000']);
    } finally {
      isDeployed.mockRestore();
    }
  });
});

describe('caching', () => {
  const cacheControlOf = async (path: string, caller?: Person) => {
    const { status, headers } = await directory.get(path, caller);
    return [path, status, headers.get('cache-control')];
  };

  it('is forbidden for every response to a signed-in caller, unless the response is the same for all', async () => {
    const { id } = await directory.live(owner);
    const reads = routes.filter(({ method, auth, path }) => method === 'GET' && auth !== 'cron' && !path.includes('{'));
    expect(reads.map((route) => route.id)).toContain('users.exportData');
    for (const { id: route, path, cacheSeconds } of reads.filter(({ auth }) => auth !== 'public')) {
      expect(cacheSeconds).toBeUndefined();
      const query = path === '/api/user/votes' ? '?ids=a' : '';
      // Users have no key.
      const status = route === 'keys.current' ? 403 : 200;
      expect(await cacheControlOf(`${path}${query}`, directory.admin)).toEqual([`${path}${query}`, status, 'no-store']);
    }
    expect(await cacheControlOf(`/api/projects/${id}`, owner)).toEqual([`/api/projects/${id}`, 200, 'no-store']);
    const updated = await directory.as(owner, 'PUT', '/api/user/profile', { bio: 'Mine.' });
    expect(updated.headers.get('cache-control')).toBe('no-store');
  });

  it('of anonymous responses is private or requires revalidation', async () => {
    expect(await cacheControlOf('/api/projects')).toEqual(['/api/projects', 200, 'private, no-cache']);
    expect(await cacheControlOf('/api/categories')).toEqual(['/api/categories', 200, 'no-cache']);
  });
});

describe('compression', () => {
  const fetchEncoded = async (path: string, encoding: string) => {
    const response = await fetch(`${server.url}${path}`, { headers: { 'accept-encoding': encoding } });
    return {
      encoding: response.headers.get('content-encoding'),
      vary: response.headers.get('vary') ?? '',
      tag: response.headers.get('etag'),
      body: await response.json(),
    };
  };

  it('applies above 1 KB when the caller accepts gzip, and changes neither content nor ETag', async () => {
    const { id } = await directory.live(owner, { long_description: 'Many words. '.repeat(200) });
    const path = `/api/projects/${id}`;
    const plain = await fetchEncoded(path, 'identity');
    const compressed = await fetchEncoded(path, 'gzip');
    expect(plain.encoding).toBeNull();
    expect(compressed.encoding).toBe('gzip');
    expect(compressed.body).toEqual(plain.body);
    expect(compressed.tag).toBe(plain.tag);
    for (const { vary } of [plain, compressed]) expect(vary).toMatch(/accept-encoding/i);
  });

  it('does not apply to short responses', async () => {
    const { slug } = await directory.addCategory();
    expect((await fetchEncoded(`/api/categories/${slug}`, 'gzip')).encoding).toBeNull();
  });

  it('does not apply when the caller rejects it', async () => {
    const { id } = await directory.live(owner, { long_description: 'Many words. '.repeat(200) });
    expect((await fetchEncoded(`/api/projects/${id}`, 'gzip;q=0')).encoding).toBeNull();
  });
});

describe('CORS', () => {
  const allowed = (response: CallResponse) => response.headers.get('access-control-allow-origin');

  it('permits configured origins to read every response with credentials, failures included', async () => {
    for (const origin of [ORIGIN, OTHER_ORIGIN]) {
      for (const path of ['/api/projects', '/api/projects/none', '/api/me/submissions', '/api/nonsense']) {
        const response = await directory.get(path, undefined, { origin });
        expect([path, allowed(response)]).toEqual([path, origin]);
        expect(response.headers.get('access-control-allow-credentials')).toBe('true');
        expect(response.headers.get('vary')).toMatch(/origin/i);
      }
    }
  });

  it('exposes the headers of the contract', async () => {
    const response = await directory.get('/api/projects', undefined, { origin: ORIGIN });
    const exposed = (response.headers.get('access-control-expose-headers') ?? '').toLowerCase();
    for (const name of ['etag', 'x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after'])
      expect(exposed).toContain(name);
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

  it('responses the preflight request of every route', async () => {
    for (const route of routes) {
      const response = await server.call('OPTIONS', pathOf(route), {
        headers: {
          ...{ origin: ORIGIN, 'access-control-request-method': route.method },
          'access-control-request-headers': 'authorization, content-type, if-match, idempotency-key',
        },
      });
      expect([route.id, response.status < 300, allowed(response)]).toEqual([route.id, true, ORIGIN]);
      expect(response.headers.get('access-control-allow-methods')).toContain(route.method);
      const headers = (response.headers.get('access-control-allow-headers') ?? '').toLowerCase();
      for (const name of ['authorization', 'content-type', 'if-match', 'if-none-match', 'idempotency-key']) {
        expect(headers).toContain(name);
      }
      expect(response.headers.get('access-control-allow-credentials')).toBe('true');
    }
  });
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
    const attempts = [
      ['POST', '/api/projects', submission({ categories: [directory.category] })],
      ['POST', `/api/projects/${id}/upvote`, undefined],
      ['PUT', `/api/projects/${id}`, { name: 'Changed' }],
      ['DELETE', `/api/projects/${id}`, undefined],
    ] as const;
    for (const [method, path, body] of attempts) {
      expect(exactly(await withCookie(method, path, headers, body))).toEqual(FORBIDDEN);
    }
    expect(await directory.read(id)).toMatchObject({ upvote_count: 0, deleted_at: null });
  });

  it('is checked for its origin before input validation', async () => {
    expect(await withCookie('POST', '/api/projects', { origin: FOREIGN }, {})).toMatchObject(FORBIDDEN);
  });

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

  it('is rejected on administrators’ routes from another site', async () => {
    const headers = { cookie: `directory_token=${directory.admin.token}`, 'sec-fetch-site': 'cross-site' };
    expect(await server.call('POST', '/api/admin/categories', { headers, body: category() })).toMatchObject(FORBIDDEN);
  });
});

describe('a banned user', () => {
  it('receives 403 BANNED on any write and may still read', async () => {
    const user = await person(server);
    const mine = await directory.live(user);
    const other = await directory.live(owner);
    const comment = await directory.as(user, 'POST', `/api/projects/${other.id}/comments`, { content: 'Before.' });
    const commentId = dataOf<{ id: string }>(comment).id;
    await ban(user, 'Spam.');
    const writes = [
      ['POST', '/api/projects', submission({ categories: [directory.category] })],
      ['POST', '/api/projects', {}],
      ['PUT', `/api/projects/${mine.id}`, { name: 'Changed' }],
      ['DELETE', `/api/projects/${mine.id}`, undefined],
      ['POST', `/api/projects/${mine.id}/resubmit`, undefined],
      ['POST', `/api/projects/${other.id}/upvote`, undefined],
      ['PUT', `/api/projects/${other.id}/upvote`, undefined],
      ['DELETE', `/api/projects/${other.id}/upvote`, undefined],
      ['POST', `/api/projects/${other.id}/ratings`, { rating: 1 }],
      ['DELETE', `/api/projects/${other.id}/ratings`, undefined],
      ['POST', `/api/projects/${other.id}/comments`, { content: 'After.' }],
      ['PUT', `/api/projects/${other.id}/comments/${commentId}`, { content: 'After.' }],
      ['DELETE', `/api/projects/${other.id}/comments/${commentId}`, undefined],
    ] as const;
    for (const [method, path, body] of writes) {
      expect([method, path, await directory.as(user, method, path, body)]).toMatchObject([method, path, BANNED]);
    }
    expect(await directory.get('/api/me/submissions', user)).toMatchObject({ status: 200 });
    expect(await directory.read(other.id, user)).toMatchObject({
      upvote_count: 0,
      ratings_count: 0,
      comments_count: 1,
    });
    expect(await directory.get('/api/projects', user)).toMatchObject({ status: 200 });
  });

  it('receives 403 BANNED as an administrator too', async () => {
    const admin = await person(server, { admin: true });
    expect(await directory.get('/api/admin/projects', admin)).toMatchObject({ status: 200 });
    await ban(admin);
    expect(await directory.as(admin, 'POST', '/api/admin/categories', category())).toMatchObject(BANNED);
    expect(await directory.get('/api/admin/projects', admin)).toMatchObject(BANNED);
  });

  it('receives plain 403 on administrators’ routes as a user', async () => {
    const user = await person(server);
    expect(await directory.get('/api/me/submissions', user)).toMatchObject({ status: 200 });
    await ban(user);
    expect(await directory.as(user, 'POST', '/api/admin/categories', category())).toMatchObject({ status: 403 });
  });
});

describe('ADMIN_EMAILS', () => {
  it('makes only its addresses administrators at their first request, regardless of case', async () => {
    const first = await server.token({ email: FIRST_ADMIN.toUpperCase() });
    expect(await server.call('GET', '/api/admin/projects', { token: first })).toMatchObject({ status: 200 });
    const other = await server.token({ email: 'second.admin@example.com' });
    expect(await server.call('GET', '/api/admin/projects', { token: other })).toMatchObject(FORBIDDEN);
  });
});

describe('features', () => {
  it('are on by default: comments, ratings and map', async () => {
    const { id } = await directory.live(owner);
    expect(metaOf(await directory.get(`/api/projects/${id}/comments`)).total).toBe(0);
    expect((await directory.get('/api/projects/map')).status).toBe(200);
    expect((await directory.as(owner, 'POST', `/api/projects/${id}/ratings`, { rating: 5 })).status).toBe(200);
  });
});
