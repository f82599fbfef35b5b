import { expect, it } from 'vitest';
import type { Batch, BatchItem, BulkReport, DryRun, RevertReport } from '#contract/batches.ts';
import type { Category } from '#contract/categories.ts';
import type { Rule } from '#contract/rules.ts';
import {
  conflict,
  dataOf,
  idOf,
  idsOf,
  invalidAt,
  metaOf,
  NOT_FOUND,
  person,
  submission,
  TIME,
  unique,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { csv, sendImport } from '#test/support/uploads.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();

const BATCHES = '/api/admin/batches';

interface Merged {
  readonly id: string;
  readonly into: string;
  readonly projects_updated: number;
  readonly batch_id: string;
}

const merge = (category: string, into: unknown, query = '') =>
  directory.asAdmin('POST', `/api/admin/categories/${category}/merge${query}`, { into });

const merged = async (category: string, into: string): Promise<Merged> => {
  const response = await merge(category, into);
  expect(response).toMatchObject({ status: 200 });
  return dataOf<Merged>(response);
};

const read = (reference: string) => directory.read(reference, directory.admin);
const categoriesOf = async (reference: string) => (await read(reference)).categories;
const batchOf = async (id: string): Promise<Batch> => dataOf(await directory.adminOk('GET', `${BATCHES}/${id}`));
const whenDone = (id: string) => server.until(async () => (await batchOf(id)).state === 'done');

const revert = async (id: string): Promise<RevertReport> => {
  await whenDone(id);
  return dataOf(await directory.adminOk('POST', `${BATCHES}/${id}/revert`));
};

longTest('a merge is planned, moves every project to the other category, and is reverted', async () => {
  const owner = await person(server);
  const [from, into] = [await directory.addCategory({ sphere: unique('Old') }), await directory.addCategory()];
  const projects = await Promise.all(
    (['live', 'pending', 'rejected', 'deleted'] as const).map((state) =>
      directory.project(state, owner, { categories: [from.slug, directory.category] }),
    ),
  );
  const both = await directory.live(owner, { categories: [directory.category, into.slug, from.slug] });
  const edited = await directory.live(owner, { categories: [from.slug] });
  const all = [...projects, both, edited].map(({ id }) => id);
  const before = await Promise.all(all.map(read));

  const plan = dataOf<DryRun>(await merge(from.slug, into.slug, '?dry_run=true'));
  expect(plan).toMatchObject({ dry_run: true, batch_id: null, counts: { updated: 6, created: 0 } });
  expect(plan.items.find(({ project }) => project?.id === edited.id)).toMatchObject({
    outcome: 'updated',
    changes: [{ field: 'categories', before: [from.slug], after: [into.slug] }],
  });
  expect(await Promise.all(all.map(read))).toEqual(before);

  const result = await merged(from.slug, into.id);
  expect(result).toEqual({ id: from.id, into: into.id, projects_updated: 6, batch_id: idOf('bat') });
  await whenDone(result.batch_id);
  for (const { id } of projects) expect(await categoriesOf(id)).toEqual([into.slug, directory.category]);
  expect(await categoriesOf(both.id)).toEqual([directory.category, into.slug]);
  const batch = await batchOf(result.batch_id);
  expect(batch).toMatchObject({
    kind: 'category_merge',
    actor: { id: directory.admin.id },
    summary: `Merge the category "${from.name}" into "${into.name}"`,
    counts: { updated: 6 },
  });
  const items = dataOf<BatchItem[]>(await directory.adminOk('GET', `${BATCHES}/${batch.id}/items`));
  expect(items.map(({ project }) => project?.id).toSorted()).toEqual(all.toSorted());
  const audit = dataOf<{ action: string }[]>(await directory.adminOk('GET', '/api/admin/audit?limit=100'));
  expect(audit.some(({ action }) => action === 'categories.merge')).toBe(true);

  // The old slug answers with the other category; the id, as of every category that is gone, does not.
  expect(dataOf(await directory.get(`/api/categories/${from.slug}`))).toMatchObject({ id: into.id, project_count: 3 });
  expect(await directory.get(`/api/categories/${from.id}`)).toMatchObject(NOT_FOUND);
  expect(idsOf(await directory.get('/api/categories'))).not.toContain(from.id);
  const listed = await directory.get(`/api/projects?category=${from.slug}&facets=category`);
  expect(idsOf(listed).toSorted()).toEqual([projects[0]?.id, both.id, edited.id].toSorted());
  expect(metaOf(listed).facets?.category).toContainEqual({ value: into.slug, count: 3 });

  await directory.adminOk('PUT', `/api/admin/projects/${edited.id}`, { categories: [directory.category] });
  const late = await directory.live(owner, { categories: [from.slug] });
  const report = await revert(batch.id);
  expect(report).toMatchObject({ state: 'done', reverted: 5, kept: [{ project_id: edited.id, reason: 'changed' }] });
  expect(dataOf(await directory.get(`/api/categories/${from.slug}`))).toEqual({
    ...from,
    updated_at: TIME,
    project_count: 2,
  });
  for (const [position, id] of all.entries()) {
    if (id === edited.id) continue;
    expect(await read(id)).toEqual({ ...before[position], updated_at: TIME });
  }
  expect(await categoriesOf(edited.id)).toEqual([directory.category]);
  expect(await categoriesOf(late.id)).toEqual([into.slug]);
  expect(idsOf(await directory.get(`/api/projects?category=${from.slug}`)).toSorted()).toEqual(
    [projects[0]?.id, both.id].toSorted(),
  );
});

longTest('the slug of a merged category is replaced wherever it is submitted', async () => {
  const owner = await person(server);
  const first = await directory.addCategory({ name: `${unique('Bread')} & Cake`, slug: unique('bread') });
  const [second, last] = [await directory.addCategory(), await directory.addCategory()];
  const rule = (category: string) => ({
    name: unique('rule'),
    is_active: true,
    order: 1,
    when: { all: [{ category_in: [category] }, { text_contains: [word] }] },
    action: 'reject',
    reason: 'By rule.',
  });
  const word = unique('word');
  const earlier = dataOf<Rule>(await directory.adminOk('POST', '/api/admin/rules', rule(first.slug), 201));
  await merged(first.slug, second.id);
  await merged(second.id, last.slug);
  const slugs = [first.slug, second.slug, directory.category];
  const expected = [last.slug, directory.category];

  // Submission and edits.
  const submitted = await directory.submit(owner, { categories: slugs });
  expect(await categoriesOf(submitted.id)).toEqual(expected);
  const path = `/api/projects/${submitted.id}`;
  const clear = () => directory.adminOk('PUT', `/api/admin${path.slice(4)}`, { categories: [directory.category] });
  await clear();
  await directory.ok(owner, 'PUT', path, { categories: slugs });
  expect(await categoriesOf(submitted.id)).toEqual(expected);
  await clear();
  await directory.adminOk('PUT', `/api/admin/projects/${submitted.id}`, { categories: slugs });
  expect(await categoriesOf(submitted.id)).toEqual(expected);
  await clear();
  const action = { ids: [submitted.id], action: 'set_categories', categories: slugs };
  const bulk = dataOf<BulkReport>(await directory.adminOk('POST', '/api/admin/projects/bulk', action));
  expect(bulk).toMatchObject({ succeeded: 1 });
  expect(await categoriesOf(submitted.id)).toEqual(expected);

  // A checkout, also one that was opened before.
  const premium = submission({ plan: 'premium', categories: slugs });
  const checkout = dataOf<{ checkout_id: string }>(await directory.ok(owner, 'POST', '/api/projects', premium));
  const paid = await server.call('POST', `/_local/checkout/${checkout.checkout_id}`, { body: { outcome: 'paid' } });
  expect(paid.status).toBeLessThan(400);
  const bought = async () =>
    dataOf<{ name: string; categories: string[] }[]>(await directory.get('/api/me/submissions', owner)).find(
      ({ name }) => name === premium.name,
    );
  await server.until(async () => (await bought()) !== undefined);
  expect((await bought())?.categories).toEqual(expected);

  // An import, by slug and by name.
  const header = ['name', 'url', 'description', 'categories'];
  const rows = [`${first.slug}|${directory.category}`, first.name].map((cell) => [
    unique('imported'),
    `https://${unique('host')}.example.com`,
    'Imported.',
    cell,
  ]);
  const mapping = { columns: Object.fromEntries(header.map((name) => [name, name])), create_categories: true };
  const report = await sendImport(server, directory.admin.token, csv(header, ...rows), mapping);
  expect(dataOf(report)).toMatchObject({ created: 2, failed: 0 });
  expect(await categoriesOf(String(rows[0]?.[0]))).toEqual(expected);
  expect(await categoriesOf(String(rows[1]?.[0]))).toEqual([last.slug]);

  // Rules, stored before the merge or after it, and their simulation.
  const rejected = await directory.submit(owner, { categories: [second.slug], description: word });
  expect(await read(rejected.id)).toMatchObject({ status: 'rejected', rejection_reason: 'By rule.' });
  const simulation = { rules: [rule(second.slug)], last: 5 };
  const simulated = dataOf<{ items: { project: { id: string }; action: string }[] }>(
    await directory.adminOk('POST', '/api/admin/rules/simulate', simulation),
  );
  expect(simulated.items.find(({ project }) => project.id === rejected.id)).toMatchObject({ action: 'reject' });
  const saved = await directory.adminOk('PUT', `/api/admin/rules/${earlier.id}`, { when: rule(first.slug).when });
  expect(dataOf<Rule>(saved).when.all?.[0]).toEqual({ category_in: [last.slug] });
  const later = dataOf<Rule>(await directory.adminOk('POST', '/api/admin/rules', rule(second.slug), 201));
  expect(later.when.all?.[0]).toEqual({ category_in: [last.slug] });
  for (const { id } of [earlier, later]) await directory.adminOk('DELETE', `/api/admin/rules/${id}`);

  // The filter of lists, and the target of another merge.
  const filtered = await directory.get(`/api/projects?category=${first.slug}`);
  expect(metaOf(filtered).total).toBe(metaOf(await directory.get(`/api/projects?category=${last.slug}`)).total);
  expect(metaOf(filtered).total).toBeGreaterThan(0);
  const more = await directory.addCategory();
  expect(await merged(more.slug, first.slug)).toMatchObject({ into: last.id, projects_updated: 0 });
  expect(dataOf(await directory.get(`/api/categories/${more.slug}`))).toMatchObject({ id: last.id });
});

longTest('the slug of a merged category stays taken, also after the deletion of the other one', async () => {
  const [from, into, other] = [
    await directory.addCategory(),
    await directory.addCategory(),
    await directory.addCategory(),
  ];
  await merged(from.slug, into.slug);
  const admin = (method: string, path: string, body?: unknown) =>
    directory.asAdmin(method, `/api/admin/categories${path}`, body);
  const mustBeTaken = async () => {
    expect(await admin('POST', '', { name: 'Again', slug: from.slug })).toMatchObject(conflict('CATEGORY_EXISTS'));
    expect(await admin('PUT', `/${other.id}`, { slug: from.slug })).toMatchObject(conflict('CATEGORY_EXISTS'));
    // Changes name a category exactly.
    expect(await admin('PUT', `/${from.slug}`, { name: 'Renamed' })).toMatchObject(NOT_FOUND);
    expect(await admin('DELETE', `/${from.slug}`)).toMatchObject(NOT_FOUND);
    expect(await merge(from.slug, other.id)).toMatchObject(NOT_FOUND);
  };
  await mustBeTaken();
  expect(dataOf<Category>(await admin('PUT', `/${into.id}`, { slug: unique('next') }))).toMatchObject({ id: into.id });
  expect(dataOf(await directory.get(`/api/categories/${from.slug}`))).toMatchObject({ id: into.id });

  const owner = await person(server);
  const project = await directory.live(owner, { categories: [from.slug, other.slug] });
  const removal = dataOf<{ batch_id: string }>(await admin('DELETE', `/${into.id}`));
  await whenDone(removal.batch_id);
  await mustBeTaken();
  expect(await directory.get(`/api/categories/${from.slug}`)).toMatchObject(NOT_FOUND);
  const refused = await directory.as(owner, 'POST', '/api/projects', submission({ categories: [from.slug] }));
  expect(refused).toMatchObject(invalidAt('categories'));
  expect(metaOf(await directory.get(`/api/projects?category=${from.slug}`)).total).toBe(0);
  // Once the other one is back, the slug stands for it again.
  expect(await revert(removal.batch_id)).toMatchObject({ state: 'done', reverted: 1 });
  expect(dataOf(await directory.get(`/api/categories/${from.slug}`))).toMatchObject({ id: into.id, project_count: 1 });
  expect(idsOf(await directory.get(`/api/projects?category=${from.slug}`))).toEqual([project.id]);
});

it('a merge into itself or an unknown category is 400 on into, of an unknown category 404', async () => {
  const [from, into] = [await directory.addCategory(), await directory.addCategory()];
  for (const target of [from.id, from.slug, 'cat_none', unique('none'), '', 5, undefined]) {
    expect(await merge(from.id, target)).toMatchObject(invalidAt('into'));
  }
  expect(await merge(from.id, 'cat_none', '?dry_run=true')).toMatchObject(invalidAt('into'));
  expect(await merge('cat_none', 5)).toMatchObject(NOT_FOUND);
  await merged(from.id, into.id);
  // The old slug stands for the category itself.
  expect(await merge(into.id, from.slug)).toMatchObject(invalidAt('into'));
});

longTest('of two merges in opposite directions at once one wins, and no project loses both categories', async () => {
  const owner = await person(server);
  for (let round = 0; round < 4; round += 1) {
    const [one, other] = [await directory.addCategory(), await directory.addCategory()];
    const projects = await Promise.all(
      [one, other].map(({ slug }) => directory.submit(owner, { categories: [slug, directory.category] })),
    );
    const answers = await Promise.all([merge(one.id, other.id), merge(other.id, one.id)]);
    const winner = answers.find(({ status }) => status === 200);
    expect([400, 404]).toContain(answers.find((answer) => answer !== winner)?.status);
    const { into, batch_id } = dataOf<Merged>(winner as { body: unknown });
    const { slug } = into === one.id ? one : other;
    await whenDone(batch_id);
    for (const { id } of projects) expect(await categoriesOf(id)).toEqual([slug, directory.category]);
  }
});

longTest('edits and submissions during a merge end in the other category', async () => {
  const owner = await person(server);
  const [from, into] = [await directory.addCategory(), await directory.addCategory()];
  const projects = await Promise.all(Array.from({ length: 6 }, () => directory.live(owner)));
  const [result, ...others] = await Promise.all([
    merged(from.id, into.id),
    ...projects.map(({ id }) => directory.ok(owner, 'PUT', `/api/projects/${id}`, { categories: [from.slug] })),
    ...projects.map(() => directory.submit(owner, { categories: [from.slug], slug: unique('during') })),
  ]);
  expect(others).toHaveLength(12);
  await whenDone(result.batch_id);
  await server.until(async () => {
    const mine = await directory.get('/api/me/submissions?limit=100', owner);
    return dataOf<{ categories: string[] }[]>(mine).every(({ categories }) => categories.join() === into.slug);
  });
});
