import { type FieldChange, type RevisionField, revisionFields } from '#contract/projects.ts';
import type { RevisionCause, RevisionState } from '#contract/revisions.ts';
import { digest, recordTag } from './entity-tag.ts';
import { type ProjectRecord, unsetFields } from './project.ts';

/** A recorded change of a project. */
export interface RevisionRecord {
  readonly id: string;
  readonly project_id: string;
  readonly at: string;
  /** Null for the service and for erased users. */
  readonly actor_id: string | null;
  readonly cause: RevisionCause;
  readonly state: RevisionState;
  /** The version of the project before the change; 0 before its creation. */
  readonly base_version: number;
  readonly etag: string;
  readonly changes: readonly FieldChange[];
  /** The fields that were published. */
  readonly applied: readonly RevisionField[];
  /** A remark of an administrator. */
  readonly note: string | null;
}

/** Who changes a project, and why. */
export interface ChangeOrigin {
  readonly cause: RevisionCause;
  /** Null for the service. */
  readonly actorId: string | null;
}

/** How many revisions of a project are kept, beside a waiting one. */
export const REVISIONS_MAX = 100;

/** Whether a field has the same value in two states. */
export const isSameValue = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

const fieldValue = (project: Partial<ProjectRecord>, field: RevisionField): FieldChange['before'] =>
  (project[field] ?? null) as FieldChange['before'];

/** What differs between two states of a project, in the order of `revisionFields`. @param before undefined for a new one. */
export const changesBetween = (before: ProjectRecord | undefined, after: ProjectRecord): FieldChange[] => {
  const known: Partial<ProjectRecord> = before ?? unsetFields;
  return revisionFields
    .map((field) => ({ field, before: fieldValue(known, field), after: fieldValue(after, field) }))
    .filter((change) => !isSameValue(change.before, change.after));
};

/** The entity tag of a revision, which changes with every merge. @param merges how many edits it consists of. */
export const revisionTag = (merges: number, changes: readonly FieldChange[]): string =>
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
    base_version: before?.version ?? 0,
    etag: revisionTag(1, changes),
    changes,
    applied: changes.map(({ field }) => field),
    note: null,
  };
};
