import type { BulkReport, BulkResult, DryRun } from '#contract/batches.ts';
import type { BulkAction } from '#contract/projects.ts';
import { endBatch, entryWrite, insertBatch, putEntries } from '#data/batches.ts';
import { currentFields } from '#data/custom-fields.ts';
import { findProject } from '#data/projects.ts';
import type { Caller } from '#model/api-key.ts';
import { type BatchEntry, countOutcomes, rowPosition, unwrittenEntry, writtenEntry } from '#model/batch.ts';
import { mustBeAllowed } from '#model/policy.ts';
import type { ProjectRecord } from '#model/project.ts';
import { timeAfter } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { AppError, invalidField, mustExist } from '#shared/errors.ts';
import { dryRunOf, newBatch, reasonOf } from './batches.ts';
import { changeProject, type Decide, previewChange } from './change.ts';
import { approval, rejection, restoration } from './moderate.ts';
import { staffReader } from './read.ts';
import { generalEdit, removal } from './update.ts';

const decisionOf = (staff: Caller, action: BulkAction): Decide => {
  switch (action.action) {
    case 'approve':
      return approval(staff, 'bulk');
    case 'reject':
      return rejection(staff, 'bulk', action.reason ?? null);
    case 'delete':
      return removal(staff, 'bulk');
    case 'restore':
      return restoration(staff, 'bulk');
    case 'set_categories':
      return generalEdit(staff, 'bulk', { categories: action.categories });
    case 'set_fields':
      if (!environment().features.fields) throw invalidField(['action'], 'set_fields is not available');
      return generalEdit(staff, 'bulk', { fields: action.fields });
  }
};

/** @throws 403 for an action that moderators may not perform, or that no scope of an API key covers. */
const mustBePermitted = (staff: Caller, { action }: BulkAction): void =>
  mustBeAllowed(action === 'approve' || action === 'reject' ? 'decide' : 'edit', staff);

const actionNames: Readonly<Record<BulkAction['action'], string>> = {
  approve: 'Approve',
  reject: 'Reject',
  delete: 'Delete',
  restore: 'Restore',
  set_categories: 'Set the categories of',
  set_fields: 'Set fields of',
};

const summaryOf = ({ action, ids }: BulkAction): string =>
  `${actionNames[action]} ${ids.length} ${ids.length === 1 ? 'project' : 'projects'}`;

interface Outcome {
  readonly result: BulkResult;
  readonly entry: BatchEntry;
  /** Whether the entry was stored in the transaction of the change. */
  readonly isStored: boolean;
}

const placeOf = (row: number, outcome: BatchEntry['outcome']) => ({ position: rowPosition(row), row, outcome });

/** @param row the position in the request, from 1. */
const failureOf = async (id: string, row: number, error: unknown): Promise<Outcome> => {
  if (!(error instanceof AppError)) throw error;
  const stored = error.code === 'NOT_FOUND' ? undefined : await findProject(id);
  const entry = unwrittenEntry(placeOf(row, 'failed'), stored?.project, reasonOf(error));
  return { result: { id, ok: false, ...error.body }, entry, isStored: false };
};

const changeOne = async (batchId: string, decide: Decide, id: string, row: number): Promise<Outcome> => {
  let entry: BatchEntry | undefined;
  try {
    const { project } = await changeProject(
      id,
      (current) => {
        entry = undefined;
        return decide(current);
      },
      (previous, next) => {
        entry = writtenEntry(placeOf(row, 'updated'), previous, next);
        return [entryWrite(batchId, entry)];
      },
    );
    const result = { id, ok: true, status: project.status };
    if (entry) return { result, entry, isStored: true };
    return { result, entry: unwrittenEntry(placeOf(row, 'skipped'), project, null), isStored: false };
  } catch (error) {
    return await failureOf(id, row, error);
  }
};

/** An id of a request, with the project that it names. */
interface Named {
  /** Undefined when it names none. */
  readonly project: ProjectRecord | undefined;
  readonly id: string;
  readonly row: number;
}

/** The entries of one project, which several ids may name: each is decided on the state that the one before it leaves. */
const previewProject = async (decide: Decide, named: readonly Named[]): Promise<BatchEntry[]> => {
  const entries: BatchEntry[] = [];
  let current = named[0]?.project;
  for (const { id, row } of named) {
    try {
      const next = await previewChange(mustExist(current), decide);
      entries.push(
        next === current
          ? unwrittenEntry(placeOf(row, 'skipped'), next, null)
          : writtenEntry(placeOf(row, 'updated'), current, next),
      );
      current = next;
    } catch (error) {
      entries.push((await failureOf(id, row, error)).entry);
    }
  }
  return entries;
};

/** Processes ids with their rows, some at a time. @returns the results in the given order. */
const eachOf = async <T>(ids: readonly string[], work: (id: string, row: number) => Promise<T>) =>
  (await mapConcurrently(ids, (id, index) => work(id, index + 1))).results;

/**
 * Changes projects independently of each other, as a batch.
 * @param remainingMs the time until nothing more is written, in milliseconds.
 * @returns a result per id, in the given order.
 * @throws 403 as `mustBePermitted`.
 */
export const changeInBulk = async (staff: Caller, action: BulkAction, remainingMs: number): Promise<BulkReport> => {
  mustBePermitted(staff, action);
  const decide = decisionOf(staff, action);
  const batch = newBatch(staff, 'bulk', summaryOf(action), { running_until: timeAfter(remainingMs) });
  await insertBatch(batch);
  const outcomes = await eachOf(action.ids, (id, row) => changeOne(batch.id, decide, id, row));
  await putEntries(
    batch.id,
    outcomes.flatMap(({ entry, isStored }) => (isStored ? [] : [entry])),
  );
  await endBatch(batch.id, 'done', countOutcomes(outcomes.map(({ entry }) => entry)));
  const results = outcomes.map(({ result }) => result);
  const succeeded = results.filter(({ ok }) => ok).length;
  return { batch_id: batch.id, results, succeeded, failed: results.length - succeeded };
};

/** What `changeInBulk` would do. @throws 403 as `mustBePermitted`. */
export const previewBulk = async (staff: Caller, action: BulkAction): Promise<DryRun> => {
  mustBePermitted(staff, action);
  const decide = decisionOf(staff, action);
  const named = await eachOf(action.ids, async (id, row) => ({ project: (await findProject(id))?.project, id, row }));
  const groups = [...Map.groupBy(named, ({ project, id }) => project?.id ?? id).values()];
  const { results } = await mapConcurrently(groups, (group) => previewProject(decide, group));
  const entries = results.flat().toSorted((one, other) => (one.row ?? 0) - (other.row ?? 0));
  return dryRunOf(entries, undefined, await currentFields(), staffReader(staff));
};
