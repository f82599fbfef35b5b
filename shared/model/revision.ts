import { type FieldChange, type ProjectContent, type RevisionField, revisionFields } from '#contract/projects.ts';
import type { Revision, RevisionCause, RevisionState } from '#contract/revisions.ts';
import { digest, recordTag } from './entity-tag.ts';
import { isFieldName, recordedNames, recordedValue, type ValueEdit, withinLimit, withRecordedValues } from './field.ts';
import { isOpen } from './policy.ts';
import { liveVersion, type ProjectRecord, unsetFields } from './project.ts';

export interface RevisionRecord extends Readonly<Omit<Revision, 'actor' | 'changes' | 'applied' | 'note'>> {
  /** Null for the service and for erased users. */
  readonly actor_id: string | null;
  readonly changes: readonly FieldChange[];
  readonly applied: readonly RevisionField[];
  /** A remark of an administrator. */
  readonly note: string | null;
}

export interface ChangeOrigin {
  readonly cause: RevisionCause;
  /** Null for the service. */
  readonly actorId: string | null;
  /** What ends the waiting edit, if the change does. */
  readonly decision?: RevisionDecision;
}

/** What became of a waiting edit, and the fields that were published. */
export interface RevisionDecision {
  readonly state: Exclude<RevisionState, 'applied' | 'pending'>;
  readonly changes: readonly FieldChange[];
  readonly applied: readonly RevisionField[];
  readonly note: string | null;
}

/** How many revisions of a project are kept, beside a waiting one. */
export const REVISIONS_MAX = 100;

export const isSameValue = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** A field as recorded; values of further fields are recorded one by one, as JSON. */
export const fieldValue = (project: Partial<ProjectRecord>, field: string): FieldChange['before'] =>
  isFieldName(field)
    ? recordedValue(project.field_values ?? null, field)
    : ((project[field as keyof ProjectRecord] ?? null) as FieldChange['before']);

/** A project with other values of some recorded fields. */
export const withFields = (
  project: ProjectRecord,
  values: readonly (readonly [field: string, value: unknown])[],
): ProjectRecord => {
  const recorded = values.flatMap(([field, value]) =>
    isFieldName(field) ? [[field, value as string | null] as const] : [],
  );
  const next = { ...project, ...Object.fromEntries(values.filter(([field]) => !isFieldName(field))) };
  return recorded.length === 0 ? next : { ...next, field_values: withRecordedValues(project.field_values, recorded) };
};

/** A change of values to recorded ones; undefined when there are none among the changes. */
export const recordedEdit = (changes: readonly FieldChange[], side: 'before' | 'after'): ValueEdit | undefined => {
  const recorded = changes.flatMap((change) =>
    isFieldName(change.field) ? [[change.field, change[side] as string | null] as const] : [],
  );
  return recorded.length === 0
    ? undefined
    : ({ field_values }) => withinLimit(withRecordedValues(field_values, recorded));
};

/** What differs between two states of a project, in the order of `revisionFields`. @param before undefined for a new one. */
export const changesBetween = (before: ProjectRecord | undefined, after: ProjectRecord): FieldChange[] => {
  const known: Partial<ProjectRecord> = before ?? unsetFields;
  const fields = [...revisionFields, ...recordedNames(known.field_values ?? null, after.field_values)];
  return fields
    .map((field) => ({ field, before: fieldValue(known, field), after: fieldValue(after, field) }))
    .filter((change) => !isSameValue(change.before, change.after));
};

/** The entity tag of a revision, which changes with every merge. @param merges how many edits it consists of. */
const revisionTag = (merges: number, changes: readonly FieldChange[]): string =>
  recordTag(merges, digest(JSON.stringify(changes)));

/** The revision of a published change; undefined when it changes none of the recorded fields. */
export const appliedRevision = (
  before: ProjectRecord | undefined,
  after: ProjectRecord,
  { cause, actorId }: ChangeOrigin,
  given: { readonly id: string; readonly at: string },
): RevisionRecord | undefined => {
  const changes = changesBetween(before, after);
  if (changes.length === 0) return undefined;
  return {
    id: given.id,
    project_id: after.id,
    at: given.at,
    actor_id: actorId,
    cause,
    state: 'applied',
    base_version: before ? liveVersion(before) : 0,
    etag: revisionTag(1, changes),
    changes,
    applied: changes.map(({ field }) => field),
    note: null,
  };
};

export type PendingEdit = NonNullable<ProjectRecord['pending_revision']>;

export const pendingTag = ({ merges, changes }: PendingEdit): string => revisionTag(merges, changes);

export const pendingRevision = (project: ProjectRecord, edit: PendingEdit, { cause, actorId }: ChangeOrigin) =>
  ({
    id: edit.id,
    project_id: project.id,
    at: edit.at,
    actor_id: actorId,
    cause,
    state: 'pending',
    base_version: edit.base_version,
    etag: pendingTag(edit),
    changes: edit.changes,
    applied: [],
    note: null,
  }) satisfies RevisionRecord;

/** What becomes of a waiting edit whose project leaves `live` or is deleted. */
export const droppedDecision = ({ changes }: PendingEdit): RevisionDecision => ({
  state: 'dropped',
  changes,
  applied: [],
  note: null,
});

/** A project that is not public has no waiting edit. */
export const withoutDroppedEdit = (project: ProjectRecord): ProjectRecord =>
  project.pending_revision && !isOpen(project) ? { ...project, pending_revision: null } : project;

/** The values of a waiting edit, without those of further fields. */
export const valuesAfter = (changes: readonly FieldChange[]): Partial<ProjectContent> =>
  Object.fromEntries(changes.filter(({ field }) => !isFieldName(field)).map(({ field, after }) => [field, after]));

/** A project as it would be if its waiting edit were published. */
export const withPendingEdit = (project: ProjectRecord): ProjectRecord =>
  withFields(project, project.pending_revision?.changes.map(({ field, after }) => [field, after] as const) ?? []);

/** The fields of a waiting edit whose published value is neither the original nor the proposed one. */
export const conflictingFields = (project: ProjectRecord, changes: readonly FieldChange[]): RevisionField[] =>
  changes
    .filter(({ field, before, after }) => {
      const published = fieldValue(project, field);
      return !isSameValue(published, before) && !isSameValue(published, after);
    })
    .map(({ field }) => field);

/**
 * Merges an edit into a waiting one.
 * @param edited the fields that the edit touches.
 * @param desired the project with the edited values.
 * @param waits whether a field waits; edited fields that do not wait leave the waiting edit.
 * @returns null when nothing is left to wait.
 */
export const mergeEdits = (
  project: ProjectRecord,
  edited: readonly RevisionField[],
  desired: ProjectRecord,
  waits: (field: RevisionField) => boolean,
  given: { readonly id: string; readonly at: string },
): PendingEdit | null => {
  const waiting = project.pending_revision;
  const known = new Map(waiting?.changes.map((change) => [change.field, change]));
  for (const field of edited) known.delete(field);
  for (const change of changesBetween(project, desired)) {
    if (edited.includes(change.field) && waits(change.field)) known.set(change.field, change);
  }
  const fields = [...revisionFields, ...[...known.keys()].filter(isFieldName).sort()];
  const changes = fields.flatMap((field) => known.get(field) ?? []);
  if (changes.length === 0) return null;
  if (waiting && isSameValue(changes, waiting.changes)) return waiting;
  return {
    id: waiting?.id ?? given.id,
    at: waiting?.at ?? given.at,
    changes,
    merges: (waiting?.merges ?? 0) + 1,
    base_version: waiting?.base_version ?? liveVersion(project),
  };
};
