import { describe, expect, it, vi } from 'vitest';
import type { Category } from '#contract/categories.ts';
import { deleteCategory, findCategory, findRetiredSlug, replaceCategories } from '#data/categories.ts';
import { categorySlugKey } from '#data/keys.ts';
import { replaceProject } from '#data/projects.ts';
import { putItem } from '#data/write.ts';
import { newMessage } from '#events/catalogue.ts';
import { finishSlugChange, releaseSlug } from '#services/categories/propagate-slug.ts';
import type { CallResponse } from '#test/support/client.ts';
import {
  category,
  conflict,
  type Directory,
  dataOf,
  FORBIDDEN,
  INVALID,
  idOf,
  idsOf,
  invalidAt,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  STALE,
  unique,
  versionOf,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

vi.mock(import('#data/categories.ts'), async (importOriginal) => {
  const original = await importOriginal();
  return { ...original, findRetiredSlug: vi.fn(original.findRetiredSlug) };
});

vi.mock(import('#data/projects.ts'), async (importOriginal) => {
  const original = await importOriginal();
  return { ...original, replaceProject: vi.fn(original.replaceProject) };
});

let server: TestServer;
let directory: Directory;
let owner: Person;

withOwnServer(async (opened) => {
  ({ server, directory } = opened);
  owner = await person(server);
});

const asAdmin = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  directory.as(directory.admin, method, `/api/admin/categories${path}`, body, headers);

const all = async () => dataOf<Category[]>(await directory.get('/api/categories'));

const read = async (reference: string): Promise<Category> => {
  const response = await directory.get(`/api/categories/${reference}`);
  expect(response).toMatchObject({ status: 200 });
  return dataOf<Category>(response);
};

const categoriesOf = async (id: string): Promise<string[]> => (await directory.read(id, directory.admin)).categories;

describe('a category', () => {
  it('is created with 201 and can be read by id and slug without login', async () => {
    const body = {
      name: unique('Developer Tools'),
      slug: unique('dev-tools'),
      sphere: unique('Work'),
      description: 'What developers use.',
      icon: 'wrench',
      color: '#1a2b3c',
      sort_order: 7,
    };
    const response = await asAdmin('POST', '', body);
    expect(response.status).toBe(201);
    expect(dataOf(response)).toMatchObject({ ...body, id: idOf('cat'), project_count: 0 });
    const { id, slug } = dataOf<Category>(response);
    for (const reference of [id, slug]) expect(await read(reference)).toEqual(dataOf(response));
  });

  it('gets a slug from its name when none is given, and null for missing fields', async () => {
    for (const slug of [undefined, '']) {
      const name = unique('Büro & Küche');
      const response = await asAdmin('POST', '', { name, slug });
      expect(response).toMatchObject({
        status: 201,
        body: { data: { name, sphere: null, description: null, icon: null, color: null } },
      });
      expect(dataOf<Category>(response).slug).toMatch(/^b(?:u|ue)ro.*k(?:u|ue)che/);
    }
  });

  it('is sorted after all others unless sort_order is given', async () => {
    const last = Math.max(...(await all()).map((one) => one.sort_order));
    expect((await directory.addCategory()).sort_order).toBeGreaterThan(last);
  });

  it.each<[string, unknown]>([
    ['name', ''],
    ['name', undefined],
    ['name', 'n'.repeat(51)],
    ['name', 5],
    ['slug', 'Not A Slug'],
    ['slug', 'a--b'],
    ['slug', 's'.repeat(101)],
    ['description', 'd'.repeat(201)],
    ['color', 'red'],
    ['color', '#12345'],
    ['color', '#12345g'],
    ['sort_order', 'first'],
    ['sort_order', 1.5],
    ['sphere', 5],
  ])('returns 400 for %s: %j', async (field, value) => {
    expect(await asAdmin('POST', '', category({ [field]: value }))).toMatchObject(invalidAt(field));
  });

  it('has a name of 1 to 50 and a description of at most 200 characters, counted in code points', async () => {
    const [name, description] = [`${'🍺'.repeat(48)}${unique('').slice(-2)}`, '🍺'.repeat(200)];
    expect(await asAdmin('POST', '', { name, description })).toMatchObject({
      status: 201,
      body: { data: { name, description } },
    });
  });

  it('returns 409 CATEGORY_EXISTS when the slug is taken', async () => {
    const { slug, name } = await directory.addCategory();
    expect(await asAdmin('POST', '', category({ slug }))).toMatchObject(conflict('CATEGORY_EXISTS'));
    expect(await asAdmin('POST', '', { name })).toMatchObject(conflict('CATEGORY_EXISTS'));
  });

  it('returns 404 for an unknown id or slug', async () => {
    for (const reference of [unique('none'), 'cat_none', 'reorder']) {
      expect(await directory.get(`/api/categories/${reference}`)).toMatchObject(NOT_FOUND);
    }
    expect(await asAdmin('PUT', `/${unique('none')}`, { name: 'x' })).toMatchObject(NOT_FOUND);
    expect(await asAdmin('DELETE', `/${unique('none')}`)).toMatchObject(NOT_FOUND);
  });

  it('can be changed by administrators only', async () => {
    const { id } = await directory.addCategory();
    const writes = [
      ['POST', '/api/admin/categories', category()],
      ['PUT', `/api/admin/categories/${id}`, { name: 'Mine' }],
      ['PUT', '/api/admin/categories/reorder', [{ id, sort_order: 1 }]],
      ['DELETE', `/api/admin/categories/${id}`, undefined],
    ] as const;
    for (const [method, path, body] of writes) {
      for (const who of [undefined, owner])
        expect(await directory.as(who, method, path, body)).toMatchObject(FORBIDDEN);
    }
    expect(await read(id)).toMatchObject({ id });
  });
});

describe('the list', () => {
  it('is public, has all categories by sort_order then name, and the spheres in use', async () => {
    const [work, home] = [unique('Work'), unique('Home')];
    const tied = [unique('b'), unique('A'), unique('äc')];
    for (const name of tied) await directory.addCategory({ name, sort_order: -500, sphere: work });
    const first = await directory.addCategory({ sort_order: -501, sphere: home });
    const response = await directory.get('/api/categories');
    expect(response.status).toBe(200);
    expect(Object.keys(response.body as object).toSorted()).toEqual(['data', 'meta']);
    expect(
      dataOf<Category[]>(response)
        .slice(0, 4)
        .map(({ name }) => name),
    ).toEqual([first.name, tied[1], tied[2], tied[0]]);
    const { spheres } = (response.body as { meta: { spheres: string[] } }).meta;
    expect(spheres).toEqual(expect.arrayContaining([work, home]));
    expect(new Set(spheres).size).toBe(spheres.length);
  });

  it('omits spheres without a category', async () => {
    const sphere = unique('Left');
    const { id } = await directory.addCategory({ sphere });
    const spheres = async () =>
      ((await directory.get('/api/categories')).body as { meta: { spheres: string[] } }).meta.spheres;
    expect(await spheres()).toContain(sphere);
    expect(await asAdmin('PUT', `/${id}`, { sphere: null })).toMatchObject({ status: 200 });
    expect(await spheres()).not.toContain(sphere);
  });

  it('counts live projects only', async () => {
    const { slug } = await directory.addCategory();
    for (const state of ['live', 'live', 'pending', 'rejected', 'deleted'] as const) {
      await directory.project(state, owner, { categories: [slug] });
    }
    expect((await all()).find((one) => one.slug === slug)).toMatchObject({ project_count: 2 });
    expect(await read(slug)).toMatchObject({ project_count: 2 });
  });

  it('returns 200 with the new count for the entity tag of an older response', async () => {
    const { slug } = await directory.addCategory();
    const tagOf = (response: CallResponse) => response.headers.get('etag') ?? '';
    const [one, list] = [await directory.get(`/api/categories/${slug}`), await directory.get('/api/categories')];
    await directory.live(owner, { categories: [slug] });
    expect(await directory.get('/api/categories', undefined, { 'if-none-match': tagOf(list) })).toMatchObject({
      status: 200,
    });
    expect(await directory.get(`/api/categories/${slug}`, undefined, { 'if-none-match': tagOf(one) })).toMatchObject({
      status: 200,
      body: { data: { project_count: 1 } },
    });
    // The count is not an editable field.
    const edited = await asAdmin('PUT', `/${slug}`, { name: unique('Edited') }, { 'if-match': tagOf(one) });
    expect(edited).toMatchObject({ status: 200 });
    expect([versionOf(one), versionOf(edited)]).toEqual([1, 2]);
  });
});

describe('a change', () => {
  it('changes only the given fields and returns the whole category', async () => {
    const before = await directory.addCategory({
      sphere: 'Before',
      description: 'Words.',
      color: '#ABCDEF',
      sort_order: 900,
    });
    const response = await asAdmin('PUT', `/${before.slug}`, { name: 'After', description: null });
    expect(response.status).toBe(200);
    expect(dataOf(response)).toEqual({
      ...before,
      name: 'After',
      description: null,
      updated_at: expect.any(String) as unknown,
    });
    expect(await read(before.id)).toEqual(dataOf(response));
  });

  it('is validated like a new category', async () => {
    const { id } = await directory.addCategory();
    for (const [field, value] of Object.entries({
      name: '',
      slug: 'A B',
      color: 'red',
      description: 'x'.repeat(201),
      sort_order: '1',
    })) {
      expect(await asAdmin('PUT', `/${id}`, { [field]: value })).toMatchObject(invalidAt(field));
    }
  });

  it('to a taken slug returns 409 and writes nothing', async () => {
    const [one, other] = [await directory.addCategory(), await directory.addCategory()];
    expect(await asAdmin('PUT', `/${one.id}`, { slug: other.slug, name: 'Renamed' })).toMatchObject(
      conflict('CATEGORY_EXISTS'),
    );
    expect(await read(one.id)).toEqual(one);
  });

  it('with a stale If-Match returns 412 and writes nothing', async () => {
    const { id } = await directory.addCategory();
    const tag = (await directory.get(`/api/categories/${id}`)).headers.get('etag') ?? '';
    const first = await asAdmin('PUT', `/${id}`, { name: 'First' }, { 'if-match': tag });
    expect(first.status).toBe(200);
    expect(await asAdmin('PUT', `/${id}`, { name: 'Second' }, { 'if-match': tag })).toMatchObject(STALE);
    expect(await read(id)).toMatchObject({ name: 'First' });
    const next = first.headers.get('etag') ?? '';
    expect(await asAdmin('PUT', `/${id}`, { name: 'Third' }, { 'if-match': next })).toMatchObject({ status: 200 });
  });
});

describe('a changed slug', () => {
  it('replaces the old slug on projects of every status, at the same position', async () => {
    const { id, slug } = await directory.addCategory();
    const projects = await Promise.all(
      (['live', 'pending', 'rejected', 'deleted'] as const).map((state) =>
        directory.project(state, owner, { categories: [slug, directory.category] }),
      ),
    );
    const next = unique('next');
    expect(await asAdmin('PUT', `/${id}`, { slug: next })).toMatchObject({
      status: 200,
      body: { data: { slug: next } },
    });
    await server.until(async () => metaOf(await directory.get(`/api/projects?category=${next}`)).total === 1);
    for (const project of projects) expect(await categoriesOf(project.id)).toEqual([next, directory.category]);
    expect(metaOf(await directory.get(`/api/projects?category=${slug}`)).total).toBe(0);
    expect(await read(next)).toMatchObject({ id, project_count: 1 });
    expect(await directory.get(`/api/categories/${slug}`)).toMatchObject(NOT_FOUND);
  });

  it('can be changed back, also on projects', async () => {
    const { id, slug } = await directory.addCategory();
    const project = await directory.live(owner, { categories: [slug] });
    expect(await asAdmin('PUT', `/${id}`, { slug: unique('there') })).toMatchObject({ status: 200 });
    expect(await asAdmin('PUT', `/${id}`, { slug })).toMatchObject({ status: 200 });
    expect(await categoriesOf(project.id)).toEqual([slug]);
    expect(idsOf(await directory.get(`/api/projects?category=${slug}`))).toEqual([project.id]);
  });

  it('frees the old slug for another category, whose projects keep it', async () => {
    const { id, slug } = await directory.addCategory();
    const old = await directory.live(owner, { categories: [slug] });
    const next = unique('next');
    expect(await asAdmin('PUT', `/${id}`, { slug: next })).toMatchObject({ status: 200 });
    const other = await directory.addCategory({ slug });
    const fresh = await directory.live(owner, { categories: [slug] });
    expect(await categoriesOf(old.id)).toEqual([next]);
    expect(await categoriesOf(fresh.id)).toEqual([slug]);
    expect(await read(slug)).toMatchObject({ id: other.id, project_count: 1 });
  });

  it('makes a submission with the old slug return 400', async () => {
    const { id, slug } = await directory.addCategory();
    expect(await asAdmin('PUT', `/${id}`, { slug: unique('next') })).toMatchObject({ status: 200 });
    const response = await directory.as(owner, 'POST', '/api/projects', {
      ...{
        plan: 'standard',
        name: 'Late',
        url: 'https://late.example.com',
        description: 'Late.',
        pricing_type: 'free',
      },
      categories: [slug],
    });
    expect(response).toMatchObject(invalidAt('categories'));
  });
});

/** Waits until the task that completes the deletion of a category has run. */
const untilTaskIsDone = (slug: string): Promise<void> =>
  server.until(async () =>
    server.server.bus
      .events({ includeTasks: true, kind: 'categoryRemoved', limit: 1000 })
      .some(
        ({ detail, deliveries }) =>
          (detail.data as { slug: string }).slug === slug && deliveries.every(({ state }) => state === 'done'),
      ),
  );

describe('a deletion', () => {
  it('returns id and projects_updated, and removes the slug from projects of every status', async () => {
    const { id, slug } = await directory.addCategory();
    const projects = await Promise.all(
      (['live', 'pending', 'rejected', 'deleted'] as const).map((state) =>
        directory.project(state, owner, { categories: [slug, directory.category] }),
      ),
    );
    const only = await directory.live(owner, { categories: [slug] });
    const response = await asAdmin('DELETE', `/${slug}`);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ data: { id, projects_updated: 5, batch_id: idOf('bat') } });
    for (const project of projects) {
      await server.until(async () => !(await categoriesOf(project.id)).includes(slug));
      expect(await categoriesOf(project.id)).toEqual([directory.category]);
    }
    expect(await directory.read(only.id)).toMatchObject({ categories: [], status: 'live' });
    expect(await directory.get(`/api/categories/${id}`)).toMatchObject(NOT_FOUND);
    expect((await all()).map((one) => one.id)).not.toContain(id);
    expect(await asAdmin('DELETE', `/${id}`)).toMatchObject(NOT_FOUND);
  });

  it('of an unused category updates no project', async () => {
    const { id } = await directory.addCategory();
    expect((await asAdmin('DELETE', `/${id}`)).body).toEqual({
      data: { id, projects_updated: 0, batch_id: idOf('bat') },
    });
  });

  longTest('removes the slug from many projects', async () => {
    const { id, slug } = await directory.addCategory();
    const projects = await Promise.all(
      Array.from({ length: 40 }, () => directory.submit(owner, { categories: [slug] })),
    );
    expect((await asAdmin('DELETE', `/${id}`)).body).toEqual({
      data: { id, projects_updated: 40, batch_id: idOf('bat') },
    });
    const left = async () =>
      (await Promise.all(projects.map((project) => categoriesOf(project.id)))).filter((slugs) => slugs.length > 0)
        .length;
    await server.until(async () => (await left()) === 0);
  });

  it('does not change the entity tags of other projects', async () => {
    const { id } = await directory.addCategory();
    const project = await directory.live(owner);
    const tag = async () => (await directory.get(`/api/projects/${project.id}`)).headers.get('etag');
    const before = await tag();
    expect(await asAdmin('DELETE', `/${id}`)).toMatchObject({ status: 200 });
    expect(await tag()).toBe(before);
  });

  it('frees the slug without affecting a new category that reuses it', async () => {
    for (let round = 0; round < 2; round += 1) {
      const { id, slug } = await directory.addCategory();
      const old = await directory.live(owner, { categories: [slug, directory.category] });
      expect(await asAdmin('DELETE', `/${id}`)).toMatchObject({ status: 200 });
      await directory.addCategory({ slug });
      const fresh = await directory.live(owner, { categories: [slug] });
      await untilTaskIsDone(slug);
      expect(await categoriesOf(fresh.id)).toEqual([slug]);
      expect(await categoriesOf(old.id)).toEqual([directory.category]);
      expect(await read(slug)).toMatchObject({ project_count: 1 });
    }
  });

  it('does not affect a new category that reuses the slug while the task runs', async () => {
    const slug = unique('interrupted');
    const leaving = { type: 'categorySlug', category_id: 'cat_00000000000000000000000000', state: 'leaving', to: null };
    await putItem({ ...categorySlugKey(slug), ...leaving });
    let fresh = '';
    // A new category claims the slug after the task has read that the slug is retired.
    vi.mocked(findRetiredSlug).mockImplementationOnce(async (retired) => {
      const found = await findRetiredSlug(retired);
      await directory.addCategory({ slug });
      fresh = (await directory.live(owner, { categories: [slug] })).id;
      return found;
    });
    await finishSlugChange(slug).catch(() => undefined);
    expect(await categoriesOf(fresh)).toEqual([slug]);
  });
});

describe('an interrupted change', () => {
  /** Renames a category without changing its projects. */
  const renameOnly = async (id: string, slug: string, { withTask = false } = {}) => {
    const previous = await findCategory(id);
    if (!previous) throw new Error(`The category ${id} is not stored.`);
    const next = { ...previous, slug, version: previous.version + 1 };
    const renamed = { category_id: id, from: previous.slug, to: slug };
    const task = newMessage('categoryRenamed', directory.admin.id, renamed);
    await replaceCategories([{ previous, next }], withTask ? [task] : []);
  };

  it('is completed by its task after a deletion', async () => {
    const { id, slug } = await directory.addCategory();
    const { id: projectId } = await directory.live(owner, { categories: [slug, directory.category] });
    const stored = await findCategory(id);
    if (!stored) throw new Error(`The category ${id} is not stored.`);
    const task = newMessage('categoryRemoved', directory.admin.id, { category_id: id, slug });
    await deleteCategory(stored, [task]);
    await server.until(async () => !(await categoriesOf(projectId)).includes(slug));
    expect(await categoriesOf(projectId)).toEqual([directory.category]);
  });

  it('is completed by its task after a rename', async () => {
    const { id, slug } = await directory.addCategory();
    const { id: projectId } = await directory.live(owner, { categories: [slug] });
    const next = unique('next');
    await renameOnly(id, next, { withTask: true });
    await server.until(async () => (await categoriesOf(projectId)).includes(next));
    expect(await categoriesOf(projectId)).toEqual([next]);
  });

  it('leaves no retired slug on projects when the renamed category is deleted', async () => {
    const { id, slug } = await directory.addCategory();
    const { id: projectId } = await directory.live(owner, { categories: [slug, directory.category] });
    await renameOnly(id, unique('next'));
    expect(await asAdmin('DELETE', `/${id}`)).toMatchObject({ status: 200 });
    await finishSlugChange(slug);
    expect(await categoriesOf(projectId)).toEqual([directory.category]);
  });

  it('keeps a retired slug reserved while a project that carries it cannot be changed', async () => {
    const { id, slug } = await directory.addCategory();
    const { id: projectId } = await directory.live(owner, { categories: [slug, directory.category] });
    const next = unique('next');
    await renameOnly(id, next);
    const replace = vi.mocked(replaceProject).getMockImplementation() ?? replaceProject;
    vi.mocked(replaceProject).mockImplementation((previous, ...rest) =>
      previous.id === projectId ? Promise.reject(new Error('The table is unreachable.')) : replace(previous, ...rest),
    );
    const refused = await asAdmin('POST', '', { name: unique('Reusing'), slug });
    vi.mocked(replaceProject).mockImplementation(replace);
    expect(refused).toMatchObject(conflict('CATEGORY_EXISTS'));
    expect(await findRetiredSlug(slug)).toEqual({ categoryId: id, isAlias: false });
    await releaseSlug(slug);
    expect(await categoriesOf(projectId)).toEqual([next, directory.category]);
    expect(await findRetiredSlug(slug)).toBeUndefined();
  });

  it('gives projects the last of several slugs when the category is renamed again', async () => {
    const { id, slug } = await directory.addCategory();
    const { id: projectId } = await directory.live(owner, { categories: [slug] });
    await renameOnly(id, unique('second'));
    const third = unique('third');
    expect(await asAdmin('PUT', `/${id}`, { slug: third })).toMatchObject({ status: 200 });
    await finishSlugChange(slug);
    expect(await categoriesOf(projectId)).toEqual([third]);
  });
});

describe('reordering', () => {
  const reorder = (body: unknown) => asAdmin('PUT', '/reorder', body);

  it('sets sort_order and sphere of the given categories and returns all categories in the new order', async () => {
    const [a, b] = [await directory.addCategory({ sphere: 'Kept' }), await directory.addCategory()];
    const sphere = unique('Moved');
    const response = await reorder([
      { id: a.id, sort_order: -1001 },
      { id: b.id, sort_order: -1002, sphere },
    ]);
    expect(response.status).toBe(200);
    expect(dataOf<Category[]>(response).slice(0, 2)).toMatchObject([
      { id: b.id, sort_order: -1002, sphere },
      { id: a.id, sort_order: -1001, sphere: 'Kept' },
    ]);
    expect((await all()).slice(0, 2).map(({ id }) => id)).toEqual([b.id, a.id]);
  });

  it('returns 400 at the position of an unknown id and writes nothing', async () => {
    const [a, b] = [await directory.addCategory(), await directory.addCategory()];
    const response = await reorder([
      { id: a.id, sort_order: -9000 },
      { id: unique('cat_none'), sort_order: -9001 },
      { id: b.id, sort_order: -9002 },
    ]);
    expect(response).toMatchObject(invalidAt(1, 'id'));
    expect([await read(a.id), await read(b.id)]).toEqual([a, b]);
  });

  it('accepts all categories in one request', async () => {
    const before = await all();
    const response = await reorder(before.map(({ id }, position) => ({ id, sort_order: position * 2 })));
    expect(response.status).toBe(200);
    expect(dataOf<Category[]>(response).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });

  it.each<[string, unknown, (string | number)[]]>([
    ['a sort_order that is not a number', [{ id: 'x', sort_order: '1' }], [0, 'sort_order']],
    ['a missing sort_order', [{ id: 'x' }], [0, 'sort_order']],
    ['a missing id', [{ sort_order: 1 }], [0, 'id']],
    ['a sphere that is not a string', [{ id: 'x', sort_order: 1, sphere: 5 }], [0, 'sphere']],
    ['an object', { id: 'x', sort_order: 1 }, []],
    ['an empty list', [], []],
  ])('returns 400 for %s', async (_, body, path) => {
    expect(await reorder(body)).toMatchObject(path.length > 0 ? invalidAt(...path) : INVALID);
  });

  it('returns 400 for a repeated id', async () => {
    const { id } = await directory.addCategory();
    expect(
      await reorder([
        { id, sort_order: 1 },
        { id, sort_order: 2 },
      ]),
    ).toMatchObject(INVALID);
  });
});
