import { describe, expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import { map, type Project } from '#contract/projects.ts';
import { encode } from '#http/encoded.ts';
import { newId } from '#platform/ids.ts';
import { mapFeed } from '#services/projects/list.ts';
import { pendingProject } from '#services/projects/submit.ts';
import {
  BANNED,
  ban,
  type Directory,
  dataOf,
  FORBIDDEN,
  fullSubmission,
  idOf,
  idsOf,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  type State,
  states,
  submission,
  TIME,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import { startPremium } from '#test/support/payments.ts';
import type { TestServer } from '#test/support/server.ts';
import { withDirectory } from '#test/support/with-directory.ts';

/** Single projects, the map feed and the caller's own submissions. */

let server: TestServer;
let directory: Directory;
let owner: Person;
let stranger: Person;

withDirectory(async (opened) => {
  ({ server, directory } = opened);
  [owner, stranger] = await Promise.all([person(server), person(server)]);
});

describe('project', () => {
  it('has exactly the public fields for anonymous readers, as submitted', async () => {
    const { slug: category } = await directory.addCategory({ sphere: unique('Sphere') });
    const body = fullSubmission({ categories: [category] });
    const { id } = await directory.live(owner, body);
    const { data } = (await directory.get(`/api/projects/${id}`)).body as { data: Project };
    const { plan, name, slug, url, description, pricing_type, long_description, logo_url, screenshots } = body;
    const { video_url, tags, latitude, longitude, address_city, address_country } = body;
    expect(data).toEqual({
      ...{ plan, name, slug, url, description, pricing_type, long_description, logo_url, screenshots },
      ...{ video_url, tags, latitude, longitude, address_city, address_country },
      id: idOf('prj'),
      categories: [category],
      spheres: [expect.any(String)],
      status: 'live',
      owner_id: owner.id,
      upvote_count: 0,
      average_rating: 0,
      ratings_count: 0,
      comments_count: 0,
      views_count: 0,
      created_at: TIME,
      updated_at: TIME,
      published_at: TIME,
      deleted_at: null,
    });
  });

  it('has null or an empty list for fields that were not submitted', async () => {
    const { id } = await directory.live(owner);
    expect(await directory.read(id)).toMatchObject({
      long_description: null,
      tags: [],
      logo_url: null,
      screenshots: [],
      video_url: null,
      latitude: null,
      longitude: null,
      address_city: null,
      address_country: null,
      deleted_at: null,
    });
  });

  it('includes rejection_reason and paid_at for the owner and administrators only', async () => {
    const { id } = await directory.live(owner);
    expect(await directory.read(id, owner)).toMatchObject({ rejection_reason: null, paid_at: null });
    expect(await directory.read(id, directory.admin)).toMatchObject({ rejection_reason: null, paid_at: null });
    for (const reader of [undefined, stranger]) {
      expect(await directory.read(id, reader)).not.toHaveProperty('rejection_reason');
      expect(await directory.read(id, reader)).not.toHaveProperty('paid_at');
    }
  });

  it('includes possible_duplicates for administrators only', async () => {
    const host = `${unique('twin')}.example.com`;
    const first = await directory.live(owner, { url: `https://www.${host}/path/?utm_source=x&a=1#top` });
    const second = await directory.live(stranger, { url: `http://${host.toUpperCase()}:80/path?a=1` });
    const other = await directory.live(owner, { url: `https://${host}/elsewhere` });
    expect(await directory.read(first.id, directory.admin)).toMatchObject({ possible_duplicates: [second.id] });
    expect(await directory.read(second.id, directory.admin)).toMatchObject({ possible_duplicates: [first.id] });
    expect(await directory.read(other.id, directory.admin)).toMatchObject({ possible_duplicates: [] });
    for (const reader of [undefined, owner, stranger]) {
      expect(await directory.read(first.id, reader)).not.toHaveProperty('possible_duplicates');
    }
  });

  it.each([
    ['the scheme', 'https://HOST/a', 'http://HOST/a'],
    ['www.', 'https://HOST/a', 'https://www.HOST/a'],
    ['the case of the host', 'https://HOST/a', 'https://UPPER/a'],
    ['the default port', 'https://HOST/a', 'https://HOST:443/a'],
    ['the default port of http', 'http://HOST/a', 'http://HOST:80/a'],
    ['the trailing slash', 'https://HOST/a', 'https://HOST/a/'],
    ['the slash of the root', 'https://HOST', 'https://HOST/'],
    ['the fragment', 'https://HOST/a', 'https://HOST/a#part'],
    ['tracking parameters', 'https://HOST/a?b=1', 'https://HOST/a?utm_campaign=x&b=1&fbclid=2&gclid=3'],
  ])('lists URLs that differ only in %s as possible duplicates', async (_, one, other) => {
    const host = `${unique('same')}.example.com`;
    const written = (url: string) => url.replace('HOST', host).replace('UPPER', host.toUpperCase());
    const first = await directory.submit(owner, { url: written(one) });
    const second = await directory.submit(owner, { url: written(other) });
    expect(await directory.read(first.id, directory.admin)).toMatchObject({ possible_duplicates: [second.id] });
  });

  it.each([
    ['the path', 'https://HOST/a', 'https://HOST/b'],
    ['the case of the path', 'https://HOST/a', 'https://HOST/A'],
    ['a parameter that is not for tracking', 'https://HOST/?id=1', 'https://HOST/?id=2'],
    ['a subdomain', 'https://HOST/', 'https://blog.HOST/'],
    ['another port', 'https://HOST/', 'https://HOST:8443/'],
  ])('does not list URLs that differ in %s as possible duplicates', async (_, one, other) => {
    const host = `${unique('apart')}.example.com`;
    const first = await directory.submit(owner, { url: one.replace('HOST', host) });
    await directory.submit(owner, { url: other.replace('HOST', host) });
    expect(await directory.read(first.id, directory.admin)).toMatchObject({ possible_duplicates: [] });
  });

  it("includes viewer, the reader's vote and rating, for authenticated readers only", async () => {
    const { id } = await directory.live(owner);
    expect(await directory.read(id)).not.toHaveProperty('viewer');
    expect((await directory.read(id, stranger)).viewer).toEqual({ upvoted: false, rating: null });
    await directory.ok(stranger, 'POST', `/api/projects/${id}/upvote`);
    await directory.ok(stranger, 'POST', `/api/projects/${id}/ratings`, { rating: 4 });
    expect((await directory.read(id, stranger)).viewer).toEqual({ upvoted: true, rating: 4 });
    expect((await directory.read(id, owner)).viewer).toEqual({ upvoted: false, rating: null });
  });

  it('treats an invalid credential on a public route as anonymous', async () => {
    const { id } = await directory.live(owner);
    const response = await server.call('GET', `/api/projects/${id}`, { token: 'not.a.token' });
    expect(response.status).toBe(200);
    expect(dataOf(response)).not.toHaveProperty('viewer');
  });

  it('sets published_at once, at the first transition to live', async () => {
    const { id } = await directory.submit(owner);
    expect(await directory.read(id, owner)).toMatchObject({ status: 'pending', published_at: null });
    await directory.adminOk('PUT', `/api/admin/projects/${id}/approve`);
    const { published_at: first } = await directory.read(id);
    expect(first).toEqual(TIME);
    await directory.adminOk('PUT', `/api/admin/projects/${id}`, { status: 'rejected' });
    await directory.adminOk('PUT', `/api/admin/projects/${id}`, { status: 'live' });
    expect((await directory.read(id)).published_at).toBe(first);
  });

  it('shows the sphere of a new category in the next single read', async () => {
    for (let round = 0; round < 3; round += 1) {
      const sphere = unique('Sphere');
      const { slug } = await directory.addCategory({ sphere });
      const { id } = await directory.submit(owner, { categories: [slug] });
      expect((await directory.read(id, owner)).spheres).toEqual([sphere]);
    }
  });

  it('shows a changed sphere in the next single read', async () => {
    const { id: categoryId, slug } = await directory.addCategory({ sphere: unique('Before') });
    const { id } = await directory.live(owner, { categories: [slug] });
    for (let round = 0; round < 3; round += 1) {
      const sphere = unique('After');
      await directory.adminOk('PUT', `/api/admin/categories/${categoryId}`, { sphere });
      expect((await directory.read(id)).spheres).toEqual([sphere]);
    }
  });
});

describe('read permission', () => {
  const readers = ['anonymous', 'stranger', 'owner', 'admin'] as const;
  const sees: Record<State, readonly (typeof readers)[number][]> = {
    live: ['anonymous', 'stranger', 'owner', 'admin'],
    pending: ['owner', 'admin'],
    rejected: ['owner', 'admin'],
    deleted: ['admin'],
  };

  it.each(states.flatMap((state) => readers.map((reader) => ({ state, reader, sees: sees[state].includes(reader) }))))(
    'of a $state project for $reader: $sees',
    async ({ state, reader, sees: isVisible }) => {
      const { id, slug } = await directory.project(state, owner);
      const who = { anonymous: undefined, stranger, owner, admin: directory.admin }[reader];
      for (const reference of [id, slug]) {
        const response = await directory.get(`/api/projects/${reference}`, who);
        if (isVisible) expect(response).toMatchObject({ status: 200, body: { data: { id } } });
        else expect({ status: response.status, body: response.body }).toEqual(NOT_FOUND);
      }
    },
  );

  it('of a banned administrator is that of an ordinary reader', async () => {
    const boss = await person(server, { admin: true });
    const name = unique('Hidden');
    const { id } = await directory.submit(owner, { name });
    const { id: live } = await directory.live(owner, { name });
    const comment = await directory.react(stranger, live);
    const checkout = await startPremium(directory, owner);
    expect(await directory.get(`/api/projects/${id}`, boss)).toMatchObject({ status: 200 });
    await ban(boss);
    expect(await directory.get(`/api/projects/${id}`, boss)).toMatchObject(NOT_FOUND);
    const { viewer, ...project } = await directory.read(live, boss);
    expect(project).toEqual(await directory.read(live));
    expect(viewer).toEqual({ upvoted: false, rating: null });
    for (const status of ['pending', 'nonsense']) {
      expect(idsOf(await directory.get(`/api/projects?status=${status}&q=${name}`, boss))).toEqual([live]);
    }
    expect(dataOf<Project[]>(await directory.get(`/api/projects?q=${name}`, boss))).toEqual([project]);
    expect(await directory.get(`/api/payments/checkouts/${checkout.checkout_id}`, boss)).toMatchObject(NOT_FOUND);
    expect(await directory.get(`/api/analytics/projects/${live}`, boss)).toMatchObject(FORBIDDEN);
    const path = `/api/projects/${live}/comments/${comment}`;
    expect(await directory.as(boss, 'DELETE', path)).toMatchObject(BANNED);
  });

  it('returns 404 for unknown ids and slugs', async () => {
    for (const reference of [newId('prj'), 'prj_short', unique('none'), 'Not-A-Slug', '%F0%9F%8D%BA']) {
      for (const who of [undefined, directory.admin]) {
        expect(await directory.get(`/api/projects/${reference}`, who)).toMatchObject(NOT_FOUND);
      }
    }
  });

  it('finds a project by id, slug and every earlier slug, on every route', async () => {
    const { id, slug: first } = await directory.live(owner);
    const [second, third] = [unique('second'), unique('third')];
    for (const slug of [second, third]) await directory.ok(owner, 'PUT', `/api/projects/${id}`, { slug });
    for (const reference of [id, first, second, third]) {
      const path = `/api/projects/${reference}`;
      expect(await directory.read(reference)).toMatchObject({ id, slug: third });
      await directory.ok(stranger, 'PUT', `${path}/upvote`);
      await directory.ok(stranger, 'POST', `${path}/ratings`, { rating: 5 });
      await directory.ok(stranger, 'POST', `${path}/comments`, { content: 'Hello.' }, 201);
      expect(await directory.get(`${path}/comments`)).toMatchObject({ status: 200 });
      expect(await directory.as(owner, 'PUT', path, { description: reference })).toMatchObject({
        body: { data: { id } },
      });
      expect(
        await directory.as(directory.admin, 'PUT', `/api/admin/projects/${reference}`, { tags: [] }),
      ).toMatchObject({
        body: { data: { id } },
      });
      expect(await directory.as(directory.admin, 'PUT', `/api/admin/projects/${reference}/approve`)).toMatchObject({
        status: 409,
      });
    }
    expect(await directory.as(owner, 'DELETE', `/api/projects/${first}`)).toMatchObject({ body: { data: { id } } });
    expect(await directory.as(directory.admin, 'DELETE', `/api/admin/projects/${second}`)).toMatchObject({
      body: { data: { id } },
    });
  });
});

describe('map feed', () => {
  interface MapItem {
    readonly id: string;
  }
  const feed = async () => {
    const response = await directory.get('/api/projects/map');
    return { response, items: (response.body as { items: MapItem[] }).items };
  };

  it('is public and has items with exactly the fields of the specification', async () => {
    const body = fullSubmission({ categories: [directory.category] });
    const { id } = await directory.live(owner, body);
    const { response, items } = await feed();
    expect(response.status).toBe(200);
    expect(Object.keys(response.body as object)).toEqual(['items']);
    expect(items.find((item) => item.id === id)).toEqual({
      id,
      name: body.name,
      slug: body.slug,
      logo_url: body.logo_url,
      categories: [directory.category],
      pricing: 'free',
      plan: 'standard',
      average_rating: 0,
      ratings_count: 0,
      latitude: body.latitude,
      longitude: body.longitude,
      address_city: body.address_city,
      address_country: body.address_country,
    });
  });

  it('has null for a missing logo and an empty string for a missing address', async () => {
    const { id } = await directory.live(owner, { latitude: 0, longitude: 0 });
    const { items } = await feed();
    expect(items.find((item) => item.id === id)).toMatchObject({
      ...{ logo_url: null, address_city: '', address_country: '', latitude: 0, longitude: 0 },
    });
  });

  it('has the live projects with coordinates only, newest first', async () => {
    const coordinates = { latitude: 1, longitude: 1 };
    const first = await directory.live(owner, coordinates);
    const second = await directory.live(owner, coordinates);
    const hidden = await Promise.all([
      directory.live(owner),
      ...(['pending', 'rejected', 'deleted'] as const).map((state) => directory.project(state, owner, coordinates)),
    ]);
    const ids = (await feed()).items.map((item) => item.id);
    expect(ids.slice(0, 2)).toEqual([second.id, first.id]);
    for (const { id } of hidden) expect(ids).not.toContain(id);
  });

  it('shows the average rating and its count', async () => {
    const { id } = await directory.live(owner, { latitude: 2, longitude: 2 });
    await directory.ok(owner, 'POST', `/api/projects/${id}/ratings`, { rating: 4 });
    await directory.ok(stranger, 'POST', `/api/projects/${id}/ratings`, { rating: 5 });
    const { items } = await feed();
    expect(items.find((item) => item.id === id)).toMatchObject({ average_rating: 4.5, ratings_count: 2 });
  });

  it('is publicly cacheable for two minutes', async () => {
    expect((await feed()).response.headers.get('cache-control')).toBe('public, max-age=120');
  });

  it('has at most the newest 5000 projects', () => {
    const catalog = new Catalog();
    const ids = Array.from({ length: 5001 }, () => newId('prj'));
    catalog.apply(
      ids.map((id, number) => {
        const at = new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString();
        const content = { ...submission(), categories: [], latitude: 1, longitude: 1 };
        const pending = pendingProject(content as never, { id, slug: id, ownerId: 'owner', at });
        return { kind: 'project' as const, project: { ...pending, status: 'live' as const, published_at: at } };
      }),
    );
    const { items } = JSON.parse(encode(map, 200, mapFeed(catalog)).text) as { items: MapItem[] };
    expect(items).toHaveLength(5000);
    expect(items[0]?.id).toBe(ids.at(-1));
    expect(items.map((item) => item.id)).not.toContain(ids[0]);
  });
});

describe('own submissions', () => {
  it('require authentication', async () => {
    expect(await directory.get('/api/me/submissions')).toMatchObject(UNAUTHORIZED);
  });

  it("list the caller's projects except deleted ones, newest first, and ignore a status parameter", async () => {
    const me = await person(server);
    const [live, pending, rejected] = [
      await directory.project('live', me),
      await directory.project('pending', me),
      await directory.project('rejected', me),
    ];
    await directory.project('deleted', me);
    await directory.live(stranger);
    for (const query of ['', '?status=live', '?status=nonsense']) {
      const response = await directory.get(`/api/me/submissions${query}`, me);
      expect(response.status).toBe(200);
      expect(idsOf(response).toSorted()).toEqual([live.id, pending.id, rejected.id].toSorted());
    }
    const listed = dataOf<Project[]>(await directory.get('/api/me/submissions', me));
    expect(listed.map((project) => project.created_at)).toEqual(
      listed
        .map((project) => project.created_at)
        .toSorted()
        .toReversed(),
    );
    expect(Object.fromEntries(listed.map((project) => [project.status, project.rejection_reason]))).toEqual({
      live: null,
      pending: null,
      rejected: 'Not yet.',
    });
  });

  it('are returned in pages; invalid paging returns 400', async () => {
    const me = await person(server);
    const ids = [];
    for (let number = 0; number < 3; number += 1) ids.unshift((await directory.submit(me)).id);
    const response = await directory.get('/api/me/submissions', me);
    expect(response.body).toMatchObject({ meta: { total: 3, page: 1, pageSize: 40, hasMore: false } });
    const first = await directory.get('/api/me/submissions?limit=2', me);
    expect(metaOf(first)).toEqual({ total: 3, page: 1, pageSize: 2, hasMore: true });
    const second = await directory.get('/api/me/submissions?limit=2&page=2', me);
    expect(metaOf(second)).toEqual({ total: 3, page: 2, pageSize: 2, hasMore: false });
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids);
    for (const query of ['limit=101', 'limit=0', 'page=0', 'page=x']) {
      expect(await directory.get(`/api/me/submissions?${query}`, me)).toMatchObject({ status: 400 });
    }
  });

  it('include the queue position of pending projects, which decreases as the queue shrinks', async () => {
    const me = await person(server);
    const [first, second] = [await directory.submit(me), await directory.submit(me)];
    const live = await directory.live(me);
    const positions = async () => {
      const listed = dataOf<Project[]>(await directory.get('/api/me/submissions', me));
      return new Map(listed.map((project) => [project.id, project.queue_position]));
    };
    const before = await positions();
    expect(before.get(live.id)).toBeUndefined();
    const start = before.get(first.id) ?? 0;
    expect(start).toBeGreaterThanOrEqual(1);
    expect(before.get(second.id)).toBe(start + 1);
    await directory.adminOk('PUT', `/api/admin/projects/${first.id}/approve`);
    const after = await positions();
    expect(after.get(first.id)).toBeUndefined();
    expect(after.get(second.id)).toBe(start);
  });
});
