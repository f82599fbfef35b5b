import { expect, it } from 'vitest';
import type { Batch, BatchItem, BulkReport, DryRun, RevertReport } from '#contract/batches.ts';
import type { Category } from '#contract/categories.ts';
import { conflict, dataOf, idOf, invalidAt, NOT_FOUND, person, TIME, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();

const BULK = '/api/admin/projects/bulk';
const BATCHES = '/api/admin/batches';

const read = (reference: string) => directory.read(reference, directory.admin);

const revert = async (id: string): Promise<RevertReport> =>
  dataOf(await directory.adminOk('POST', `${BATCHES}/${id}/revert`));

const itemsOf = async (id: string): Promise<BatchItem[]> =>
  dataOf(await directory.get(`${BATCHES}/${id}/items`, directory.admin));

it.each([
  ['approve', 'pending'],
  ['reject', 'pending'],
  ['delete', 'live'],
  ['restore', 'deleted'],
] as const)('a bulk %s is planned, done and reverted', async (action, state) => {
  const owner = await person(server);
  const { id } = await directory.project(state, owner);
  const live = await directory.live(owner);
  const before = await read(id);
  const ids = [id, 'prj_none', ...(action === 'delete' ? [] : [live.id])];
  const plan = dataOf<DryRun>(await directory.adminOk('POST', `${BULK}?dry_run=true`, { ids, action, reason: 'x' }));
  expect(plan).toMatchObject({ dry_run: true, batch_id: null });
  expect(await read(id)).toEqual(before);

  const report = dataOf<BulkReport>(await directory.adminOk('POST', BULK, { ids, action, reason: 'x' }));
  expect(report).toMatchObject({ batch_id: idOf('bat'), succeeded: 1, failed: ids.length - 1 });
  const items = await itemsOf(report.batch_id);
  expect(items).toMatchObject([
    { row: 1, outcome: 'updated', project: { id } },
    { row: 2, outcome: 'failed', project: null, message: 'Not found' },
    ...(action === 'delete' ? [] : [{ row: 3, outcome: 'failed', project: { id: live.id } }]),
  ]);
  const withoutTimes = (all: readonly BatchItem[]) =>
    all.map(({ changes, ...item }) => ({ ...item, fields: changes.map(({ field }) => field) }));
  expect(withoutTimes(plan.items)).toEqual(withoutTimes(items));
  const batch = dataOf<Batch>(await directory.get(`${BATCHES}/${report.batch_id}`, directory.admin));
  expect(batch).toMatchObject({ kind: 'bulk', state: 'done', counts: plan.counts });
  expect(await directory.get(`${BATCHES}/${report.batch_id}/errors.csv`, directory.admin)).toMatchObject(NOT_FOUND);

  expect(await revert(report.batch_id)).toMatchObject({ state: 'done', reverted: 1, kept: [] });
  expect(await read(id)).toEqual({ ...before, updated_at: TIME });
});

longTest('setting the categories in bulk is reverted only where they are as they were set', async () => {
  const owner = await person(server);
  const other = await directory.addCategory();
  const projects = [await directory.live(owner), await directory.live(owner), await directory.live(owner)];
  const ids = projects.map(({ id }) => id);
  await directory.adminOk('PUT', `/api/admin/projects/${ids[2]}`, { categories: [other.slug] });
  const action = { ids, action: 'set_categories', categories: [other.slug] };
  const report = dataOf<BulkReport>(await directory.adminOk('POST', BULK, action));
  expect((await itemsOf(report.batch_id)).map(({ outcome }) => outcome)).toEqual(['updated', 'updated', 'skipped']);
  await directory.adminOk('PUT', `/api/admin/projects/${ids[1]}`, { categories: [] });
  expect(await revert(report.batch_id)).toMatchObject({
    reverted: 1,
    kept: [{ project_id: ids[1], reason: 'changed' }],
  });
  const categories = await Promise.all(ids.map(async (id) => (await read(id)).categories));
  expect(categories).toEqual([[directory.category], [], [other.slug]]);
});

longTest('a removed category comes back with its id, its slug and its projects', async () => {
  const owner = await person(server);
  const category = await directory.addCategory({ name: unique('Lost'), sphere: 'somewhere' });
  const projects: string[] = [];
  for (let number = 0; number < 3; number += 1) {
    projects.push((await directory.live(owner, { categories: [category.slug, directory.category] })).id);
  }
  const path = `/api/admin/categories/${category.slug}`;
  const plan = dataOf<DryRun>(await directory.adminOk('DELETE', `${path}?dry_run=true`));
  expect(plan).toMatchObject({ dry_run: true, counts: { updated: 3 } });
  expect(plan.items[0]?.changes).toEqual([
    { field: 'categories', before: [category.slug, directory.category], after: [directory.category] },
  ]);
  expect(await directory.asAdmin('DELETE', `${path}?dry_run=yes`)).toMatchObject(invalidAt('dry_run'));

  const removed = dataOf<{ batch_id: string }>(await directory.adminOk('DELETE', path));
  expect(removed).toEqual({ id: category.id, projects_updated: 3, batch_id: idOf('bat') });
  const batch = async () => dataOf<Batch>(await directory.get(`${BATCHES}/${removed.batch_id}`, directory.admin));
  await server.until(async () => (await batch()).state === 'done');
  expect(await batch()).toMatchObject({ kind: 'category_removal', counts: { updated: 3 } });
  await directory.adminOk('PUT', `/api/admin/projects/${projects[2]}`, { categories: [] });

  expect(await revert(removed.batch_id)).toMatchObject({
    reverted: 2,
    kept: [{ project_id: projects[2], reason: 'changed' }],
  });
  const again = dataOf<Category>(await directory.get(`/api/categories/${category.id}`));
  expect(again).toMatchObject({ id: category.id, slug: category.slug, sphere: 'somewhere' });
  const listed = async () =>
    dataOf<Category[]>(await directory.get('/api/categories')).find(({ id }) => id === category.id);
  await server.until(async () => (await listed())?.project_count === 2);
  expect((await read(projects[0] ?? '')).categories).toEqual([category.slug, directory.category]);

  // Under its slug another category may have been created since.
  const twice = dataOf<{ batch_id: string }>(await directory.adminOk('DELETE', path));
  const isDone = async () =>
    dataOf<Batch>(await directory.get(`${BATCHES}/${twice.batch_id}`, directory.admin)).state === 'done';
  await server.until(isDone);
  await directory.adminOk('POST', '/api/admin/categories', { name: 'New', slug: category.slug }, 201);
  expect(await directory.asAdmin('POST', `${BATCHES}/${twice.batch_id}/revert`)).toMatchObject(
    conflict('CATEGORY_EXISTS'),
  );
});
