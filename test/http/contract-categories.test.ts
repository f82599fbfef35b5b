import { describe, expect, it } from 'vitest';
import type { Category } from '#contract/categories.ts';
import { removeCategory, replaceCategories } from '#data/categories.ts';
import { categorySlugKey } from '#data/keys.ts';
import { putItem } from '#data/write.ts';
import { settleSlug } from '#domain/categories/carry-over.ts';
import { message } from '#domain/messages.ts';
import { categoryPorts, finishPorts } from '#ports/categories.ts';
import type { CallAnswer } from '#test/support/client.ts';
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
} from '#test/support/fixtures.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** Categories: the record, its order, and what becomes of projects when one changes or goes. */

let world: TestWorld;
let directory: Directory;
let owner: Person;

withDirectory(async (opened) => {
  ({ world, directory } = opened);
  owner = await person(world);
});

const asAdmin = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  directory.as(directory.admin, method, `/api/admin/categories${path}`, body, headers);

const all = async () => dataOf<Category[]>(await directory.get('/api/categories'));

const read = async (reference: string): Promise<Category> => {
  const answer = await directory.get(`/api/categories/${reference}`);
  expect(answer).toMatchObject({ status: 200 });
  return dataOf<Category>(answer);
};

const categoriesOf = async (id: string): Promise<string[]> => (await directory.read(id, directory.admin)).categories;

describe('the record', () => {
  it('is answered with 201 and read by everybody by id and slug', async () => {
    const body = {
      name: unique('Developer Tools'),
      slug: unique('dev-tools'),
      sphere: unique('Work'),
      description: 'What developers use.',
      icon: 'wrench',
      color: '#1a2b3c',
      sort_order: 7,
    };
    const answer = await asAdmin('POST', '', body);
    expect(answer.status).toBe(201);
    expect(dataOf(answer)).toMatchObject({ ...body, id: idOf('cat'), project_count: 0 });
    const { id, slug } = dataOf<Category>(answer);
    for (const reference of [id, slug]) expect(await read(reference)).toEqual(dataOf(answer));
  });

  it('makes the slug from the name when none is given, and null of what is left out', async () => {
    for (const slug of [undefined, '']) {
      const name = unique('Büro & Küche');
      const answer = await asAdmin('POST', '', { name, slug });
      expect(answer).toMatchObject({
        status: 201,
        body: { data: { name, sphere: null, description: null, icon: null, color: null } },
      });
      expect(dataOf<Category>(answer).slug).toMatch(/^b(?:u|ue)ro.*k(?:u|ue)che/);
    }
  });

  it('comes after all others unless it says where', async () => {
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
  ])('refuses %s as %j with 400', async (field, value) => {
    expect(await asAdmin('POST', '', category({ [field]: value }))).toMatchObject(invalidAt(field));
  });

  it('has a name of 1 to 50 and a description of at most 200 characters, counted in code points', async () => {
    const [name, description] = [`${'🍺'.repeat(48)}${unique('').slice(-2)}`, '🍺'.repeat(200)];
    expect(await asAdmin('POST', '', { name, description })).toMatchObject({
      status: 201,
      body: { data: { name, description } },
    });
  });

  it('is 409 CATEGORY_EXISTS when the slug is taken', async () => {
    const { slug, name } = await directory.addCategory();
    expect(await asAdmin('POST', '', category({ slug }))).toMatchObject(conflict('CATEGORY_EXISTS'));
    expect(await asAdmin('POST', '', { name })).toMatchObject(conflict('CATEGORY_EXISTS'));
  });

  it('is 404 by what nobody has', async () => {
    for (const reference of [unique('none'), 'cat_none', 'reorder']) {
      expect(await directory.get(`/api/categories/${reference}`)).toMatchObject(NOT_FOUND);
    }
    expect(await asAdmin('PUT', `/${unique('none')}`, { name: 'x' })).toMatchObject(NOT_FOUND);
    expect(await asAdmin('DELETE', `/${unique('none')}`)).toMatchObject(NOT_FOUND);
  });

  it('is written by administrators only', async () => {
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
    const answer = await directory.get('/api/categories');
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body as object).toSorted()).toEqual(['data', 'meta']);
    expect(
      dataOf<Category[]>(answer)
        .slice(0, 4)
        .map(({ name }) => name),
    ).toEqual([first.name, tied[1], tied[2], tied[0]]);
    const { spheres } = (answer.body as { meta: { spheres: string[] } }).meta;
    expect(spheres).toEqual(expect.arrayContaining([work, home]));
    expect(new Set(spheres).size).toBe(spheres.length);
  });

  it('does not name a sphere that no category is in any more', async () => {
    const sphere = unique('Left');
    const { id } = await directory.addCategory({ sphere });
    const spheres = async () =>
      ((await directory.get('/api/categories')).body as { meta: { spheres: string[] } }).meta.spheres;
    expect(await spheres()).toContain(sphere);
    await asAdmin('PUT', `/${id}`, { sphere: null });
    expect(await spheres()).not.toContain(sphere);
  });

  it('counts live projects, and neither pending nor deleted ones', async () => {
    const { slug } = await directory.addCategory();
    for (const state of ['live', 'live', 'pending', 'rejected', 'deleted'] as const) {
      await directory.project(state, owner, { categories: [slug] });
    }
    expect((await all()).find((one) => one.slug === slug)).toMatchObject({ project_count: 2 });
    expect(await read(slug)).toMatchObject({ project_count: 2 });
  });

  it('counts anew for a reader who asks with the tag of an older answer', async () => {
    const { slug } = await directory.addCategory();
    const tagOf = (answer: CallAnswer) => answer.headers.get('etag') ?? '';
    const [one, list] = [await directory.get(`/api/categories/${slug}`), await directory.get('/api/categories')];
    await directory.live(owner, { categories: [slug] });
    expect(await directory.get('/api/categories', undefined, { 'if-none-match': tagOf(list) })).toMatchObject({
      status: 200,
    });
    expect(await directory.get(`/api/categories/${slug}`, undefined, { 'if-none-match': tagOf(one) })).toMatchObject({
      status: 200,
      body: { data: { project_count: 1 } },
    });
  });
});

describe('a change', () => {
  it('changes what was sent and nothing else, and answers the whole record', async () => {
    const before = await directory.addCategory({
      sphere: 'Before',
      description: 'Words.',
      color: '#ABCDEF',
      sort_order: 900,
    });
    const answer = await asAdmin('PUT', `/${before.slug}`, { name: 'After', description: null });
    expect(answer.status).toBe(200);
    expect(dataOf(answer)).toEqual({
      ...before,
      name: 'After',
      description: null,
      updated_at: expect.any(String) as unknown,
    });
    expect(await read(before.id)).toEqual(dataOf(answer));
  });

  it('is validated like a new one', async () => {
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

  it('to a slug that is taken is 409, and nothing is written', async () => {
    const [one, other] = [await directory.addCategory(), await directory.addCategory()];
    expect(await asAdmin('PUT', `/${one.id}`, { slug: other.slug, name: 'Renamed' })).toMatchObject(
      conflict('CATEGORY_EXISTS'),
    );
    expect(await read(one.id)).toEqual(one);
  });

  it('honours If-Match; a stale tag is 412 and nothing is written', async () => {
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
  it('is carried over to projects of every state, in its place among their categories', async () => {
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
    await world.until(async () => metaOf(await directory.get(`/api/projects?category=${next}`)).total === 1);
    for (const project of projects) expect(await categoriesOf(project.id)).toEqual([next, directory.category]);
    expect(metaOf(await directory.get(`/api/projects?category=${slug}`)).total).toBe(0);
    expect(await read(next)).toMatchObject({ id, project_count: 1 });
    expect(await directory.get(`/api/categories/${slug}`)).toMatchObject(NOT_FOUND);
  });

  it('may go back, and projects go with it', async () => {
    const { id, slug } = await directory.addCategory();
    const project = await directory.live(owner, { categories: [slug] });
    await asAdmin('PUT', `/${id}`, { slug: unique('there') });
    expect(await asAdmin('PUT', `/${id}`, { slug })).toMatchObject({ status: 200 });
    expect(await categoriesOf(project.id)).toEqual([slug]);
    expect(idsOf(await directory.get(`/api/projects?category=${slug}`))).toEqual([project.id]);
  });

  it('is free for another category, whose projects keep it', async () => {
    const { id, slug } = await directory.addCategory();
    const old = await directory.live(owner, { categories: [slug] });
    const next = unique('next');
    await asAdmin('PUT', `/${id}`, { slug: next });
    const other = await directory.addCategory({ slug });
    const fresh = await directory.live(owner, { categories: [slug] });
    expect(await categoriesOf(old.id)).toEqual([next]);
    expect(await categoriesOf(fresh.id)).toEqual([slug]);
    expect(await read(slug)).toMatchObject({ id: other.id, project_count: 1 });
  });

  it('cannot be taken by a submission under its old form', async () => {
    const { id, slug } = await directory.addCategory();
    await asAdmin('PUT', `/${id}`, { slug: unique('next') });
    const answer = await directory.as(owner, 'POST', '/api/projects', {
      ...{
        plan: 'standard',
        name: 'Late',
        url: 'https://late.example.com',
        description: 'Late.',
        pricing_type: 'free',
      },
      categories: [slug],
    });
    expect(answer).toMatchObject(invalidAt('categories'));
  });
});

/** Waits until the task that finishes the removal of a category has run. */
const taskIsDone = (slug: string): Promise<void> =>
  world.until(async () =>
    world.world.bus
      .carried({ tasksToo: true, kind: 'categoryRemoved', limit: 1000 })
      .some(
        ({ detail, deliveries }) =>
          (detail.data as { slug: string }).slug === slug && deliveries.every(({ state }) => state === 'done'),
      ),
  );

describe('a deletion', () => {
  it('answers id and projects_updated; projects of every state are kept and lose the slug', async () => {
    const { id, slug } = await directory.addCategory();
    const projects = await Promise.all(
      (['live', 'pending', 'rejected', 'deleted'] as const).map((state) =>
        directory.project(state, owner, { categories: [slug, directory.category] }),
      ),
    );
    const only = await directory.live(owner, { categories: [slug] });
    const answer = await asAdmin('DELETE', `/${slug}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ data: { id, projects_updated: 5 } });
    for (const project of projects) {
      await world.until(async () => !(await categoriesOf(project.id)).includes(slug));
      expect(await categoriesOf(project.id)).toEqual([directory.category]);
    }
    expect(await directory.read(only.id)).toMatchObject({ categories: [], status: 'live' });
    expect(await directory.get(`/api/categories/${id}`)).toMatchObject(NOT_FOUND);
    expect((await all()).map((one) => one.id)).not.toContain(id);
    expect(await asAdmin('DELETE', `/${id}`)).toMatchObject(NOT_FOUND);
  });

  it('of a category that nobody is in updates none', async () => {
    const { id } = await directory.addCategory();
    expect((await asAdmin('DELETE', `/${id}`)).body).toEqual({ data: { id, projects_updated: 0 } });
  });

  it('reaches every project, however many there are', async () => {
    const { id, slug } = await directory.addCategory();
    const projects = await Promise.all(
      Array.from({ length: 40 }, () => directory.submit(owner, { categories: [slug] })),
    );
    expect((await asAdmin('DELETE', `/${id}`)).body).toEqual({ data: { id, projects_updated: 40 } });
    const left = async () =>
      (await Promise.all(projects.map((project) => categoriesOf(project.id)))).filter((slugs) => slugs.length > 0)
        .length;
    await world.until(async () => (await left()) === 0);
  });

  it('leaves the tags of projects that were not in it alone', async () => {
    const { id } = await directory.addCategory();
    const project = await directory.live(owner);
    const tag = async () => (await directory.get(`/api/projects/${project.id}`)).headers.get('etag');
    const before = await tag();
    await asAdmin('DELETE', `/${id}`);
    expect(await tag()).toBe(before);
  });

  it('frees the slug: a category made anew right after it does not lose its projects', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, slug } = await directory.addCategory();
      const old = await directory.live(owner, { categories: [slug, directory.category] });
      await asAdmin('DELETE', `/${id}`);
      await directory.addCategory({ slug });
      const fresh = await directory.live(owner, { categories: [slug] });
      await taskIsDone(slug);
      expect(await categoriesOf(fresh.id)).toEqual([slug]);
      expect(await categoriesOf(old.id)).toEqual([directory.category]);
      expect(await read(slug)).toMatchObject({ project_count: 1 });
    }
  });

  it('that takes nothing from a category that was made anew, however late the task that finishes it comes', async () => {
    const slug = unique('interrupted');
    const leaving = { type: 'categorySlug', category_id: 'cat_00000000000000000000000000', state: 'leaving', to: null };
    await putItem({ ...categorySlugKey(slug), ...leaving });
    let fresh = '';
    const lateTask = {
      ...finishPorts,
      // The task has seen that the slug is leaving; before it goes on, somebody makes the category anew.
      findLeavingSlug: async (one: string) => {
        const found = await finishPorts.findLeavingSlug(one);
        await directory.addCategory({ slug });
        fresh = (await directory.live(owner, { categories: [slug] })).id;
        return found;
      },
    };
    await settleSlug(lateTask, slug).catch(() => undefined);
    expect(await categoriesOf(fresh)).toEqual([slug]);
  });
});

describe('a change that died half way', () => {
  /** Renames a category in the table and does nothing of what follows from it. */
  const renameOnly = async (id: string, slug: string, tell = false) => {
    const previous = await categoryPorts.findCategory(id);
    if (!previous) throw new Error(`There is no category ${id}.`);
    const next = { ...previous, slug, version: previous.version + 1 };
    const renamed = { category_id: id, from: previous.slug, to: slug };
    const task = message(categoryPorts, 'categoryRenamed', directory.admin.id, renamed);
    await replaceCategories([{ previous, next }], tell ? [task] : []);
  };

  it('is finished by its task: a deletion', async () => {
    const { id, slug } = await directory.addCategory();
    const { id: projectId } = await directory.live(owner, { categories: [slug, directory.category] });
    const stored = await categoryPorts.findCategory(id);
    if (!stored) throw new Error('The category is gone.');
    const task = message(categoryPorts, 'categoryRemoved', directory.admin.id, { category_id: id, slug });
    await removeCategory(stored, [task]);
    await world.until(async () => !(await categoriesOf(projectId)).includes(slug));
    expect(await categoriesOf(projectId)).toEqual([directory.category]);
  });

  it('is finished by its task: a changed slug', async () => {
    const { id, slug } = await directory.addCategory();
    const { id: projectId } = await directory.live(owner, { categories: [slug] });
    const next = unique('next');
    await renameOnly(id, next, true);
    await world.until(async () => (await categoriesOf(projectId)).includes(next));
    expect(await categoriesOf(projectId)).toEqual([next]);
  });

  it('leaves no project with a slug that is gone when the category is deleted before it is finished', async () => {
    const { id, slug } = await directory.addCategory();
    const { id: projectId } = await directory.live(owner, { categories: [slug, directory.category] });
    await renameOnly(id, unique('next'));
    await asAdmin('DELETE', `/${id}`);
    await settleSlug(finishPorts, slug);
    expect(await categoriesOf(projectId)).toEqual([directory.category]);
  });

  it('brings projects to the last of several slugs when it is renamed again before it is finished', async () => {
    const { id, slug } = await directory.addCategory();
    const { id: projectId } = await directory.live(owner, { categories: [slug] });
    await renameOnly(id, unique('second'));
    const third = unique('third');
    expect(await asAdmin('PUT', `/${id}`, { slug: third })).toMatchObject({ status: 200 });
    await settleSlug(finishPorts, slug);
    expect(await categoriesOf(projectId)).toEqual([third]);
  });
});

describe('ordering', () => {
  const reorder = (body: unknown) => asAdmin('PUT', '/reorder', body);

  it('sets sort_order and sphere of all that are named and answers all categories in the new order', async () => {
    const [a, b] = [await directory.addCategory({ sphere: 'Kept' }), await directory.addCategory()];
    const sphere = unique('Moved');
    const answer = await reorder([
      { id: a.id, sort_order: -1001 },
      { id: b.id, sort_order: -1002, sphere },
    ]);
    expect(answer.status).toBe(200);
    expect(dataOf<Category[]>(answer).slice(0, 2)).toMatchObject([
      { id: b.id, sort_order: -1002, sphere },
      { id: a.id, sort_order: -1001, sphere: 'Kept' },
    ]);
    expect((await all()).slice(0, 2).map(({ id }) => id)).toEqual([b.id, a.id]);
  });

  it('with one unknown id is 400 at its place, and nothing is written', async () => {
    const [a, b] = [await directory.addCategory(), await directory.addCategory()];
    const answer = await reorder([
      { id: a.id, sort_order: -9000 },
      { id: unique('cat_none'), sort_order: -9001 },
      { id: b.id, sort_order: -9002 },
    ]);
    expect(answer).toMatchObject(invalidAt(1, 'id'));
    expect([await read(a.id), await read(b.id)]).toEqual([a, b]);
  });

  it('is atomic up to the size of a category list', async () => {
    const before = await all();
    const answer = await reorder(before.map(({ id }, position) => ({ id, sort_order: position * 2 })));
    expect(answer.status).toBe(200);
    expect(dataOf<Category[]>(answer).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });

  it.each<[string, unknown, (string | number)[]]>([
    ['a sort_order that is no number', [{ id: 'x', sort_order: '1' }], [0, 'sort_order']],
    ['a missing sort_order', [{ id: 'x' }], [0, 'sort_order']],
    ['a missing id', [{ sort_order: 1 }], [0, 'id']],
    ['a sphere that is no text', [{ id: 'x', sort_order: 1, sphere: 5 }], [0, 'sphere']],
    ['an object', { id: 'x', sort_order: 1 }, []],
    ['an empty list', [], []],
  ])('refuses %s with 400', async (_, body, path) => {
    expect(await reorder(body)).toMatchObject(path.length > 0 ? invalidAt(...path) : INVALID);
  });

  it('refuses an id that is named twice', async () => {
    const { id } = await directory.addCategory();
    expect(
      await reorder([
        { id, sort_order: 1 },
        { id, sort_order: 2 },
      ]),
    ).toMatchObject(INVALID);
  });
});
