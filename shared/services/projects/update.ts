import { checked } from '#contract/fields.ts';
import {
  ContentChange,
  OwnContentChange,
  type ProjectContent,
  type ProjectEdit,
  ProjectEdit as ProjectEditSchema,
  type ProjectUpdate,
  type RevisionField,
} from '#contract/projects.ts';
import type { RevisionCause } from '#contract/revisions.ts';
import { findProject, isDuplicateUrl, type StoredProject } from '#data/projects.ts';
import { type Message, newMessage } from '#events/catalogue.ts';
import type { Caller } from '#model/api-key.ts';
import { mustMatch } from '#model/entity-tag.ts';
import { hasAdminRights, mustBeChangeable, mustBeEditable, mustNotBeOwn } from '#model/policy.ts';
import { type ProjectRecord, projectEventData, publishedVersion } from '#model/project.ts';
import { type ChangeOrigin, isSameValue, mergeEdits, proposed } from '#model/revision.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { waitingDecision, waitingFields } from '#services/revisions/waiting-edit.ts';
import { conflict, forbidden, notFound } from '#shared/errors.ts';
import { changeProject, type Decide, originOf } from './change.ts';
import {
  givenContent,
  mergeContent,
  mustHaveOwnSlug,
  mustNotBeMissing,
  mustNotBeReserved,
  resolveCategories,
} from './content.ts';
import { moderationEvents } from './moderation-events.ts';

/** @throws 409 when the URL changes, or the project is restored, and another project has the URL. */
export const mustHaveOwnUrl = async (current: ProjectRecord, next: ProjectRecord): Promise<void> => {
  if (next.url === current.url && (next.deleted_at === null) === (current.deleted_at === null)) return;
  if (await isDuplicateUrl(next.url, next.id)) throw conflict('DUPLICATE_URL', 'Another project has this address.');
};

const withAdminFields = (record: ProjectRecord, edit: ProjectEdit, at: string): ProjectRecord => {
  const status = edit.status ?? record.status;
  return {
    ...record,
    plan: edit.plan ?? record.plan,
    owner_id: edit.owner_id ?? record.owner_id,
    status,
    published_at: status === 'live' ? (record.published_at ?? at) : record.published_at,
    deleted_at: edit.deleted_at === undefined ? record.deleted_at : edit.deleted_at,
    rejection_reason:
      edit.rejection_reason === undefined
        ? status === 'rejected'
          ? record.rejection_reason
          : null
        : edit.rejection_reason || null,
  };
};

const adminFields = ['plan', 'owner_id', 'status', 'deleted_at', 'rejection_reason'] as const;

/** The events of a change of fields. The moderation event describes its own fields; the update event the others. */
const eventsOf = (
  actorId: string,
  current: ProjectRecord,
  next: ProjectRecord,
  changed: readonly string[],
): readonly Message[] => {
  const data = projectEventData(next);
  if (current.deleted_at === null && next.deleted_at !== null) {
    return [newMessage('projectDeleted', actorId, { ...data, permanent: false })];
  }
  const moderation = moderationEvents(actorId, current, next);
  const others =
    moderation.length === 0 ? changed : changed.filter((field) => field !== 'status' && field !== 'rejection_reason');
  return others.length === 0
    ? moderation
    : [...moderation, newMessage('projectUpdated', actorId, { ...data, changed: [...others] })];
};

interface FieldsChange<Edit> {
  readonly actor: UserRecord;
  readonly edit: Edit;
  readonly ifMatch?: readonly string[] | undefined;
  readonly originFor: (current: ProjectRecord) => ChangeOrigin;
  /** @param edit with the current categories in place of merged ones. */
  readonly decide: (
    current: ProjectRecord,
    edit: Edit,
    at: string,
  ) => { next: ProjectRecord; changed: readonly string[] };
}

const changeOfFields =
  <Edit extends ProjectUpdate | ProjectEdit>({ actor, edit, ifMatch, originFor, decide }: FieldsChange<Edit>): Decide =>
  async (current) => {
    const before = proposed(current);
    const { resolved, missing } = await resolveCategories(edit, [...current.categories, ...before.categories]);
    const { next, changed } = decide(current, resolved, now());
    // What an edit that waits asks for is checked like what is published.
    const after = proposed(next);
    const categories = [...next.categories, ...after.categories];
    mustNotBeMissing(missing.filter((slug) => categories.includes(slug)));
    mustMatch(ifMatch, publishedVersion(current));
    for (const slug of [next.slug, after.slug])
      if (slug !== current.slug && slug !== before.slug) mustNotBeReserved(slug);
    const origin = originFor(current);
    const isSamePending = next.pending_revision === current.pending_revision;
    if (changed.length === 0 && isSamePending) return { next: current, origin, messages: [] };
    await mustHaveOwnUrl(before, after);
    const messages = changed.length === 0 ? [] : eventsOf(actor.id, current, next, changed);
    if (isSamePending) return { next, origin, messages };
    await mustHaveOwnSlug(before, after);
    return waitingDecision(current, { next, origin, messages }, changed.length > 0);
  };

/**
 * Applies an administrator's edit to a record.
 * @returns the record, unchanged if no field differs, and the names of the fields that differ.
 * @throws 400 when a changed field is invalid.
 */
export const mergeEdit = (current: ProjectRecord, edit: ProjectEdit, at: string, schema: typeof ContentChange) => {
  const merged = mergeContent(current, edit, at, schema);
  const next = withAdminFields(merged.next, edit, at);
  const changed = [...merged.changed, ...adminFields.filter((field) => next[field] !== current[field])];
  return { next: changed.length === 0 ? current : { ...next, updated_at: at }, changed };
};

/**
 * Applies an update through the route of owners: what waits for approval goes to the waiting edit, the rest is published.
 * @throws 400 when a changed field is invalid.
 */
const mergeOwnEdit = (
  current: ProjectRecord,
  actor: UserRecord,
  update: ProjectUpdate,
  at: string,
): { next: ProjectRecord; changed: readonly string[] } => {
  const waits = waitingFields(current, actor);
  const given = givenContent(update);
  const partOf = (isWaiting: boolean): Partial<ProjectContent> =>
    Object.fromEntries(Object.entries(given).filter(([field]) => waits(field as RevisionField) === isWaiting));
  const published = mergeContent(current, partOf(false), at, OwnContentChange);
  const desired = mergeContent(proposed(current), partOf(true), at, OwnContentChange).next;
  const edited = Object.keys(given) as RevisionField[];
  const pending = mergeEdits(current, edited, desired, waits, { id: newId('rev'), at });
  return isSameValue(pending, current.pending_revision)
    ? published
    : { ...published, next: { ...published.next, pending_revision: pending } };
};

/** @throws 404, 403; 403 also for a `status` that would change, unless an administrator sends it. */
const mustBeUpdatable = (current: ProjectRecord, actor: UserRecord, status: unknown): void => {
  mustBeChangeable(current, actor);
  if (status !== undefined && status !== current.status && !hasAdminRights(actor)) throw forbidden();
};

/** Checks the permission for an update before its body is validated. @param body unvalidated. @throws 404, 403. */
export const permitUpdate = async (actor: UserRecord, reference: string, body: unknown): Promise<void> => {
  const stored = await findProject(reference);
  if (!stored) throw notFound();
  const status = typeof body === 'object' && body !== null && 'status' in body ? body.status : undefined;
  mustBeUpdatable(stored.project, actor, status);
};

/**
 * Updates a project for its owner or an administrator. `plan`, counters and owner are ignored; only administrators can
 * change the `status`.
 * @throws 404, 403, 400 for an invalid change, 412 for a stale `If-Match`, 409 for a taken slug or URL.
 */
export const updateProject = (
  actor: UserRecord,
  reference: string,
  update: ProjectUpdate,
  ifMatch: readonly string[] | undefined,
): Promise<StoredProject> =>
  changeProject(
    reference,
    changeOfFields({
      actor,
      edit: update,
      ifMatch,
      originFor: (current) => originOf(actor, current),
      decide: (current, edit, at) => {
        mustBeUpdatable(current, actor, edit.status);
        if (edit.status === undefined || edit.status === current.status || !hasAdminRights(actor)) {
          return mergeOwnEdit(current, actor, edit, at);
        }
        const { status } = checked(ProjectEditSchema.pick({ status: true }), { status: edit.status });
        return mergeEdit(current, { ...edit, status }, at, OwnContentChange);
      },
    }),
  );

/**
 * Edits any field of a project that the caller may change.
 * @throws 403 for moderators and API keys, 400 for an invalid change, 412, 409.
 */
export const generalEdit = (
  staff: Caller,
  cause: RevisionCause,
  edit: ProjectEdit,
  ifMatch?: readonly string[],
): Decide =>
  changeOfFields({
    actor: staff,
    edit,
    ifMatch,
    originFor: () => ({ cause, actorId: staff.id }),
    decide: (current, resolved, at) => {
      const merged = mergeEdit(current, resolved, at, ContentChange);
      mustBeEditable(current, merged.changed, staff);
      return merged;
    },
  });

/** @throws 404, and as `generalEdit`. */
export const editProject = (
  staff: Caller,
  reference: string,
  edit: ProjectEdit,
  ifMatch: readonly string[] | undefined,
): Promise<StoredProject> => changeProject(reference, generalEdit(staff, 'moderated', edit, ifMatch));

/** Rejects a reported project, whatever its status. @throws 404, 403 for an own listing of a moderator. */
export const rejectReported = (staff: Caller, reference: string, reason: string | null): Promise<StoredProject> =>
  changeProject(
    reference,
    changeOfFields<ProjectEdit>({
      actor: staff,
      edit: { status: 'rejected', rejection_reason: reason },
      originFor: () => ({ cause: 'moderated', actorId: staff.id }),
      decide: (current, edit, at) => {
        mustNotBeOwn(current, staff);
        return mergeEdit(current, edit, at, ContentChange);
      },
    }),
  );

const softDeletion =
  (actor: UserRecord, check: (current: ProjectRecord) => void, cause?: RevisionCause): Decide =>
  (current) => {
    if (current.deleted_at !== null) throw notFound();
    check(current);
    const next: ProjectRecord = { ...current, deleted_at: now() };
    const origin = originOf(actor, current);
    return {
      next,
      origin: { ...origin, cause: cause ?? origin.cause },
      messages: [newMessage('projectDeleted', actor.id, { ...projectEventData(next), permanent: false })],
    };
  };

/** Soft-deletes a project. @throws 404 when it is deleted already or invisible to the caller, 403. */
export const removeProject = (actor: UserRecord, reference: string): Promise<StoredProject> =>
  changeProject(
    reference,
    softDeletion(actor, (current) => mustBeChangeable(current, actor)),
  );

/** Soft-deletes any project. @throws 404 when it is deleted already. */
export const removal = (staff: Caller, cause: RevisionCause): Decide => softDeletion(staff, () => {}, cause);

/** @throws 404 when it is deleted already. */
export const removeAnyProject = (staff: Caller, reference: string): Promise<StoredProject> =>
  changeProject(reference, removal(staff, 'moderated'));
