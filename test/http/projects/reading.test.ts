import { expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import {
  BANNED,
  ban,
  dataOf,
  FORBIDDEN,
  fullSubmission,
  idOf,
  idsOf,
  NOT_FOUND,
  person,
  success,
  TIME,
  unique,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { startPremium } from '#test/support/payments.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();
const [owner, stranger] = await Promise.all([person(server), person(server)]);

it('a project has exactly the public fields for anonymous readers, as submitted', async () => {
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
    weighted_rating: 3,
    ratings_count: 0,
    comments_count: 0,
    views_count: 0,
    fields: {},
    created_at: TIME,
    updated_at: TIME,
    published_at: TIME,
    deleted_at: null,
    claimed_at: null,
  });
});

it('a project has null or an empty list for fields that were not submitted', async () => {
  const { id } = await directory.live(owner);
  expect(await directory.read(id)).toMatchObject({
    ...{ long_description: null, tags: [], logo_url: null, screenshots: [], video_url: null, deleted_at: null },
    ...{ latitude: null, longitude: null, address_city: null, address_country: null },
  });
});

it('a project includes rejection_reason and paid_at for the owner and administrators only', async () => {
  const { id } = await directory.live(owner);
  expect(await directory.read(id, owner)).toMatchObject({ rejection_reason: null, paid_at: null });
  expect(await directory.read(id, directory.admin)).toMatchObject({ rejection_reason: null, paid_at: null });
  for (const reader of [undefined, stranger]) {
    expect(await directory.read(id, reader)).not.toHaveProperty('rejection_reason');
    expect(await directory.read(id, reader)).not.toHaveProperty('paid_at');
  }
});

it('a project includes possible_duplicates for administrators only', async () => {
  const host = `${unique('twin')}.example.com`;
  const first = await directory.live(owner, { url: `https://www.${host}/path/?utm_source=x&a=1#top` });
  const second = await directory.live(stranger, { url: `http://${host.toUpperCase()}:80/path?a=1` });
  await directory.live(owner, { url: `https://${host}/elsewhere` });
  expect(await directory.read(second.id, directory.admin)).toMatchObject({ possible_duplicates: [first.id] });
  for (const reader of [undefined, owner, stranger]) {
    expect(await directory.read(first.id, reader)).not.toHaveProperty('possible_duplicates');
  }
});

it("a project includes viewer, the reader's vote and rating, for authenticated readers only", async () => {
  const { id } = await directory.live(owner);
  expect(await directory.read(id)).not.toHaveProperty('viewer');
  expect((await directory.read(id, stranger)).viewer).toEqual({ upvoted: false, rating: null, bookmarked: false });
  await directory.ok(stranger, 'POST', `/api/projects/${id}/upvote`);
  await directory.ok(stranger, 'POST', `/api/projects/${id}/ratings`, { rating: 4 });
  expect((await directory.read(id, stranger)).viewer).toEqual({ upvoted: true, rating: 4, bookmarked: false });
  expect((await directory.read(id, owner)).viewer).toEqual({ upvoted: false, rating: null, bookmarked: false });
});

it('a project sets published_at once, at the first transition to live', async () => {
  const { id } = await directory.submit(owner);
  expect(await directory.read(id, owner)).toMatchObject({ status: 'pending', published_at: null });
  await directory.adminOk('PUT', `/api/admin/projects/${id}/approve`);
  const { published_at: first } = await directory.read(id);
  expect(first).toEqual(TIME);
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, { status: 'rejected' });
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, { status: 'live' });
  expect((await directory.read(id)).published_at).toBe(first);
});

longTest('a project shows a new and a changed sphere of its category in the next single read', async () => {
  for (let round = 0; round < 3; round += 1) {
    const sphere = unique('Sphere');
    const { slug } = await directory.addCategory({ sphere });
    const { id } = await directory.submit(owner, { categories: [slug] });
    expect((await directory.read(id, owner)).spheres).toEqual([sphere]);
    await directory.adminOk('PUT', `/api/admin/categories/${slug}`, { sphere: `${sphere} after` });
    expect((await directory.read(id, owner)).spheres).toEqual([`${sphere} after`]);
  }
});

it('the permission to read a project of a banned administrator equals that of an ordinary reader', async () => {
  const boss = await person(server, { admin: true });
  const name = unique('Hidden');
  const { id } = await directory.submit(owner, { name });
  const { id: live } = await directory.live(owner, { name });
  const comment = await directory.react(stranger, live);
  const checkout = await startPremium(directory, owner);
  await directory.ok(boss, 'GET', `/api/projects/${id}`);
  await ban(boss);
  expect(await directory.get(`/api/projects/${id}`, boss)).toMatchObject(NOT_FOUND);
  const { viewer, ...project } = await directory.read(live, boss);
  expect(project).toEqual(await directory.read(live));
  expect(viewer).toEqual({ upvoted: false, rating: null, bookmarked: false });
  for (const status of ['pending', 'nonsense']) {
    expect(idsOf(await directory.get(`/api/projects?status=${status}&q=${name}`, boss))).toEqual([live]);
  }
  expect(dataOf<Project[]>(await directory.get(`/api/projects?q=${name}`, boss))).toEqual([project]);
  expect(await directory.get(`/api/payments/checkouts/${checkout.checkout_id}`, boss)).toMatchObject(NOT_FOUND);
  expect(await directory.get(`/api/analytics/projects/${live}`, boss)).toMatchObject(FORBIDDEN);
  const path = `/api/projects/${live}/comments/${comment}`;
  expect(await directory.as(boss, 'DELETE', path)).toMatchObject(BANNED);
});

it('the permission to read a project finds a project by id, slug and every earlier slug, on every route', async () => {
  const { id, slug: first } = await directory.live(owner);
  const [second, third] = [unique('second'), unique('third')];
  for (const slug of [second, third]) await directory.ok(owner, 'PUT', `/api/projects/${id}`, { slug });
  for (const reference of [id, first, second, third]) {
    const path = `/api/projects/${reference}`;
    expect(await directory.read(reference)).toMatchObject({ id, slug: third });
    await directory.ok(stranger, 'PUT', `${path}/upvote`);
    await directory.ok(stranger, 'POST', `${path}/ratings`, { rating: 5 });
    await directory.ok(stranger, 'POST', `${path}/comments`, { content: 'Hello.' }, 201);
    await directory.ok(undefined, 'GET', `${path}/comments`);
    expect(await directory.as(owner, 'PUT', path, { description: reference })).toMatchObject(success({ id }));
    const edited = await directory.adminOk('PUT', `/api/admin/projects/${reference}`, { tags: [] });
    expect(edited).toMatchObject(success({ id }));
    await directory.ok(directory.admin, 'PUT', `/api/admin/projects/${reference}/approve`, undefined, 409);
  }
  expect(await directory.as(owner, 'DELETE', `/api/projects/${first}`)).toMatchObject(success({ id }));
  expect(await directory.asAdmin('DELETE', `/api/admin/projects/${second}`)).toMatchObject(success({ id }));
});

interface MapItem {
  readonly id: string;
}
const feed = async () => {
  const response = await directory.get('/api/projects/map');
  return { response, items: (response.body as { items: MapItem[] }).items };
};

it('the map feed is public, cacheable for two minutes, and has items with exactly the fields of the specification', async () => {
  const body = fullSubmission({ categories: [directory.category] });
  const { id } = await directory.live(owner, body);
  const { response, items } = await feed();
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=120']);
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

it('the map feed has ratings, null for a missing logo and an empty string for a missing address', async () => {
  const { id } = await directory.live(owner, { latitude: 0, longitude: 0 });
  await directory.ok(owner, 'POST', `/api/projects/${id}/ratings`, { rating: 4 });
  await directory.ok(stranger, 'POST', `/api/projects/${id}/ratings`, { rating: 5 });
  const { items } = await feed();
  expect(items.find((item) => item.id === id)).toMatchObject({
    ...{ logo_url: null, address_city: '', address_country: '', latitude: 0, longitude: 0 },
    ...{ average_rating: 4.5, ratings_count: 2 },
  });
});

longTest('the map feed has the live projects with coordinates only, newest first', async () => {
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

longTest(
  "the submissions of the caller list the caller's projects except deleted ones, newest first, and ignore a status parameter",
  async () => {
    const me = await person(server);
    const [live, pending, rejected] = [
      await directory.project('live', me),
      await directory.project('pending', me),
      await directory.project('rejected', me),
    ];
    await directory.project('deleted', me);
    await directory.live(stranger);
    for (const query of ['', '?status=live', '?status=nonsense']) {
      const response = await directory.ok(me, 'GET', `/api/me/submissions${query}`);
      expect(idsOf(response).toSorted()).toEqual([live.id, pending.id, rejected.id].toSorted());
    }
    const listed = dataOf<Project[]>(await directory.get('/api/me/submissions', me));
    const times = listed.map((project) => project.created_at);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(Object.fromEntries(listed.map((project) => [project.status, project.rejection_reason]))).toEqual({
      live: null,
      pending: null,
      rejected: 'Not yet.',
    });
  },
);

it('the submissions of the caller include the queue position of pending projects, which decreases as the queue shrinks', async () => {
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
