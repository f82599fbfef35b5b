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
import { currentFields } from '#data/custom-fields.ts';
import { findProject, type StoredProject } from '#data/projects.ts';
import { type Message, newMessage } from '#events/catalogue.ts';
import type { Caller } from '#model/api-key.ts';
import { mustMatch } from '#model/entity-tag.ts';
import { namesToRecord, shownNames, type ValueEdit, valueEdit, type Writer } from '#model/field.ts';
import { hasAdminRights, isScheduled, mustBeChangeable, mustBeEditable, mustNotBeOwn } from '#model/policy.ts';
import { liveVersion, type ProjectRecord, projectEventData } from '#model/project.ts';
import { type ChangeOrigin, isSameValue, mergeEdits, withPendingEdit } from '#model/revision.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { newId } from '#platform/ids.ts';
import { forbidden, mustExist, notFound } from '#shared/errors.ts';
import { approvedProject, changeProject, type Decide, moderationEvents, originOf } from './change.ts';
import {
  givenContent,
  mergeContent,
  mustHaveOwnSlug,
  mustHaveOwnUrl,
  mustNotBeMissing,
  mustNotBeReserved,
  resolveCategories,
} from './content.ts';
import { pendingDecision, pendingFields } from './pending-edit.ts';

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
        : (edit.rejection_reason ?? null),
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

/** The values of further fields in an edit. */
interface GivenValues {
  readonly edit: ValueEdit;
  /** The names of the given fields, as they are recorded. */
  readonly names: readonly RevisionField[];
}

interface FieldsChange<Edit> {
  readonly actor: UserRecord;
  readonly edit: Edit;
  readonly ifMatch?: readonly string[] | undefined;
  readonly originFor: (current: ProjectRecord) => ChangeOrigin;
  /** Whom fields are for to change. */
  readonly writer: Writer;
  /** @param edit with the current categories in place of merged ones. */
  readonly decide: (
    current: ProjectRecord,
    edit: Edit,
    at: string,
    values: GivenValues | undefined,
  ) => { next: ProjectRecord; changed: readonly string[] };
}

/** A scheduled project whose time of publication was cleared is public at once. */
const publishedIfUnscheduled = (next: ProjectRecord, at: string): ProjectRecord =>
  isScheduled(next) && next.publish_at === null ? approvedProject(next, at) : next;

const changeOfFields =
  <Edit extends ProjectUpdate | ProjectEdit>({
    actor,
    edit,
    ifMatch,
    originFor,
    writer,
    decide,
  }: FieldsChange<Edit>): Decide =>
  async (current) => {
    const definitions = await currentFields();
    const values = edit.fields && {
      edit: valueEdit(definitions, edit.fields, writer, writer === 'owner' ? 'update' : 'nothing'),
      names: namesToRecord(
        definitions,
        Object.keys(edit.fields).map((key): RevisionField => `fields.${key}`),
      ),
    };
    const before = withPendingEdit(current);
    const { resolved, missing } = await resolveCategories(edit, [...current.categories, ...before.categories]);
    const at = now();
    const decided = decide(current, resolved, at, values);
    const { changed } = decided;
    const next = publishedIfUnscheduled(decided.next, at);
    // What an edit that waits asks for is checked like what is published.
    const after = withPendingEdit(next);
    const categories = [...next.categories, ...after.categories];
    mustNotBeMissing(missing.filter((slug) => categories.includes(slug)));
    mustMatch(ifMatch, liveVersion(current));
    for (const slug of [next.slug, after.slug])
      if (slug !== current.slug && slug !== before.slug) mustNotBeReserved(slug);
    const origin = originFor(current);
    const isSamePending = next.pending_revision === current.pending_revision;
    if (changed.length === 0 && isSamePending) return { next: current, origin, messages: [] };
    await mustHaveOwnUrl(before, after);
    const messages =
      changed.length === 0 ? [] : eventsOf(actor.id, current, next, shownNames(definitions, changed, 'staff'));
    if (isSamePending) return { next, origin, messages };
    await mustHaveOwnSlug(before, after);
    return pendingDecision(current, { next, origin, messages }, changed.length > 0, definitions);
  };

/**
 * Applies an administrator's edit to a record.
 * @returns the record, unchanged if no field differs, and the names of the fields that differ.
 * @throws 400 when a changed field is invalid.
 */
export const mergeEdit = (
  current: ProjectRecord,
  edit: ProjectEdit,
  at: string,
  schema: typeof ContentChange,
  values?: ValueEdit,
) => {
  const merged = mergeContent(current, edit, at, schema, values);
  const next = withAdminFields(merged.next, edit, at);
  const changed = [...merged.changed, ...adminFields.filter((field) => next[field] !== current[field])];
  return { next: changed.length === 0 ? current : { ...next, updated_at: at }, changed };
};

/**
 * Applies an update through the route of owners: what waits for approval goes to the waiting edit, the rest is published.
 * Where edits are reviewed, one of a scheduled project takes its approval back.
 * @throws 400 when a changed field is invalid.
 */
const mergeOwnEdit = (
  current: ProjectRecord,
  actor: UserRecord,
  update: ProjectUpdate,
  at: string,
  values: GivenValues | undefined,
): { next: ProjectRecord; changed: readonly string[] } => {
  const waits = pendingFields(current, actor);
  const given = givenContent(update);
  const partOf = (isPending: boolean): Partial<ProjectContent> =>
    Object.fromEntries(Object.entries(given).filter(([field]) => waits(field as RevisionField) === isPending));
  const doValuesWait = waits('fields.');
  const published = mergeContent(current, partOf(false), at, OwnContentChange, doValuesWait ? undefined : values?.edit);
  const waiting = withPendingEdit(current);
  const desired = mergeContent(
    waiting,
    partOf(true),
    at,
    OwnContentChange,
    doValuesWait ? values?.edit : undefined,
  ).next;
  const edited = [...(Object.keys(given) as RevisionField[]), ...(values?.names ?? [])];
  const pending = mergeEdits(current, edited, desired, waits, { id: newId('rev'), at });
  const withdrawsApproval =
    isScheduled(current) &&
    actor.id === current.owner_id &&
    environment().liveEdits !== 'immediate' &&
    published.changed.some((field) => field !== 'publish_at');
  if (withdrawsApproval) return { ...published, next: { ...published.next, approved_at: null } };
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
  const stored = mustExist(await findProject(reference));
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
      writer: hasAdminRights(actor) ? 'staff' : 'owner',
      decide: (current, edit, at, values) => {
        mustBeUpdatable(current, actor, edit.status);
        if (edit.status === undefined || edit.status === current.status || !hasAdminRights(actor)) {
          return mergeOwnEdit(current, actor, edit, at, values);
        }
        const { status } = checked(ProjectEditSchema.pick({ status: true }), { status: edit.status });
        return mergeEdit(current, { ...edit, status }, at, OwnContentChange, values?.edit);
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
    writer: 'staff',
    decide: (current, resolved, at, values) => {
      const merged = mergeEdit(current, resolved, at, ContentChange, values?.edit);
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
      writer: 'staff',
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
export const removeProject = async (actor: UserRecord, reference: string) => {
  const { project } = await changeProject(
    reference,
    softDeletion(actor, (current) => mustBeChangeable(current, actor)),
  );
  return { id: project.id, deleted_at: project.deleted_at ?? now() };
};

/** Soft-deletes any project. @throws 404 when it is deleted already. */
export const removal = (staff: Caller, cause: RevisionCause): Decide => softDeletion(staff, () => {}, cause);

/** @throws 404 when it is deleted already. */
export const removeAnyProject = (staff: Caller, reference: string): Promise<StoredProject> =>
  changeProject(reference, removal(staff, 'moderated'));
