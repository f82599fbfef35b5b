import { type KeptReason, LISTED_MAX, type RevertReport } from '#contract/batches.ts';
import {
  batchEnding,
  batchInsertion,
  entriesOf,
  existingEntries,
  findBatch,
  newEntryWrite,
  noteProgress,
  revertCompletion,
  revertMark,
} from '#data/batches.ts';
import { categoryRecreation } from '#data/categories.ts';
import { ConflictError, retryOnConflict } from '#data/conflict.ts';
import { findChangeCounts, onlyIfUnchanged } from '#data/counts.ts';
import { currentFields } from '#data/custom-fields.ts';
import { inOutbox } from '#data/event-log.ts';
import { categoryExists, findProject, projectReplacement, type StoredProject } from '#data/projects.ts';
import { transact, tryTransact, type Write } from '#data/write.ts';
import { newMessage } from '#events/catalogue.ts';
import type { Caller } from '#model/api-key.ts';
import {
  type BatchEntry,
  type BatchRecord,
  batchStateAt,
  decideDeletion,
  decideRestoration,
  noOutcomes,
  type RevertDecision,
} from '#model/batch.ts';
import { type Fields, shownNames } from '#model/field.ts';
import type { ProjectRecord } from '#model/project.ts';
import { changesBetween } from '#model/revision.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { AppError, conflict, outOfScope } from '#shared/errors.ts';
import { getBatch, newBatch } from './batches.ts';
import { currentChanges, resolveCategories } from './content.ts';

/** What a request leaves for its response and for ending the batch, in milliseconds. */
const REQUEST_RESERVE_MS = 6000;
/** How long a run of the task works, in milliseconds; it may take 300 seconds. */
const TASK_BUDGET_MS = 280_000;
const ENTRIES_PER_PAGE = 100;

/** What was decided about a project cannot be written any more. */
class DecisionOutdated extends ConflictError {
  override readonly name = 'DecisionOutdated';
}

/** @throws 409 unless the batch has ended and is not reverted. */
const mustBeRevertible = (batch: BatchRecord): void => {
  if (batch.kind === 'revert') throw conflict('INVALID_TRANSITION', 'A revert cannot be reverted.');
  const state = batchStateAt(batch, now());
  if (state === 'running') throw conflict('IN_PROGRESS', 'The batch is still running.');
  if (state === 'reverted') throw conflict('REVERTED', 'The batch is reverted already.');
  if (batch.reverted_by !== null) throw conflict('IN_PROGRESS', 'The batch is being reverted.');
};

/** Begins a revert; its category, if any, is back with the first write. @throws 404, 409. */
const beginRevert = (admin: UserRecord, batchId: string): Promise<BatchRecord> =>
  retryOnConflict(async () => {
    const batch = await getBatch(batchId);
    mustBeRevertible(batch);
    const revert = newBatch(admin, 'revert', `Revert: ${batch.summary}`, { reverts: batch.id });
    await transact([
      batchInsertion(revert),
      revertMark(batch, revert.id),
      ...(batch.category ? categoryRecreation(batch.category, now()) : []),
      inOutbox(newMessage('revertDue', admin.id, { batch_id: revert.id })),
    ]);
    return revert;
  });

type UndoableEntry = BatchEntry & Required<Pick<BatchEntry, 'undo'>>;

const hasUndo = (entry: BatchEntry): entry is UndoableEntry => entry.undo !== undefined && entry.project !== null;

const keptMessages: Readonly<Record<KeptReason, string>> = {
  changed: 'It was changed since.',
  voted: 'It has votes.',
  rated: 'It has ratings.',
  commented: 'It has comments.',
  reported: 'It was reported.',
  paid: 'It was paid for.',
  gone: 'What it needs does not exist any more.',
};

const fieldMessage = (reason: KeptReason, kept: readonly string[], definitions: Fields): string => {
  const fields = shownNames(definitions, kept, 'public').join(', ');
  return kept.length === 0 ? keptMessages[reason] : `${keptMessages[reason]} Kept: ${fields}.`;
};

/** Fields whose earlier value cannot come back: a category is gone, or another project has the address. */
const unavailableFields = async (
  changes: UndoableEntry['changes'],
  isUrlTaken: boolean,
): Promise<ReadonlyMap<string, KeptReason>> => {
  const unavailable = new Map<string, KeptReason>(
    isUrlTaken
      ? [
          ['url', 'changed'],
          ['deleted_at', 'changed'],
        ]
      : [],
  );
  const categories = changes.find(({ field }) => field === 'categories');
  if (categories && Array.isArray(categories.before)) {
    const { missing } = await resolveCategories({ categories: categories.before }, []);
    if (missing.length > 0) unavailable.set('categories', 'gone');
  }
  return unavailable;
};

const decide = async (
  entry: UndoableEntry,
  stored: StoredProject | undefined,
  isUrlTaken: boolean,
): Promise<RevertDecision> => {
  const { undo } = entry;
  const at = now();
  if (undo.action === 'delete') {
    const counts = await findChangeCounts(entry.project?.id ?? '');
    return decideDeletion(undo, stored?.project, counts, at);
  }
  const changes = await currentChanges(entry.changes);
  const unavailable = await unavailableFields(changes, isUrlTaken);
  return decideRestoration({ changes, undo }, stored?.project, unavailable, at);
};

const revertedEntry = (
  { project }: UndoableEntry,
  current: ProjectRecord | undefined,
  { next, reason, kept }: RevertDecision,
  definitions: Fields,
): BatchEntry => ({
  position: project?.id ?? '',
  row: null,
  outcome: next ? 'updated' : 'skipped',
  project: current ? { id: current.id, slug: (next ?? current).slug, name: (next ?? current).name } : project,
  changes: current && next ? changesBetween(current, next) : [],
  message: reason === null ? null : fieldMessage(reason, kept, definitions),
  reason,
});

const replacementOf = async (
  current: ProjectRecord,
  next: ProjectRecord,
  { undo }: UndoableEntry,
  actorId: string | null,
): Promise<readonly Write[]> => {
  const project = { ...next, version: current.version + 1 };
  const writes = await projectReplacement(current, project, { cause: 'reverted', actorId });
  if (undo.action === 'delete') return onlyIfUnchanged(next.id, writes);
  const added = next.categories.filter((slug) => !current.categories.includes(slug));
  return [...writes, ...added.map(categoryExists)];
};

/**
 * Reverts one project and records it in the same transaction, once: a run that finds the entry leaves the project alone.
 * After a concurrent change it decides again.
 * @returns the outcome; undefined where another run has reverted the project.
 */
const revertProject = async (revert: BatchRecord, entry: UndoableEntry): Promise<BatchEntry['outcome'] | undefined> => {
  const projectId = entry.project?.id ?? '';
  const definitions = await currentFields();
  let isUrlTaken = false;
  return await retryOnConflict(async () => {
    const [done, stored] = await Promise.all([existingEntries(revert.id, [projectId]), findProject(projectId)]);
    if (done.size > 0) return undefined;
    const decision = await decide(entry, stored, isUrlTaken);
    const reverted = revertedEntry(entry, stored?.project, decision, definitions);
    try {
      await transact([
        ...(stored && decision.next ? await replacementOf(stored.project, decision.next, entry, revert.actor_id) : []),
        newEntryWrite(revert.id, reverted),
      ]);
      return reverted.outcome;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'DUPLICATE_URL') throw error;
      // Another project has the address: decided again.
      isUrlTaken = true;
      throw new DecisionOutdated(error.message, { cause: error });
    }
  });
};

/** The entries of a batch that can be undone, some at a time. */
async function* undoablePages(batchId: string): AsyncGenerator<readonly UndoableEntry[]> {
  let page: UndoableEntry[] = [];
  for await (const entry of entriesOf(batchId, { pageSize: ENTRIES_PER_PAGE })) {
    if (hasUndo(entry)) page.push(entry);
    if (page.length < ENTRIES_PER_PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Reverts the projects that are not reverted yet. @returns whether the time sufficed. */
const revertProjects = async (revert: BatchRecord, batchId: string, until: number): Promise<boolean> => {
  const counts = { ...(revert.counts ?? noOutcomes) };
  for await (const undoable of undoablePages(batchId)) {
    const done = await existingEntries(
      revert.id,
      undoable.map(({ project }) => project?.id ?? ''),
    );
    const due = undoable.filter(({ project }) => !done.has(project?.id ?? ''));
    const { results, isComplete } = await mapConcurrently(due, (entry) => revertProject(revert, entry), { until });
    for (const outcome of results) if (outcome) counts[outcome] += 1;
    if (results.length > 0) await noteProgress(revert.id, counts);
    if (!isComplete) return false;
  }
  return true;
};

/** The result of a revert so far, from its entries. */
const summarize = async (revertId: string) => {
  const counts = { ...noOutcomes };
  const kept: RevertReport['kept'] = [];
  let [reverted, keptCount] = [0, 0];
  for await (const { outcome, reason, project } of entriesOf(revertId)) {
    counts[outcome] += 1;
    if (reason === null) {
      reverted += 1;
      continue;
    }
    keptCount += 1;
    if (kept.length < LISTED_MAX && project) kept.push({ project_id: project.id, reason });
  }
  return { counts, kept, reverted, keptCount };
};

/**
 * Continues a revert until it has ended or the time is up. Safe to repeat and to run concurrently.
 * @param until on the monotonic clock in milliseconds.
 */
const continueRevert = async (revertId: string, until: number): Promise<RevertReport> => {
  const revert = await getBatch(revertId);
  const batch = await findBatch(revert.reverts ?? '');
  const isComplete = revert.state !== 'running' || !batch || (await revertProjects(revert, batch.id, until));
  const { counts, kept, reverted, keptCount } = await summarize(revert.id);
  const report = { batch_id: revert.id, reverted, kept };
  if (!isComplete) return { ...report, state: 'running' };
  if (revert.state === 'running') {
    const data = {
      batch_id: batch?.id ?? '',
      revert_id: revert.id,
      kind: batch?.kind ?? 'revert',
      reverted,
      kept: keptCount,
    };
    // A concurrent run may have ended it.
    await tryTransact([
      ...batchEnding(revert.id, 'done', counts),
      ...(batch ? [revertCompletion(batch.id, revert.id)] : []),
      inOutbox(newMessage('batchReverted', revert.actor_id, data)),
    ]);
  }
  return { ...report, state: 'done' };
};

/**
 * Reverts a batch within the request as far as time allows; a task continues.
 * @param remainingMs the time of the request, in milliseconds.
 * @throws 404, 409, 403 when an API key reverts another batch than an import of its own.
 */
export const revertBatch = async (admin: Caller, batchId: string, remainingMs: number): Promise<RevertReport> => {
  const until = performance.now() + remainingMs - REQUEST_RESERVE_MS;
  const { kind, actor_id } = await getBatch(batchId);
  if (admin.scopes && (kind !== 'import' || actor_id !== admin.id)) throw outOfScope();
  const { id } = await beginRevert(admin, batchId);
  return await continueRevert(id, until);
};

/** Continues a revert that a request has begun, and enqueues itself again when the time is up. */
export const finishRevert = async (revertId: string): Promise<void> => {
  // The batch has expired.
  if (!(await findBatch(revertId))) return;
  const { state } = await continueRevert(revertId, performance.now() + TASK_BUDGET_MS);
  if (state === 'done') return;
  await transact([inOutbox(newMessage('revertDue', null, { batch_id: revertId }))]);
};
