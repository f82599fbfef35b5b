import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectIsOpen } from '#data/counts.ts';
import { projectKey, revisionKey } from '#data/keys.ts';
import { findProject, projectInsertion } from '#data/projects.ts';
import { findItem } from '#data/read.ts';
import { findRevision, revisionsOf } from '#data/revisions.ts';
import { putItem, transact } from '#data/write.ts';
import { unsetFields } from '#model/project.ts';
import { origin, project } from '#test/catalog/fixtures.ts';
import { type BareTable, startBareTable } from '#test/support/bare-table.ts';

/** Items as earlier versions of the service stored them. */

let table: BareTable;

beforeAll(async () => {
  table = await startBareTable();
});

afterAll(async () => {
  await table.stop();
});

it('stores a project without its empty fields, and reads one with nulls and empty lists', async () => {
  const record = project({ id: 'prj_1', ...unsetFields, categories: ['tea'] });
  await transact(projectInsertion(record, origin));
  const item = await findItem(projectKey('prj_1'));
  const names = Object.keys(item ?? {});
  expect(names).toContain('categories');
  expect(names.filter((name) => name !== 'categories' && name in unsetFields)).toEqual([]);
  expect((await findProject('prj_1'))?.project).toEqual(record);

  await putItem({ ...item, ...unsetFields, categories: ['tea'] });
  expect((await findProject('prj_1'))?.project).toEqual(record);
  await transact([projectIsOpen('prj_1')]);
  await putItem({ ...item, deleted_at: '2026-01-01T00:00:00.000Z' });
  await expect(transact([projectIsOpen('prj_1')])).rejects.toMatchObject({ status: 404 });
});

it('reads the changes of a revision as tuples, as objects and as a list', async () => {
  await transact(projectInsertion(project({ id: 'prj_2', slug: 'two' }), origin));
  const first = await revisionsOf('prj_2', 1).next();
  const created = first.done ? undefined : first.value;
  if (!created) throw new Error('The project has no revision.');
  expect(created.changes).toContainEqual({ field: 'slug', before: null, after: 'two' });
  expect(created).toMatchObject({ applied: created.changes.map(({ field }) => field), note: null });

  const item = await findItem(revisionKey('prj_2', created.id));
  const { changes, applied } = created;
  await putItem({ ...item, changes: JSON.stringify(changes), applied: JSON.stringify(applied), note: null });
  expect(await findRevision('prj_2', created.id)).toEqual(created);
  await putItem({ ...item, changes, applied, note: null });
  expect(await findRevision('prj_2', created.id)).toEqual(created);
});
