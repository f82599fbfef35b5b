import { describe, expect, it, onTestFinished } from 'vitest';
import type { AuditEntry } from '#contract/audit.ts';
import { COLLECTIONS_MAX, type Collection, type CollectionWithProjects } from '#contract/collections.ts';
import { collectionCountKey } from '#data/keys.ts';
import { updateItem } from '#data/write.ts';
import {
  conflict,
  dataOf,
  idOf,
  idsOf,
  invalidAt,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  STALE,
  success,
  TIME,
  unique,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();
const owner = await person(server);
const { admin } = directory;

const ADMIN = '/api/admin/collections';
const create = (fields = {}): Promise<Collection> => directory.addCollection(fields);
const update = (id: string, body: object, headers = {}) => directory.asAdmin('PUT', `${ADMIN}/${id}`, body, headers);
const get = (reference: string, who?: Person) => directory.get(`/api/collections/${reference}`, who);
const read = async (reference: string, who?: Person): Promise<CollectionWithProjects> =>
  dataOf<CollectionWithProjects>(await directory.ok(who, 'GET', `/api/collections/${reference}`));
const live = async () => (await directory.live(owner)).id;

describe('a collection', () => {
  it('has its live listings in the order of its administrators, for everyone once it is public', async () => {
    const [first, second, third] = [await live(), await live(), await live()];
    const title = unique('Best of tea');
    const description = 'The **best**, by [us](https://example.com/).';
    const created = await create({ title, description, project_ids: [third, first, second, first], is_public: true });
    expect(created).toEqual({
      ...{ id: idOf('col'), slug: title.toLowerCase().replaceAll(' ', '-'), title, description, is_public: true },
      ...{ sort_order: expect.any(Number), project_count: 3, project_ids: [third, first, second] },
      ...{ created_at: TIME, updated_at: TIME },
    });
    await directory.adminOk('DELETE', `/api/projects/${first}`);
    const { project_ids: _, ...shown } = created;
    for (const reference of [created.id, created.slug]) {
      const { projects, ...collection } = await read(reference);
      expect(collection).toEqual({ ...shown, project_count: 2 });
      expect(projects).toMatchObject([{ id: third, status: 'live' }, { id: second }]);
    }
    expect((await read(created.id, admin)).project_ids).toEqual([third, first, second]);
  });

  it('that is not public is 404 for all but administrators, and not in their list', async () => {
    const { id, slug } = await create();
    for (const who of [undefined, owner]) {
      for (const reference of [id, slug]) expect(await get(reference, who)).toMatchObject(NOT_FOUND);
      expect(idsOf(await directory.get('/api/collections?limit=100', who))).not.toContain(id);
    }
    expect(await read(id, admin)).toMatchObject({ id, is_public: false, projects: [] });
    expect(idsOf(await directory.get('/api/collections?limit=100', admin))).toContain(id);
  });

  it('is listed by sort_order, at the end by default, in pages', async () => {
    const last = await create({ is_public: true });
    const next = await create({ is_public: true });
    const first = await create({ is_public: true, sort_order: -5 });
    const all = await directory.get('/api/collections?limit=100');
    expect(idsOf(all)).toEqual([first.id, ...idsOf(all).slice(1, -2), last.id, next.id]);
    const { total } = metaOf(all);
    const page = await directory.get(`/api/collections?page=${total}&limit=1`);
    expect([idsOf(page), metaOf(page).total, metaOf(page).hasMore]).toEqual([[next.id], total, false]);
  });

  it('is found by earlier slugs, which stay its own until it is deleted', async () => {
    const [one, two] = [unique('one'), unique('two')];
    const { id } = await create({ slug: one, is_public: true });
    await directory.adminOk('PUT', `${ADMIN}/${id}`, { slug: two });
    for (const reference of [one, two]) expect(await read(reference)).toMatchObject({ id, slug: two });
    const other = await create();
    for (const slug of [one, two]) {
      expect(await update(other.id, { slug })).toMatchObject(conflict('SLUG_TAKEN'));
      expect(await directory.asAdmin('POST', ADMIN, { title: 'Other', slug })).toMatchObject(conflict('SLUG_TAKEN'));
    }
    expect(dataOf(await directory.adminOk('PUT', `${ADMIN}/${one}`, { slug: one }))).toMatchObject({ id, slug: one });
    expect(await directory.asAdmin('DELETE', `${ADMIN}/${two}`)).toMatchObject(success({ id, deleted: true }));
    for (const reference of [id, one, two]) expect(await get(reference, admin)).toMatchObject(NOT_FOUND);
    await create({ slug: two });
  });

  longTest('keeps at most fifty earlier slugs', async () => {
    const { id, slug } = await create({ is_public: true });
    for (let n = 0; n < 51; n += 1) await directory.adminOk('PUT', `${ADMIN}/${id}`, { slug: unique('slug') });
    expect(await get(slug)).toMatchObject(NOT_FOUND);
    await create({ slug });
  });

  it('gets a free slug from its title', async () => {
    const title = unique('Same title');
    const [one, two] = [await create({ title }), await create({ title })];
    expect(two.slug).toBe(`${one.slug}-2`);
  });
});

describe('a change of a collection', () => {
  it('is partial, replaces the listings as a whole, and honours If-Match', async () => {
    const [first, second] = [await live(), await live()];
    const { id, title } = await create({ project_ids: [first], description: 'Text.', is_public: true });
    const { headers } = await get(id, admin);
    const tag = { 'if-match': headers.get('etag') as string };
    const changed = await update(id, { project_ids: [second, first], description: '' }, tag);
    expect(changed).toMatchObject(success({ title, project_ids: [second, first], description: null, is_public: true }));
    expect(await update(id, { title: 'Late' }, tag)).toMatchObject(STALE);
    expect((await read(id)).projects.map((project) => project.id)).toEqual([second, first]);
  });

  it('loses no update when parts are changed concurrently', async () => {
    const { id } = await create();
    const parts = [{ title: 'New title' }, { description: 'New text' }, { sort_order: 7 }, { is_public: true }];
    await Promise.all(parts.map((part) => update(id, part)));
    expect(await read(id)).toMatchObject(Object.assign({}, ...parts));
  });

  it.each(['POST', 'PUT'])('rejects unknown listings by their position: %s', async (method) => {
    const known = await live();
    const path = method === 'POST' ? ADMIN : `${ADMIN}/${(await create()).id}`;
    const body = { title: 'Unknown', project_ids: [known, 'prj_unknown', (await directory.live(owner)).slug] };
    const response = await directory.asAdmin(method, path, body);
    expect(response).toMatchObject(invalidAt('project_ids', 1));
    expect(response).toMatchObject(invalidAt('project_ids', 2));
  });

  it('keeps a purged listing in the list of its administrators', async () => {
    const [purged, kept] = [await live(), await live()];
    const { id } = await create({ project_ids: [purged, kept], is_public: true });
    await directory.adminOk('DELETE', `/api/projects/${purged}`);
    await directory.adminOk('DELETE', `/api/admin/projects/${purged}`);
    expect(await update(id, { project_ids: [kept, purged] })).toMatchObject(success({ project_count: 1 }));
    expect((await read(id)).projects.map((project) => project.id)).toEqual([kept]);
  });

  it('is in the audit log', async () => {
    const { id } = await create();
    await directory.adminOk('PUT', `${ADMIN}/${id}`, { title: 'Renamed' });
    await directory.adminOk('DELETE', `${ADMIN}/${id}`);
    const entries = dataOf<AuditEntry[]>(await directory.get(`/api/admin/audit?subject=collection:${id}`, admin));
    expect(entries.map(({ action }) => action)).toEqual([
      'collections.remove',
      'collections.update',
      'collections.create',
    ]);
  });
});

it.each([
  ['title', { title: 'x'.repeat(101) }],
  ['title', {}],
  ['description', { title: 'T', description: 'x'.repeat(2001) }],
  ['project_ids', { title: 'T', project_ids: Array.from({ length: 201 }, (_, n) => `prj_${n}`) }],
  ['sort_order', { title: 'T', sort_order: 1.5 }],
])('an invalid %s is rejected', async (field, body) => {
  expect(await directory.asAdmin('POST', ADMIN, body)).toMatchObject(invalidAt(field));
});

it('there are at most 500 collections, also with concurrent requests', async () => {
  const existing = metaOf(await directory.get('/api/collections?limit=1', admin)).total;
  const missing = COLLECTIONS_MAX - existing - 2;
  const countMore = (collections: number) => updateItem(collectionCountKey, { add: { collections } });
  await countMore(missing);
  onTestFinished(async () => void (await countMore(-missing)));
  const titles = Array.from({ length: 5 }, () => ({ title: unique('Collection') }));
  const responses = await Promise.all(titles.map((body) => directory.asAdmin('POST', ADMIN, body)));
  const refused = responses.filter(({ status }) => status !== 201);
  expect(refused).toHaveLength(3);
  for (const response of refused) expect(response).toMatchObject(conflict('LIMIT_REACHED'));
  const { id } = dataOf<Collection>(responses.find(({ status }) => status === 201) ?? { body: {} });
  await directory.adminOk('DELETE', `${ADMIN}/${id}`);
  await create();
});
