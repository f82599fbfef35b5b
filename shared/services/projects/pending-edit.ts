import { ContentChange, type FieldChange, type RevisionField } from '#contract/projects.ts';
import type { Approval } from '#contract/revisions.ts';
import type { LiveEdits } from '#contract/settings.ts';
import { currentFields } from '#data/custom-fields.ts';
import type { StoredProject } from '#data/projects.ts';
import { findRevision } from '#data/revisions.ts';
import { newMessage } from '#events/catalogue.ts';
import type { Caller } from '#model/api-key.ts';
import { type Fields, namesToRecord, noFields, shownNames } from '#model/field.ts';
import { isOpen, mustBeChangeable, mustNotBeOwn } from '#model/policy.ts';
import { type ProjectRecord, projectEventData } from '#model/project.ts';
import {
  type ChangeOrigin,
  conflictingFields,
  fieldValue,
  type PendingEdit,
  pendingTag,
  type RevisionDecision,
  recordedEdit,
  valuesAfter,
} from '#model/revision.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { AppError, conflict, forbidden, invalidField, mustExist, stale } from '#shared/errors.ts';
import { changeProject, type Decision } from './change.ts';
import {
  currentChanges,
  mergeContent,
  mustHaveOwnSlug,
  mustHaveOwnUrl,
  mustNotBeMissing,
  mustNotBeReserved,
  resolveCategories,
} from './content.ts';

const material: ReadonlySet<RevisionField> = new Set(['name', 'url', 'slug', 'logo_url', 'categories']);

const waitsBySetting: Readonly<Record<LiveEdits, (field: RevisionField) => boolean>> = {
  immediate: () => false,
  review_material: (field) => material.has(field),
  review: () => true,
};

/** Which fields of an edit wait for approval: those of a live project that its owner edits, by `LIVE_EDITS`. */
export const pendingFields = (project: ProjectRecord, actor: UserRecord): ((field: RevisionField) => boolean) =>
  isOpen(project) && actor.id === project.owner_id ? waitsBySetting[environment().liveEdits] : waitsBySetting.immediate;

/** @param definitions name the further fields of the edit. */
const revisionEventData = (project: ProjectRecord, edit: PendingEdit, definitions: Fields) => ({
  ...projectEventData(project),
  revision_id: edit.id,
  fields: shownNames(
    definitions,
    edit.changes.map(({ field }) => field),
    'staff',
  ),
});

const withdrawn = ({ changes }: PendingEdit): RevisionDecision => ({
  state: 'withdrawn',
  changes,
  applied: [],
  note: null,
});

/** Of a waiting edit as JSON, in bytes. An item may have 400 KB, and a project without its edit takes up to 180 KB of them. */
const EDIT_BYTES_MAX = 225_000;

const editTooLarge = (bytes: number): AppError => {
  const size = `${Math.ceil(bytes / 1000)} KB with the values that it replaces`;
  const message = `The edit has ${size}; one of at most ${EDIT_BYTES_MAX / 1000} KB can wait for approval. Edit fewer fields, or shorten them.`;
  return new AppError('PAYLOAD_TOO_LARGE', { message });
};

/**
 * Completes a change of the waiting edit. A change of nothing else does not move the version that the owner and readers
 * see. An edit of which nothing is left is withdrawn.
 * @param isPublished whether published fields change as well.
 * @throws 413 for an edit that is too large to wait.
 */
export const pendingDecision = (
  current: ProjectRecord,
  { next, origin, messages }: Decision,
  isPublished: boolean,
  definitions: Fields,
): Decision => {
  const edit = next.pending_revision;
  const bytes = Buffer.byteLength(JSON.stringify(edit));
  if (bytes > EDIT_BYTES_MAX) throw editTooLarge(bytes);
  return {
    next: isPublished ? next : { ...next, pending_writes: (current.pending_writes ?? 0) + 1 },
    origin: {
      ...(!edit && current.pending_revision && { decision: withdrawn(current.pending_revision) }),
      ...origin,
    },
    messages: edit
      ? [...messages, newMessage('revisionSubmitted', origin.actorId, revisionEventData(next, edit, definitions))]
      : messages,
  };
};

/** @throws 412 unless `If-Match` is absent or has the tag of the revision. */
const mustMatchTag = (ifMatch: readonly string[] | undefined, tag: string): void => {
  if (ifMatch && !ifMatch.some((one) => one === '*' || one === tag)) throw stale();
};

/**
 * The waiting edit of a project.
 * @throws 404 when the project has no such revision, 412 for another state of it, 409 when it does not wait.
 */
const pendingEditOf = async (
  project: ProjectRecord,
  revisionId: string,
  ifMatch?: readonly string[],
): Promise<PendingEdit> => {
  const edit = project.pending_revision;
  if (edit?.id === revisionId) {
    mustMatchTag(ifMatch, pendingTag(edit));
    return edit;
  }
  const revision = mustExist(await findRevision(project.id, revisionId));
  mustMatchTag(ifMatch, revision.etag);
  throw conflict('INVALID_TRANSITION', 'The revision does not wait for approval.');
};

/** Withdraws the waiting edit of a project, by its owner. @throws 404, 403, 409 when it does not wait. */
export const withdrawEdit = async (owner: UserRecord, reference: string, revisionId: string): Promise<void> => {
  await changeProject(reference, async (current) => {
    mustBeChangeable(current, owner);
    if (current.owner_id !== owner.id) throw forbidden();
    await pendingEditOf(current, revisionId);
    const next = { ...current, pending_revision: null };
    const origin: ChangeOrigin = { cause: 'edited', actorId: owner.id };
    return pendingDecision(current, { next, origin, messages: [] }, false, noFields);
  });
};

/** The named changes of a revision. @throws 400 for a field that is not among them. */
export const namedChanges = (
  changes: readonly FieldChange[],
  fields: readonly RevisionField[] | undefined,
): readonly FieldChange[] => {
  const foreign = fields?.find((name) => !changes.some(({ field }) => field === name));
  if (foreign !== undefined) throw invalidField(['fields'], `"${foreign}" is not a field of the revision`);
  return fields ? changes.filter(({ field }) => fields.includes(field)) : changes;
};

/** @throws 409 for fields that were changed since they were edited. */
const mustNotConflict = (project: ProjectRecord, changes: readonly FieldChange[], definitions: Fields): void => {
  const outdated = shownNames(definitions, conflictingFields(project, changes), 'staff');
  if (outdated.length > 0) throw conflict('CONFLICTING_EDIT', `Changed since the edit: ${outdated.join(', ')}.`);
};

/** Restoring the revision brings back what it replaced, which may have changed since the edit. */
const changesAsPublished = (
  current: ProjectRecord,
  edit: PendingEdit,
  applied: readonly RevisionField[],
): readonly FieldChange[] =>
  edit.changes.map((change) =>
    applied.includes(change.field) ? { ...change, before: fieldValue(current, change.field) } : change,
  );

/**
 * Publishes a waiting edit, or the named fields of it; the others are dropped.
 * @throws 404, 403 for the own listing of a moderator, 412 for another state of the edit, 409 when it is decided, conflicts or its slug or URL is taken, 400 for a
 * foreign field or a category that is gone. The edit then still waits.
 */
export const approveRevision = (
  staff: Caller,
  reference: string,
  revisionId: string,
  { fields, note = null, force }: Approval,
  ifMatch: readonly string[] | undefined,
): Promise<StoredProject> =>
  changeProject(reference, async (current) => {
    mustNotBeOwn(current, staff);
    const waiting = await pendingEditOf(current, revisionId, ifMatch);
    const edit = { ...waiting, changes: await currentChanges(waiting.changes) };
    const definitions = await currentFields();
    const changes = namedChanges(edit.changes, fields && namesToRecord(definitions, fields));
    if (!force) mustNotConflict(current, changes, definitions);
    const { resolved, missing } = await resolveCategories(valuesAfter(changes), current.categories);
    const { next, changed } = mergeContent(current, resolved, now(), ContentChange, recordedEdit(changes, 'after'));
    mustNotBeMissing(missing);
    if (next.slug !== current.slug) mustNotBeReserved(next.slug);
    await mustHaveOwnSlug(current, next);
    await mustHaveOwnUrl(current, next);
    const applied = changes.map(({ field }) => field);
    const decision = {
      state: 'approved',
      changes: changesAsPublished(current, edit, applied),
      applied,
      note: note ?? null,
    } as const;
    const data = projectEventData(next);
    return pendingDecision(
      current,
      {
        next: { ...next, pending_revision: null },
        origin: { cause: 'moderated', actorId: staff.id, decision },
        messages: [
          ...(changed.length > 0
            ? [newMessage('projectUpdated', staff.id, { ...data, changed: shownNames(definitions, changed, 'staff') })]
            : []),
          newMessage('revisionApproved', staff.id, {
            ...revisionEventData(next, edit, definitions),
            applied: shownNames(definitions, applied, 'staff'),
          }),
        ],
      },
      changed.length > 0,
      definitions,
    );
  });

/** Ends a waiting edit without publishing any of it. @throws 404, 403 for the own listing of a moderator, 412 for another state of the edit, 409 when it is decided. */
export const rejectRevision = (
  staff: Caller,
  reference: string,
  revisionId: string,
  { reason, note = null }: { readonly reason: string; readonly note?: string | null | undefined },
  ifMatch: readonly string[] | undefined,
): Promise<StoredProject> =>
  changeProject(reference, async (current) => {
    mustNotBeOwn(current, staff);
    const edit = await pendingEditOf(current, revisionId, ifMatch);
    const decision = { state: 'rejected', changes: edit.changes, applied: [], note: note ?? null } as const;
    const definitions = await currentFields();
    return pendingDecision(
      current,
      {
        next: { ...current, pending_revision: null },
        origin: { cause: 'moderated', actorId: staff.id, decision },
        messages: [
          newMessage('revisionRejected', staff.id, { ...revisionEventData(current, edit, definitions), reason }),
        ],
      },
      false,
      definitions,
    );
  });
