import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { countEntries, entriesOf, findBatch } from '#data/batches.ts';
import { insertComment } from '#data/comments.ts';
import { batchKey, userKey } from '#data/keys.ts';
import { findProject, insertProject } from '#data/projects.ts';
import { setVote } from '#data/reactions.ts';
import { replaceReport } from '#data/reports.ts';
import { putItem, updateItem } from '#data/write.ts';
import { newMessage } from '#events/catalogue.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { createCategory, mergeCategories, removeCategory } from '#services/categories/manage.ts';
import { finishSlugChange } from '#services/categories/propagate-slug.ts';
import { importProjects } from '#services/imports/import-rows.ts';
import { changeInBulk } from '#services/projects/bulk.ts';
import { purgeProject } from '#services/projects/moderate.ts';
import { finishRevert, revertBatch } from '#services/projects/revert-batch.ts';
import { editProject } from '#services/projects/update.ts';
import { AppError } from '#shared/errors.ts';
import { origin, project as plain } from '#test/catalog/fixtures.ts';
import { Random } from '#test/catalog/random.ts';
import type { BareTable } from '#test/support/bare-table.ts';
import { unique } from '#test/support/fixtures.ts';
import { inDyingProcess } from '#test/support/mortal-process.ts';
import { csv } from '#test/support/uploads.ts';

// A random batch, random touches, and its revert, with processes that die between any two writes, against a model.

/** Runs work in a process that may die. @returns undefined when it died. */
const mortal = async <T>(random: Random, work: () => Promise<T>): Promise<T | undefined> => {
  if (!random.chance(0.6)) return await work();
  return await inDyingProcess(random, 12, work).catch(() => undefined);
};

type State = Omit<ProjectRecord, 'version' | 'updated_at' | 'earlier_slugs'>;

const stateOf = async (id: string): Promise<State | undefined> => {
  const stored = await findProject(id);
  if (!stored) return undefined;
  const { version: _version, updated_at: _updated, earlier_slugs: _slugs, ...state } = stored.project;
  return state;
};

type States = ReadonlyMap<string, State | undefined>;

const statesOf = async (ids: Iterable<string>): Promise<States> =>
  new Map(await Promise.all([...ids].map(async (id) => [id, await stateOf(id)] as const)));

const text = (value: unknown): string => JSON.stringify(value);

const GROUPS = [['status', 'rejection_reason', 'published_at']] as const;
const groupOf = (field: string): readonly string[] => GROUPS.find((group) => group.includes(field as never)) ?? [field];

/** The state that a project should have after the revert, from its states before and after the batch and the touches. */
const expected = (
  before: State | undefined,
  after: State | undefined,
  touched: State | undefined,
  hasReactions: boolean,
): State | undefined => {
  if (!touched || text(before) === text(after)) return touched;
  if (!before) {
    const isKept = hasReactions || touched.deleted_at !== null || text(touched) !== text(after);
    return isKept ? touched : { ...touched, deleted_at: expect.any(String) as unknown as string };
  }
  const field = (state: State | undefined, name: string): string => text((state as Record<string, unknown>)[name]);
  const changed = Object.keys(before).filter((name) => field(before, name) !== field(after, name));
  const isLost = (name: string) =>
    changed.includes(name) && ![field(after, name), field(before, name)].includes(field(touched, name));
  const restored = changed.filter((name) => !groupOf(name).some(isLost));
  return { ...touched, ...Object.fromEntries(restored.map((name) => [name, before[name as keyof State]])) };
};

/** Completes a removal or merge by its task, which runs twice at once and may die. */
const finishChange = async (random: Random, slug: string, batchId: string): Promise<void> => {
  const run = async (): Promise<void> => {
    try {
      await finishSlugChange(slug, batchId);
    } catch (error) {
      // Projects were changed: the task is repeated.
      if (!(error instanceof AppError && error.code === 'CATEGORY_EXISTS')) throw error;
    }
  };
  while ((await findBatch(batchId))?.state === 'running') await mortal(random, () => Promise.all([run(), run()]));
};

const PROJECTS = 6;

/** Runs the simulation once. @throws AssertionError when a project or the records of the batch differ from the model. */
export const simulateRevert = async (table: Pick<BareTable, 'scan'>, seed: number): Promise<void> => {
  const random = new Random(seed);
  const admin = { id: `usr_${randomUUID()}`, is_admin: true } as UserRecord;
  await putItem({ ...userKey(admin.id), type: 'user', id: admin.id, version: 1 });
  const [kept, lost, other] = [
    await createCategory({ name: unique('kept') }),
    await createCategory({ name: unique('lost') }),
    await createCategory({ name: unique('other') }),
  ];
  const word = unique('sim');
  const ids: string[] = [];
  for (let number = 0; number < PROJECTS; number += 1) {
    const id = newId('prj');
    const categories = random.chance(0.6) ? [lost.slug, kept.slug] : [kept.slug];
    const status = random.chance(0.5) ? 'pending' : 'live';
    const published_at = status === 'live' ? '2026-01-02T00:00:00.000Z' : null;
    const record = plain({ id, slug: `${word}-${number}`, owner_id: admin.id, categories, status, published_at });
    await insertProject(record, origin, []);
    ids.push(id);
  }
  const before = await statesOf(ids);

  // The batch.
  const kind = random.pick(['import', 'bulk', 'removal', 'merge'] as const);
  const known = new Set((await table.scan()).filter(({ type }) => type === 'batch').map(({ id }) => String(id)));
  await mortal(random, async () => {
    if (kind === 'bulk') {
      const action = random.pick(['approve', 'reject', 'delete', 'set_categories'] as const);
      await changeInBulk(admin, { ids, action, reason: 'x', categories: [lost.slug] }, 60_000);
    } else if (kind === 'removal') {
      await removeCategory(admin, lost.id);
    } else if (kind === 'merge') {
      await mergeCategories(admin, lost.id, kept.slug);
    } else {
      const row = () => {
        const slug = `${word}-${random.below(PROJECTS * 2)}`;
        return [
          slug,
          `Imported ${random.below(3)}`,
          `https://${slug}.example`,
          'x',
          random.pick(['a', 'b|c', '']),
          random.pick(['live', '']),
        ];
      };
      const header = ['slug', 'name', 'url', 'description', 'tags', 'status'];
      const columns = Object.fromEntries(header.map((name) => [name, name]));
      const file = csv(header, ...Array.from({ length: 12 }, row), ['', 'no address', '', '', '', '']);
      await importProjects(
        admin,
        { file, mapping: JSON.stringify({ columns, on_conflict: 'update' }) },
        { budgetMs: 60_000 },
      );
    }
  });
  const items = await table.scan();
  const batchId = items.flatMap(({ type, id }) => (type === 'batch' && !known.has(String(id)) ? [String(id)] : []))[0];
  // It died before it began.
  if (batchId === undefined) return;
  if (kind === 'removal' || kind === 'merge') await finishChange(random, lost.slug, batchId);
  else await updateItem(batchKey(batchId), { set: { running_until: '2026-01-01T00:00:00.000Z' } });
  for (const { type, id, owner_id } of items) {
    if (type === 'project' && owner_id === admin.id && !ids.includes(String(id))) ids.push(String(id));
  }
  const after = await statesOf(ids);
  const changed = ids.filter((id) => text(before.get(id)) !== text(after.get(id)));
  const { counts } = (await findBatch(batchId)) ?? {};
  if (counts && kind !== 'import' && kind !== 'bulk') expect(counts.updated).toBe(changed.length);

  // The touches.
  const reacted = new Set<string>();
  for (const id of ids) {
    if (random.chance(0.5)) continue;
    const stored = (await stateOf(id)) as State;
    const isOpen = stored.status === 'live' && stored.deleted_at === null;
    const touch = random.below(9);
    if (touch < 2) await editProject(admin, id, { name: 'Edited' }, undefined);
    else if (touch === 2) await editProject(admin, id, { tags: ['edited'], status: 'rejected' }, undefined);
    else if (touch === 3) await purgeProject(admin, id);
    else if (touch === 8)
      await editProject(admin, id, { categories: [kind === 'merge' ? lost.slug : other.slug] }, undefined);
    else if (touch === 4) await editProject(admin, id, { deleted_at: now() }, undefined);
    else if (isOpen) {
      reacted.add(id);
      if (touch === 5) await setVote(id, admin.id, undefined, undefined);
      const at = now();
      const written = { project_id: id, user_id: admin.id, created_at: at, updated_at: at };
      const data = { comment_id: 'cmt_1', project_id: id, user_id: admin.id, content: 'x' };
      if (touch === 6) {
        const comment = { id: newId('cmt'), content: 'x', is_hidden: false, ...written };
        await insertComment(comment, newMessage('commentCreated', admin.id, data));
      }
      if (touch === 7) {
        const report = {
          id: newId('rep'),
          reason: 'x',
          details: null,
          status: 'open',
          note: null,
          version: 1,
          ...written,
        };
        await replaceReport(undefined, report as never);
      }
    }
  }
  const touched = await statesOf(ids);

  // The revert, in processes that die, and concurrent ones.
  let revertId: string | null = null;
  while (revertId === null) {
    await mortal(random, () => revertBatch(admin, batchId, 60_000));
    revertId = (await findBatch(batchId))?.reverted_by ?? null;
  }
  const due = revertId;
  while ((await findBatch(due))?.state === 'running') {
    await mortal(random, () => Promise.all([finishRevert(due), finishRevert(due)]));
    const { counts: noted } = (await findBatch(due)) ?? {};
    const stored = Object.entries(await countEntries(due));
    for (const [outcome, count] of stored)
      expect(noted?.[outcome as keyof typeof noted] ?? 0).toBeLessThanOrEqual(count);
  }

  const result = await statesOf(ids);
  for (const id of ids) {
    const model = expected(before.get(id), after.get(id), touched.get(id), reacted.has(id));
    expect(result.get(id), `seed ${seed}, ${kind}, ${id}`).toEqual(model);
  }
  await expect(revertBatch(admin, batchId, 60_000)).rejects.toMatchObject({ code: 'REVERTED' });
  const all = await table.scan();
  const positions: string[] = [];
  for await (const { position } of entriesOf(due)) positions.push(position);
  // Each project of the batch once, and one event.
  expect(positions.toSorted()).toEqual(changed.toSorted());
  const events = all.filter(
    ({ kind: event, data }) => event === 'batchReverted' && (data as { revert_id?: string }).revert_id === due,
  );
  expect(events).toHaveLength(1);
};
