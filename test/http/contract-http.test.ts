import { describe, expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import type { CallAnswer } from '#test/support/client.ts';
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
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** The conventions of every answer: errors, tags, compression, origins, cookies, bans and the first administrator. */

const ORIGIN = 'https://app.example.com';
const OTHER_ORIGIN = 'https://admin.example.com:8443';
const FOREIGN = 'https://evil.example.net';
const FIRST_ADMIN = 'First.Admin@example.com';

let world: TestWorld;
let directory: Directory;
let owner: Person;
let stranger: Person;

withDirectory(
  async (opened) => {
    ({ world, directory } = opened);
    [owner, stranger] = await Promise.all([person(world), person(world)]);
  },
  {
    env: { ALLOWED_ORIGINS: `${ORIGIN}, ${OTHER_ORIGIN}`, ADMIN_EMAILS: `nobody@example.com, ${FIRST_ADMIN}` },
  },
);

const exactly = ({ status, body }: CallAnswer) => ({ status, body });

describe('errors', () => {
  it('have exactly error and code for 401, 403 and 404', async () => {
    const { id } = await directory.live(owner);
    expect(exactly(await directory.as(undefined, 'DELETE', `/api/projects/${id}`))).toEqual(UNAUTHORIZED);
    expect(exactly(await directory.as(stranger, 'DELETE', `/api/projects/${id}`))).toEqual(FORBIDDEN);
    expect(exactly(await directory.get(`/api/projects/${unique('none')}`))).toEqual(NOT_FOUND);
  });

  it.each([
    ['GET', '/api/nonsense'],
    ['GET', '/api'],
    ['POST', '/api/projects/x/y/z'],
    ['PATCH', '/api/projects'],
    ['DELETE', '/api/projects'],
    ['POST', '/api/categories'],
    ['GET', '/api/admin/projects/x/approve'],
    ['DELETE', '/api/admin/nonsense'],
    ['GET', '/api/projects/x/'],
    ['GET', '/API/projects'],
  ])('an unknown path or method is 404 in the same shape: %s %s', async (method, path) => {
    const answer = await world.call(method, path, { token: directory.admin.token });
    expect(exactly(answer)).toEqual(NOT_FOUND);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('x-request-id')).toMatch(/\S/);
  });

  it('answer an unknown path before they ask who calls', async () => {
    expect(await world.call('GET', '/api/admin/nonsense')).toMatchObject(NOT_FOUND);
  });

  it('say 403 on every route of administrators without a credential, with a bad one and to users', async () => {
    for (const token of [undefined, 'nonsense', owner.token]) {
      const answer = await world.call('GET', '/api/admin/projects', token === undefined ? {} : { token });
      expect(exactly(answer)).toEqual(FORBIDDEN);
    }
  });

  it('come in the order of the contract: identity, permission, input', async () => {
    const { id } = await directory.submit(owner);
    const wrong = { reason: 5 };
    const path = `/api/admin/projects/${id}/reject`;
    expect(await directory.as(undefined, 'PUT', path, wrong)).toMatchObject(FORBIDDEN);
    expect(await directory.as(owner, 'PUT', path, wrong)).toMatchObject(FORBIDDEN);
    expect(await directory.as(directory.admin, 'PUT', path, wrong)).toMatchObject(invalidAt('reason'));
    expect(await directory.as(undefined, 'POST', `/api/projects/${id}/ratings`, { rating: 9 })).toMatchObject(
      UNAUTHORIZED,
    );
    expect(await directory.as(undefined, 'GET', '/api/me/submissions?limit=999')).toMatchObject(UNAUTHORIZED);
  });

  it('are never kept by caches', async () => {
    const answer = await directory.get(`/api/projects/${unique('none')}`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});

describe('x-request-id', () => {
  it('is on every answer and differs from answer to answer', async () => {
    const { id } = await directory.live(owner);
    const first = await directory.get(`/api/projects/${id}`);
    const answers = [
      first,
      await directory.get(`/api/projects/${id}`, undefined, { 'if-none-match': first.headers.get('etag') ?? '' }),
      await directory.get('/api/projects?limit=0'),
      await directory.get('/api/me/submissions'),
      await directory.get('/api/admin/projects'),
      await directory.get('/api/nonsense'),
      await directory.as(owner, 'POST', '/api/projects', {}),
      await world.call('OPTIONS', '/api/projects'),
    ];
    const ids = answers.map((answer) => answer.headers.get('x-request-id'));
    expect(ids.every((one) => one !== null && one !== '')).toBe(true);
    expect(new Set(ids).size).toBe(answers.length);
  });
});

describe('tags', () => {
  const withTag = (path: string, tag: string, who?: Person) => directory.get(path, who, { 'if-none-match': tag });

  it('are strong, on every JSON answer, and If-None-Match answers 304 without a body on GET', async () => {
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
    for (const [path, who] of reads) {
      const answer = await directory.get(path, who);
      const tag = answer.headers.get('etag') ?? '';
      expect([path, tag]).toEqual([path, expect.stringMatching(/^"[^"]+"$/)]);
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const again = await withTag(path, known, who);
        expect([path, known, again.status, again.body]).toEqual([path, known, 304, undefined]);
        expect(again.headers.get('etag')).toBe(tag);
        expect(again.headers.get('cache-control')).toBe(answer.headers.get('cache-control'));
      }
      expect((await withTag(path, '"other"', who)).status).toBe(200);
    }
  });

  it('change with the answer', async () => {
    const { slug } = await directory.addCategory();
    const path = `/api/projects?category=${slug}`;
    const tag = (await directory.get(path)).headers.get('etag') ?? '';
    const { id } = await directory.live(owner, { categories: [slug] });
    const next = await withTag(path, tag);
    expect(next).toMatchObject({ status: 200, body: { data: [{ id }] } });
    await directory.as(owner, 'PUT', `/api/projects/${id}/upvote`);
    expect(await withTag(path, next.headers.get('etag') ?? '')).toMatchObject({
      status: 200,
      body: { data: [{ upvote_count: 1 }] },
    });
  });

  it('do nothing on other methods', async () => {
    const { id } = await directory.live(owner);
    const answer = await directory.as(
      owner,
      'PUT',
      `/api/projects/${id}`,
      { name: 'Changed' },
      { 'if-none-match': '*' },
    );
    expect(answer).toMatchObject({ status: 200, body: { data: { name: 'Changed' } } });
  });

  it('never come with words that let shared caches keep what is private', async () => {
    expect((await directory.get('/api/me/submissions', owner)).headers.get('cache-control')).toMatch(
      /private|no-store/,
    );
    expect((await directory.get('/api/projects', owner)).headers.get('cache-control')).toMatch(/private|no-store/);
  });
});

describe('compression', () => {
  const fetched = async (path: string, encoding: string) => {
    const answer = await fetch(`${world.url}${path}`, { headers: { 'accept-encoding': encoding } });
    return {
      encoding: answer.headers.get('content-encoding'),
      vary: answer.headers.get('vary') ?? '',
      tag: answer.headers.get('etag'),
      body: await answer.json(),
    };
  };

  it('happens above 1 KB when the caller accepts gzip, and changes neither content nor tag', async () => {
    const { id } = await directory.live(owner, { long_description: 'Many words. '.repeat(200) });
    const path = `/api/projects/${id}`;
    const plain = await fetched(path, 'identity');
    const packed = await fetched(path, 'gzip');
    expect(plain.encoding).toBeNull();
    expect(packed.encoding).toBe('gzip');
    expect(packed.body).toEqual(plain.body);
    expect(packed.tag).toBe(plain.tag);
    for (const { vary } of [plain, packed]) expect(vary).toMatch(/accept-encoding/i);
  });

  it('does not happen to short answers', async () => {
    const { slug } = await directory.addCategory();
    expect((await fetched(`/api/categories/${slug}`, 'gzip')).encoding).toBeNull();
  });

  it('does not happen to callers who refuse it', async () => {
    const { id } = await directory.live(owner, { long_description: 'Many words. '.repeat(200) });
    expect((await fetched(`/api/projects/${id}`, 'gzip;q=0')).encoding).toBeNull();
  });
});

describe('other origins', () => {
  const allowed = (answer: CallAnswer) => answer.headers.get('access-control-allow-origin');

  it('of the configuration may read every answer with credentials, failures too', async () => {
    for (const origin of [ORIGIN, OTHER_ORIGIN]) {
      for (const path of ['/api/projects', '/api/projects/none', '/api/me/submissions', '/api/nonsense']) {
        const answer = await directory.get(path, undefined, { origin });
        expect([path, allowed(answer)]).toEqual([path, origin]);
        expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
        expect(answer.headers.get('vary')).toMatch(/origin/i);
      }
    }
  });

  it('may read the headers that the contract speaks of', async () => {
    const answer = await directory.get('/api/projects', undefined, { origin: ORIGIN });
    const exposed = (answer.headers.get('access-control-expose-headers') ?? '').toLowerCase();
    for (const name of ['etag', 'x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after'])
      expect(exposed).toContain(name);
  });

  it.each([FOREIGN, 'null', `${ORIGIN}.evil.example.net`, 'http://app.example.com', `${ORIGIN}:444`])(
    'such as %s get no words for them',
    async (origin) => {
      for (const answer of [
        await directory.get('/api/projects', undefined, { origin }),
        await world.call('OPTIONS', '/api/projects', { headers: { origin, 'access-control-request-method': 'POST' } }),
      ]) {
        const words = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));
        expect(words).toEqual([]);
      }
    },
  );

  it('have their preflight answered for every route', async () => {
    for (const route of routes) {
      const answer = await world.call('OPTIONS', pathOf(route), {
        headers: {
          ...{ origin: ORIGIN, 'access-control-request-method': route.method },
          'access-control-request-headers': 'authorization, content-type, if-match, idempotency-key',
        },
      });
      expect([route.id, answer.status < 300, allowed(answer)]).toEqual([route.id, true, ORIGIN]);
      expect(answer.headers.get('access-control-allow-methods')).toContain(route.method);
      const headers = (answer.headers.get('access-control-allow-headers') ?? '').toLowerCase();
      for (const name of ['authorization', 'content-type', 'if-match', 'if-none-match', 'idempotency-key']) {
        expect(headers).toContain(name);
      }
      expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
    }
  });
});

describe('the cookie', () => {
  const cookie = (who: Person) => ({ cookie: `theme=dark; directory_token=${who.token}; other=1` });
  const withCookie = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    world.call(method, path, { headers: { ...cookie(owner), ...headers }, ...(body !== undefined && { body }) });
  const host = () => new URL(world.url).host;

  it('identifies a browser of the same origin on reads', async () => {
    expect(await withCookie('GET', '/api/me/submissions', {})).toMatchObject({ status: 200 });
    expect(
      await world.call('GET', '/api/me/submissions', { headers: { cookie: 'directory_token=nonsense' } }),
    ).toMatchObject(UNAUTHORIZED);
    expect(
      await world.call('GET', '/api/me/submissions', { headers: { cookie: `other=${owner.token}` } }),
    ).toMatchObject(UNAUTHORIZED);
  });

  it.each<[string, () => Record<string, string>]>([
    ['Sec-Fetch-Site: same-origin', () => ({ 'sec-fetch-site': 'same-origin' })],
    ['an Origin of the same host', () => ({ host: host(), origin: `http://${host()}` })],
  ])('is taken on an unsafe method with %s', async (_, headers) => {
    const body = submission({ categories: [directory.category] });
    expect(await withCookie('POST', '/api/projects', headers(), body)).toMatchObject({ status: 201 });
  });

  it.each<[string, Record<string, string>]>([
    ['nothing that says where the page is from', {}],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site' }],
    ['an Origin of another host', { origin: FOREIGN }],
    ['an Origin that is allowed to call with CORS', { origin: ORIGIN }],
    ['the Origin null', { origin: 'null' }],
    ['a Referer only', { referer: 'http://localhost/' }],
  ])('is 403 on an unsafe method with %s', async (_, headers) => {
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

  it('is checked for its origin before the input is', async () => {
    expect(await withCookie('POST', '/api/projects', { origin: FOREIGN }, {})).toMatchObject(FORBIDDEN);
  });

  it('gives way to a bearer token, which needs no origin', async () => {
    const answer = await world.call('POST', '/api/projects', {
      ...{ token: stranger.token, headers: { ...cookie(owner), origin: FOREIGN } },
      body: submission({ categories: [directory.category] }),
    });
    expect(answer.status).toBe(201);
    expect(await directory.read(dataOf<{ id: string }>(answer).id, stranger)).toMatchObject({ owner_id: stranger.id });
  });

  it('does not help with administrators routes from another site', async () => {
    const headers = { cookie: `directory_token=${directory.admin.token}`, 'sec-fetch-site': 'cross-site' };
    expect(await world.call('POST', '/api/admin/categories', { headers, body: category() })).toMatchObject(FORBIDDEN);
  });
});

describe('a banned user', () => {
  it('gets 403 BANNED on any write and may still read', async () => {
    const user = await person(world);
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

  it('gets it as an administrator too, on writes', async () => {
    const admin = await person(world, { admin: true });
    await directory.get('/api/admin/projects', admin);
    await ban(admin);
    expect(await directory.as(admin, 'POST', '/api/admin/categories', category())).toMatchObject(BANNED);
  });

  it('gets plain 403 on routes of administrators', async () => {
    const user = await person(world);
    await directory.get('/api/me/submissions', user);
    await ban(user);
    expect(await directory.as(user, 'POST', '/api/admin/categories', category())).toMatchObject({ status: 403 });
  });
});

describe('ADMIN_EMAILS', () => {
  it('makes its addresses administrators at first sight, whatever their case, and nobody else', async () => {
    const first = await world.token({ email: FIRST_ADMIN.toUpperCase() });
    expect(await world.call('GET', '/api/admin/projects', { token: first })).toMatchObject({ status: 200 });
    const other = await world.token({ email: 'second.admin@example.com' });
    expect(await world.call('GET', '/api/admin/projects', { token: other })).toMatchObject(FORBIDDEN);
  });
});

describe('features', () => {
  it('are on by default: comments, ratings and map answer', async () => {
    const { id } = await directory.live(owner);
    expect(metaOf(await directory.get(`/api/projects/${id}/comments`)).total).toBe(0);
    expect((await directory.get('/api/projects/map')).status).toBe(200);
    expect((await directory.as(owner, 'POST', `/api/projects/${id}/ratings`, { rating: 5 })).status).toBe(200);
  });
});
