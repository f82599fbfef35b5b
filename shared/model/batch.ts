import { createHash } from 'node:crypto';
import type { Batch, BatchCounts, BatchItem, BatchOutcome, BatchState, KeptReason } from '#contract/batches.ts';
import { type FieldChange, ITEM_VALUE_MAX } from '#contract/projects.ts';
import type { CategoryRecord } from './category.ts';
import { type Fields, isFieldName, type Reader, shownChanges } from './field.ts';
import type { ProjectRecord } from './project.ts';
import { firstFitting } from './response-size.ts';
import { changesBetween, fieldValue, isSameValue, withFields } from './revision.ts';
import { shortChange } from './short-change.ts';
import { mayBeUnderWay } from './work-time.ts';

/** An operation on many projects as stored. */
export interface BatchRecord extends Readonly<Omit<Batch, 'actor' | 'counts'>> {
  /** Null once the user is erased. */
  readonly actor_id: string | null;
  /** Null until it has ended. */
  readonly counts: BatchCounts | null;
  /** The time after which it writes nothing more, also while it is `running`; null when a task completes it. */
  readonly running_until: string | null;
  /** The category that was removed or merged into another. */
  readonly category: CategoryRecord | null;
  /** The header of an imported file. */
  readonly header: readonly string[] | null;
  /** The large import that it belongs to, which has the counts so far. */
  readonly import_id: string | null;
}

/** How to undo the creation of a project: its content and payment as the batch left them. */
interface Deletion {
  readonly action: 'delete';
  readonly digest: string;
  readonly paid_at: string | null;
}

/** How to undo the change of a project, beside the listed changes. */
interface Restoration {
  readonly action: 'restore';
  /** Changes of fields that revisions do not record. */
  readonly unlisted: readonly UnlistedChange[];
}

export type Undo = Deletion | Restoration;

export interface BatchEntry extends BatchItem {
  /** Unique in the batch, and its order: a row of nine digits, or the id of a project. */
  readonly position: string;
  /** Absent where nothing was written, and where a later entry about the same project has it. */
  readonly undo?: Undo;
  readonly cells?: readonly string[];
  /** Rows before this one that were written together with it. */
  readonly earlier_rows?: readonly Pick<BatchItem, 'row' | 'outcome'>[];
}

export const rowPosition = (row: number): string => String(row).padStart(9, '0');

/** Fields that an undo restores although revisions do not record them. */
const unlistedFields = ['rejection_reason', 'published_at', 'approved_at', 'paid_at', 'created_at'] as const;
type UnlistedField = (typeof unlistedFields)[number];

interface UnlistedChange {
  readonly field: UnlistedField;
  readonly before: string | null;
  readonly after: string | null;
}

const unlistedChanges = (before: ProjectRecord, after: ProjectRecord): UnlistedChange[] =>
  unlistedFields
    .map((field) => ({ field, before: before[field], after: after[field] }))
    .filter((change) => change.before !== change.after);

/** Fields that a change sets beside those that it is about. */
const UNTRACKED_FIELDS: ReadonlySet<string> = new Set<keyof ProjectRecord>([
  'version',
  'pending_writes',
  'updated_at',
  'earlier_slugs',
]);

/** Equal for two states of a project with the same content. */
const contentDigest = (project: ProjectRecord): string => {
  const fields = Object.entries(project)
    .filter(([field]) => !UNTRACKED_FIELDS.has(field))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64url').slice(0, 22);
};

const summaryOf = ({ id, slug, name }: ProjectRecord) => ({ id, slug, name });

/** What an entry says about its place in the batch. */
interface Place {
  readonly position: string;
  readonly row: number | null;
  readonly outcome: BatchOutcome;
}

/**
 * The entry of a written project.
 * @param before its state before the batch; undefined for a created project.
 */
export const writtenEntry = (place: Place, before: ProjectRecord | undefined, after: ProjectRecord): BatchEntry => ({
  ...place,
  project: summaryOf(after),
  changes: before ? changesBetween(before, after) : [],
  message: null,
  reason: null,
  undo: before
    ? { action: 'restore', unlisted: unlistedChanges(before, after) }
    : { action: 'delete', digest: contentDigest(after), paid_at: after.paid_at },
});

/** The state of a project before the batch, from its present state and the entry that holds its undo. */
export const stateBefore = (current: ProjectRecord, { changes, undo }: BatchEntry): ProjectRecord | undefined => {
  if (undo?.action === 'delete') return undefined;
  const changed = [...changes, ...(undo?.unlisted ?? [])].map(({ field, before }) => [field, before] as const);
  return withFields(current, changed);
};

/** The entry of a row or project that was not written. */
export const unwrittenEntry = (
  place: Place,
  project: ProjectRecord | undefined,
  message: string | null,
  cells?: readonly string[],
): BatchEntry => ({
  ...place,
  project: project ? summaryOf(project) : null,
  changes: [],
  message,
  reason: null,
  ...(cells && { cells }),
});

export const batchItemView = (
  { row, outcome, project, changes, message, reason }: BatchEntry,
  definitions: Fields,
  reader: Reader,
): BatchItem => ({
  row,
  outcome,
  project,
  changes: shownChanges(definitions, changes, reader).map((change) => shortChange(change, ITEM_VALUE_MAX)),
  message,
  reason,
});

/** An entry that is only shown, as it is stored. The values of further fields are JSON, and few. */
export const withShortValues = (entry: BatchEntry): BatchEntry => ({
  ...entry,
  changes: entry.changes.map((change) => (isFieldName(change.field) ? change : shortChange(change, ITEM_VALUE_MAX))),
});

/** Of the items of a dry run, in bytes of the response. */
const ITEMS_BYTES_MAX = 3_000_000;

/** The items that a dry run lists: as many of the first ones as fit into a response beside its errors. */
export const listedItems = (items: readonly BatchItem[]): BatchItem[] => firstFitting(items, ITEMS_BYTES_MAX);

export const noOutcomes: BatchCounts = { created: 0, updated: 0, skipped: 0, failed: 0 };

export const countOutcomes = (entries: readonly { readonly outcome: BatchOutcome }[]): BatchCounts => {
  const counts = { ...noOutcomes };
  for (const { outcome } of entries) counts[outcome] += 1;
  return counts;
};

/** The state at a time, ISO 8601: a batch whose process died has failed. */
export const batchStateAt = ({ state, running_until }: BatchRecord, at: string): BatchState => {
  const hasDied = running_until !== null && !mayBeUnderWay(Date.parse(running_until) / 1000, Date.parse(at) / 1000);
  return state === 'running' && hasDied ? 'failed' : state;
};

/** The counters of a project that show whether it was touched. */
export interface ChangeCounts {
  readonly upvote_count: number;
  readonly ratings_count: number;
  readonly comments_count: number;
  readonly reports_count: number;
  readonly promotions_count: number;
}

/** What to do with a project: the next state, or the reason to keep it; both when only some fields are kept. */
export interface RevertDecision {
  /** Undefined when nothing is written. */
  readonly next: ProjectRecord | undefined;
  readonly reason: KeptReason | null;
  readonly kept: readonly string[];
}

const keeping = (reason: KeptReason): RevertDecision => ({ next: undefined, reason, kept: [] });

const reasonToKeep = (counts: ChangeCounts): KeptReason | undefined => {
  if (counts.promotions_count > 0) return 'paid';
  if (counts.upvote_count > 0) return 'voted';
  if (counts.ratings_count > 0) return 'rated';
  if (counts.comments_count > 0) return 'commented';
  return counts.reports_count > 0 ? 'reported' : undefined;
};

/** Decides about a project that the batch created. @param current undefined after a permanent deletion. */
export const decideDeletion = (
  undo: Deletion,
  current: ProjectRecord | undefined,
  counts: ChangeCounts,
  at: string,
): RevertDecision => {
  if (!current) return keeping('gone');
  if (current.deleted_at !== null) {
    // The batch itself may have created it as deleted.
    return contentDigest(current) === undo.digest ? { next: undefined, reason: null, kept: [] } : keeping('gone');
  }
  if (current.paid_at !== null && current.paid_at !== undo.paid_at) return keeping('paid');
  if (contentDigest(current) !== undo.digest) return keeping('changed');
  const touch = reasonToKeep(counts);
  return touch ? keeping(touch) : { next: { ...current, deleted_at: at }, reason: null, kept: [] };
};

/** Fields that are restored together or not at all. */
const GROUPS: readonly (readonly string[])[] = [
  ['latitude', 'longitude'],
  ['status', 'rejection_reason', 'published_at', 'approved_at'],
  ['plan', 'paid_at'],
];

const groupOf = (field: string): readonly string[] => GROUPS.find((group) => group.includes(field)) ?? [field];

/**
 * Decides about a project that the batch changed: a field that still has the value of the batch, with those of its group,
 * gets its earlier value.
 * @param unavailable fields whose earlier value cannot come back.
 */
export const decideRestoration = (
  { changes, undo }: { readonly changes: readonly FieldChange[]; readonly undo: Restoration },
  current: ProjectRecord | undefined,
  unavailable: ReadonlyMap<string, KeptReason>,
  at: string,
): RevertDecision => {
  if (!current) return keeping('gone');
  const all = [...changes, ...undo.unlisted];
  // A field that has its earlier value already neither is restored nor keeps its group.
  const open = all.filter(({ field, before }) => !isSameValue(fieldValue(current, field), before));
  const lost = new Map<string, KeptReason>();
  for (const { field, after } of open) {
    const reason = unavailable.get(field) ?? (isSameValue(fieldValue(current, field), after) ? undefined : 'changed');
    const paid = reason === 'changed' && groupOf(field).includes('paid_at') && current.paid_at !== null;
    if (reason) for (const member of groupOf(field)) lost.set(member, paid ? 'paid' : reason);
  }
  const restored = open.filter(({ field }) => !lost.has(field));
  const kept = open.filter(({ field }) => lost.has(field)).map(({ field }) => field);
  const [first] = kept;
  const reason = first === undefined ? null : (lost.get(first) ?? null);
  if (restored.length === 0) return { next: undefined, reason, kept };
  const next: ProjectRecord = {
    ...withFields(
      current,
      restored.map(({ field, before }) => [field, before] as const),
    ),
    updated_at: at,
  };
  const earlier_slugs = [...current.earlier_slugs, current.slug].filter((slug) => slug !== next.slug);
  return { next: next.slug === current.slug ? next : { ...next, earlier_slugs }, reason, kept };
};
