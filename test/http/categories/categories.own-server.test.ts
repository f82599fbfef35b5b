import { describe, expect, it } from 'vitest';
import type { Category } from '#contract/categories.ts';
import { deleteCategory, findCategory, findRetiredSlug, replaceCategories } from '#data/categories.ts';
import { categorySlugKey, projectKey } from '#data/keys.ts';
import { putItem } from '#data/write.ts';
import { newMessage } from '#events/catalogue.ts';
import { finishSlugChange, releaseSlug } from '#services/categories/propagate-slug.ts';
import { newBatch } from '#services/projects/batches.ts';
import type { CallResponse } from '#test/support/client.ts';
import {
  category,
  conflict,
  dataOf,
  INVALID,
  idOf,
  idsOf,
  invalidAt,
  metaOf,
  NOT_FOUND,
  person,
  states,
  submission,
  success,
  unique,
  versionOf,
} from '#test/support/fixtures.ts';
import { runJob } from '#test/support/jobs.ts';
import { longTest } from '#test/support/long-test.ts';
import { interceptTable, textOfKey } from '#test/support/table-calls.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();
const owner = await person(server);

const asAdmin = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  directory.as(directory.admin, method, `/api/admin/categories${path}`, body, headers);

const all = async () => dataOf<Category[]>(await directory.get('/api/categories'));

const lowestOrder = async () => Math.min(...(await all()).map((one) => one.sort_order));

const read = async (reference: string): Promise<Category> =>
  dataOf<Category>(await directory.ok(undefined, 'GET', `/api/categories/${reference}`));

const projectsOfEveryStatus = (categories: readonly string[]) =>
  Promise.all(states.map((state) => directory.project(state, owner, { categories })));

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
      expect(response).toMatchObject(success({ name, sphere: null, description: null, icon: null, color: null }, 201));
      expect(dataOf<Category>(response).slug).toMatch(/^b(?:u|ue)ro.*k(?:u|ue)che/);
    }
  });

  it('is sorted after all others unless sort_order is given', async () => {
    const last = Math.max(...(await all()).map((one) => one.sort_order));
    expect((await directory.addCategory()).sort_order).toBeGreaterThan(last);
  });

  it('returns 409 CATEGORY_EXISTS when the slug is taken', async () => {
    const { slug, name } = await directory.addCategory();
    expect(await asAdmin('POST', '', category({ slug }))).toMatchObject(conflict('CATEGORY_EXISTS'));
    expect(await asAdmin('POST', '', { name })).toMatchObject(conflict('CATEGORY_EXISTS'));
  });
});

describe('the list of categories', () => {
  it('is public, has all categories by sort_order then name, and the spheres in use', async () => {
    const [work, home] = [unique('Work'), unique('Home')];
    const tied = [unique('b'), unique('A'), unique('äc')];
    const sort_order = (await lowestOrder()) - 1;
    for (const name of tied) await directory.addCategory({ name, sort_order, sphere: work });
    const first = await directory.addCategory({ sort_order: sort_order - 1, sphere: home });
    const response = await directory.ok(undefined, 'GET', '/api/categories');
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

  longTest('counts live projects only', async () => {
    const { slug } = await directory.addCategory();
    await projectsOfEveryStatus([slug]);
    await directory.live(owner, { categories: [slug] });
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
    expect(await directory.get(`/api/categories/${slug}`, undefined, { 'if-none-match': tagOf(one) })).toMatchObject(
      success({ project_count: 1 }),
    );
    // The count is not an editable field.
    const edited = await asAdmin('PUT', `/${slug}`, { name: unique('Edited') }, { 'if-match': tagOf(one) });
    expect(edited).toMatchObject({ status: 200 });
    expect([versionOf(one), versionOf(edited)]).toEqual([1, 2]);
  });
});

describe('a change of a category', () => {
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

  it('to a taken slug returns 409 and writes nothing', async () => {
    const [one, other] = [await directory.addCategory(), await directory.addCategory()];
    expect(await asAdmin('PUT', `/${one.id}`, { slug: other.slug, name: 'Renamed' })).toMatchObject(
      conflict('CATEGORY_EXISTS'),
    );
    expect(await read(one.id)).toEqual(one);
  });
});

describe('a changed slug of a category', () => {
  longTest('replaces the old slug on projects of every status, at the same position', async () => {
    const { id, slug } = await directory.addCategory();
    const projects = await projectsOfEveryStatus([slug, directory.category]);
    const next = unique('next');
    expect(await asAdmin('PUT', `/${id}`, { slug: next })).toMatchObject(success({ slug: next }));
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

  it('is rejected with 400 in a submission that has the old slug', async () => {
    const { id, slug } = await directory.addCategory();
    expect(await asAdmin('PUT', `/${id}`, { slug: unique('next') })).toMatchObject({ status: 200 });
    const late = submission({ categories: [slug] });
    expect(await directory.as(owner, 'POST', '/api/projects', late)).toMatchObject(invalidAt('categories'));
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

describe('the deletion of a category', () => {
  it('returns id and projects_updated, and removes the slug from projects of every status', async () => {
    const { id, slug } = await directory.addCategory();
    const projects = await projectsOfEveryStatus([slug, directory.category]);
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

  longTest('removes the slug from more projects than one transaction changes', async () => {
    const { id, slug } = await directory.addCategory();
    const projects = await Promise.all(
      Array.from({ length: 40 }, () => directory.submit(owner, { categories: [slug] })),
    );
    expect((await asAdmin('DELETE', `/${id}`)).body).toMatchObject({ data: { projects_updated: 40 } });
    await server.until(async () =>
      (await Promise.all(projects.map((project) => categoriesOf(project.id)))).every((slugs) => slugs.length === 0),
    );
  });

  it('of an unused category updates no project and no entity tag', async () => {
    const { id } = await directory.addCategory();
    const project = await directory.live(owner);
    const tag = async () => (await directory.get(`/api/projects/${project.id}`)).headers.get('etag');
    const before = await tag();
    expect((await asAdmin('DELETE', `/${id}`)).body).toEqual({
      data: { id, projects_updated: 0, batch_id: idOf('bat') },
    });
    expect(await tag()).toBe(before);
  });

  longTest('frees the slug without affecting a new category that reuses it', async () => {
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
    let isRead = false;
    interceptTable(async ({ read: keys }, send) => {
      const response = await send();
      if (isRead || !keys.includes(textOfKey(categorySlugKey(slug)))) return response;
      isRead = true;
      await directory.addCategory({ slug });
      fresh = (await directory.live(owner, { categories: [slug] })).id;
      return response;
    });
    await finishSlugChange(slug).catch(() => undefined);
    expect(await categoriesOf(fresh)).toEqual([slug]);
  });
});

describe('an interrupted change of a category', () => {
  const storedCategory = async (id: string) => {
    const stored = await findCategory(id);
    if (!stored) throw new Error(`The category ${id} is not stored.`);
    return stored;
  };

  /** Renames a category without changing its projects. */
  const renameOnly = async (id: string, slug: string, { withTask = false } = {}) => {
    const previous = await storedCategory(id);
    const next = { ...previous, slug, version: previous.version + 1 };
    const renamed = { category_id: id, from: previous.slug, to: slug };
    const task = newMessage('categoryRenamed', directory.admin.id, renamed);
    await replaceCategories([{ previous, next }], withTask ? [task] : []);
  };

  it('is completed by its task after a deletion', async () => {
    const { id, slug } = await directory.addCategory();
    const { id: projectId } = await directory.live(owner, { categories: [slug, directory.category] });
    const stored = await storedCategory(id);
    const batch = newBatch(directory.admin, 'category_removal', 'Delete a category', { category: stored });
    const task = newMessage('categoryRemoved', directory.admin.id, { category_id: id, slug, batch_id: batch.id });
    await deleteCategory(stored, [task], batch);
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

  it.each([
    ['the nightly job', () => runJob(server, 'reconcile-counters')],
    ['a new category of the same slug', (slug: string) => asAdmin('POST', '', category({ slug }))],
    [
      'another category that takes the slug',
      async (slug: string) => await asAdmin('PUT', `/${(await directory.addCategory()).id}`, { slug }),
    ],
  ])('is completed by %s when the process of a removal died, as a part of its batch', async (_, complete) => {
    const { id, slug } = await directory.addCategory();
    const { id: projectId } = await directory.live(owner, { categories: [slug, directory.category] });
    const stored = (await findCategory(id)) as Category & { version: number };
    const batch = newBatch(directory.admin, 'category_removal', 'Interrupted', { category: stored });
    await deleteCategory(stored, [], batch);
    expect(await complete(slug)).toBeDefined();
    expect(await categoriesOf(projectId)).toEqual([directory.category]);
    const items = dataOf<{ project: { id: string } }[]>(
      await directory.get(`/api/admin/batches/${batch.id}/items`, directory.admin),
    );
    expect(items).toMatchObject([{ outcome: 'updated' }]);
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
    const recover = interceptTable(({ written }, send) =>
      written.includes(textOfKey(projectKey(projectId)))
        ? Promise.reject(new Error('The table is unreachable.'))
        : send(),
    );
    const refused = await asAdmin('POST', '', { name: unique('Reusing'), slug });
    recover();
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

describe('the reordering of categories', () => {
  const reorder = (body: unknown) => asAdmin('PUT', '/reorder', body);

  it('sets sort_order and sphere of the given categories and returns all categories in the new order', async () => {
    const [a, b] = [await directory.addCategory({ sphere: 'Kept' }), await directory.addCategory()];
    const [sphere, sort_order] = [unique('Moved'), (await lowestOrder()) - 1];
    const response = await reorder([
      { id: a.id, sort_order },
      { id: b.id, sort_order: sort_order - 1, sphere },
    ]);
    expect(response.status).toBe(200);
    expect(dataOf<Category[]>(response).slice(0, 2)).toMatchObject([
      { id: b.id, sort_order: sort_order - 1, sphere },
      { id: a.id, sort_order, sphere: 'Kept' },
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

  it('returns 400 for an empty list and for a repeated id', async () => {
    const entry = { id: (await directory.addCategory()).id, sort_order: 1 };
    for (const body of [[], [entry, { ...entry, sort_order: 2 }]]) expect(await reorder(body)).toMatchObject(INVALID);
  });
});
