import { expect } from 'vitest';
import type { Batch, BatchItem, ImportReport, RevertReport } from '#contract/batches.ts';
import type { LoggedEvent } from '#contract/events.ts';
import { conflict, dataOf, idOf, metaOf, NOT_FOUND, person, TIME, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { csv, readCsv, sendImport } from '#test/support/uploads.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();

const BATCHES = '/api/admin/batches';
const header = ['slug', 'name', 'url', 'description', 'tags'];
const mapping = {
  columns: Object.fromEntries(header.map((name) => [name, name])),
  on_conflict: 'update',
};

const send = async (file: string, query = ''): Promise<ImportReport> =>
  dataOf(await sendImport(server, directory.admin.token, file, mapping, { query }));

const batchOf = async (id: string): Promise<Batch> => dataOf(await directory.get(`${BATCHES}/${id}`, directory.admin));

const itemsOf = async (id: string, query = ''): Promise<BatchItem[]> =>
  dataOf(await directory.get(`${BATCHES}/${id}/items?limit=100${query}`, directory.admin));

const revert = (id: string) => directory.as(directory.admin, 'POST', `${BATCHES}/${id}/revert`);

longTest('a bad import is undone, except for what was touched since', async () => {
  const { admin } = directory;
  const owner = await person(server);
  const word = unique('bad');
  const before = await directory.live(owner, { slug: `${word}-old`, name: 'Right', tags: ['right'] });
  const partly = await directory.live(owner, { slug: `${word}-partly`, name: 'Right too', tags: ['right'] });
  const read = (reference: string) => directory.read(reference, admin);
  const original = { old: await read(before.id), partly: await read(partly.id) };

  const created = ['plain', 'voted', 'edited', 'reported', 'gone', 'commented'].map((name) => `${word}-${name}`);
  const row = (slug: string, name = slug) => [slug, name, `https://${slug}.example.com`, 'Imported.', 'wrong'];
  const formula = ['=x', '-12', 'nonsense', '', ''];
  const file = csv(
    header,
    ...created.map((slug) => row(slug)),
    row(before.slug, 'Wrong'),
    row(partly.slug, 'Wrong'),
    formula,
  );

  // The dry run says what would happen, and leaves no trace.
  const total = async () => metaOf(await directory.get(BATCHES, admin)).total;
  const [known, plan] = [await total(), await send(file, '?dry_run=true')];
  const counts = { created: 6, updated: 2, skipped: 0, failed: 1 };
  expect(plan).toMatchObject({ dry_run: true, batch_id: null, rows: 9, ...counts, counts });
  expect(plan.items).toHaveLength(9);
  expect(plan.items?.[6]).toMatchObject({ row: 8, outcome: 'updated', project: { id: before.id, name: 'Wrong' } });
  expect(await total()).toBe(known);

  const report = await send(file);
  expect(report).toMatchObject({ batch_id: idOf('bat'), dry_run: false, rows: 9, ...counts });
  const id = report.batch_id ?? '';
  const batch = await batchOf(id);
  expect(batch).toEqual({
    id,
    kind: 'import',
    actor: { id: admin.id, name: expect.anything() },
    at: TIME,
    state: 'done',
    counts,
    summary: 'Import of 9 rows from "some.csv"',
    reverts: null,
    reverted_by: null,
  });
  expect(dataOf<Batch[]>(await directory.get(`${BATCHES}?limit=100`, admin))).toContainEqual(batch);
  const items = await itemsOf(id);
  expect(items.map(({ row: at, outcome }) => [at, outcome])).toEqual([
    ...created.map((_, index) => [index + 2, 'created']),
    [8, 'updated'],
    [9, 'updated'],
    [10, 'failed'],
  ]);
  expect(items[6]?.changes.map(({ field }) => field).toSorted()).toEqual(['description', 'name', 'tags', 'url']);
  expect(items[6]?.changes).toContainEqual({ field: 'name', before: 'Right', after: 'Wrong' });
  expect(await itemsOf(id, '&outcome=failed')).toEqual([items[8]]);

  const [names, failed] = readCsv(String((await directory.get(`${BATCHES}/${id}/errors.csv`, admin)).body));
  expect(names).toEqual([...header, 'error']);
  expect(failed?.slice(0, 5)).toEqual(["'=x", '-12', 'nonsense', '', '']);
  expect(failed?.[5]).toContain('url: ');

  // Meanwhile the listings live on.
  await directory.ok(owner, 'PUT', `/api/projects/${word}-voted/upvote`);
  await directory.adminOk('PUT', `/api/admin/projects/${word}-edited`, { name: 'Edited since' });
  await directory.ok(owner, 'POST', `/api/projects/${word}-reported/report`, { reason: 'spam' }, 201);
  await directory.adminOk('DELETE', `/api/admin/projects/${items[4]?.project?.id}`);
  await directory.ok(owner, 'POST', `/api/projects/${word}-commented/comments`, { content: 'Hello.' }, 201);
  await directory.ok(owner, 'PUT', `/api/projects/${partly.id}`, { name: 'Corrected by its owner' });

  const idAt = (index: number) => items[index]?.project?.id ?? '';
  const answers = await Promise.all([revert(id), revert(id)]);
  const done = answers.find(({ status }) => status === 200);
  expect(answers.find(({ status }) => status !== 200)?.body).toMatchObject({ error: 'Conflict' });
  const result = dataOf<RevertReport>(done as { body: unknown });
  expect(result).toMatchObject({ batch_id: idOf('bat'), state: 'done', reverted: 2 });
  expect(new Map(result.kept.map(({ project_id, reason }) => [project_id, reason]))).toEqual(
    new Map([
      [idAt(1), 'voted'],
      [idAt(2), 'changed'],
      [idAt(3), 'reported'],
      [idAt(4), 'gone'],
      [idAt(5), 'commented'],
      [partly.id, 'changed'],
    ]),
  );

  expect((await read(idAt(0))).deleted_at).toEqual(TIME);
  for (const index of [1, 2, 3, 5]) expect((await read(idAt(index))).deleted_at).toBeNull();
  expect(await read(before.id)).toEqual({ ...original.old, updated_at: TIME });
  expect(await read(partly.id)).toEqual({ ...original.partly, name: 'Corrected by its owner', updated_at: TIME });

  expect(await batchOf(id)).toEqual({ ...batch, state: 'reverted', reverted_by: result.batch_id });
  expect(await batchOf(result.batch_id)).toMatchObject({ kind: 'revert', state: 'done', reverts: id });
  const kept = (await itemsOf(result.batch_id)).find(({ project }) => project?.id === partly.id);
  expect(kept).toMatchObject({
    row: null,
    outcome: 'updated',
    reason: 'changed',
    message: expect.stringContaining('name'),
  });

  expect(await revert(id)).toMatchObject(conflict('REVERTED'));
  expect(await revert(result.batch_id)).toMatchObject(conflict('INVALID_TRANSITION'));
  expect(await revert('bat_none')).toMatchObject(NOT_FOUND);

  // One event for all, and none per listing.
  const eventsOf = async (kind: string) =>
    dataOf<LoggedEvent[]>(await directory.get(`/api/admin/events?kind=${kind}&limit=100`, admin));
  expect(await eventsOf('batchReverted')).toContainEqual(
    expect.objectContaining({
      actor_id: admin.id,
      data: { batch_id: id, revert_id: result.batch_id, kind: 'import', reverted: 2, kept: 6 },
    }),
  );
  const deleted = (await eventsOf('projectDeleted')).map(({ data }) => (data as { project_id: string }).project_id);
  expect(deleted).not.toContain(idAt(0));
});
