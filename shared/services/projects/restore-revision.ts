import { checked } from '#contract/fields.ts';
import { ContentChange, type FieldChange, ProjectEdit, type RevisionField } from '#contract/projects.ts';
import { currentFields } from '#data/custom-fields.ts';
import type { StoredProject } from '#data/projects.ts';
import { findRevision, revisionsOf } from '#data/revisions.ts';
import { findUser } from '#data/users.ts';
import { newMessage } from '#events/catalogue.ts';
import type { Caller } from '#model/api-key.ts';
import { mustMatch } from '#model/entity-tag.ts';
import { namesToRecord, shownNames } from '#model/field.ts';
import { hasAdminRights, mustNotBeOwn } from '#model/policy.ts';
import { liveVersion, type ProjectRecord, projectEventData } from '#model/project.ts';
import { type RevisionRecord, recordedEdit } from '#model/revision.ts';
import { now } from '#platform/clock.ts';
import { AppError, conflict, type ErrorCode, forbidden, invalidField, mustExist } from '#shared/errors.ts';
import { changeProject } from './change.ts';
import { mustHaveOwnSlug, mustHaveOwnUrl, mustNotBeMissing, mustNotBeReserved, resolveCategories } from './content.ts';
import { namedChanges } from './pending-edit.ts';
import { mergeEdit } from './update.ts';

/** Fields that come back only when they are named: they decide on visibility, rights and money. */
const onlyNamed: ReadonlySet<RevisionField> = new Set(['status', 'plan', 'owner_id', 'deleted_at']);

/** @throws 409 for a submission and for what was not published. */
const mustBeRestorable = (revision: RevisionRecord): void => {
  if (revision.cause === 'submitted') throw conflict('INVALID_TRANSITION', 'Nothing was before the submission.');
  if (revision.applied.length === 0) throw conflict('INVALID_TRANSITION', 'The revision was not published.');
};

const changesToUndo = (
  { changes, applied }: RevisionRecord,
  fields: readonly RevisionField[] | undefined,
): readonly FieldChange[] => {
  const published = changes.filter(({ field }) => applied.includes(field));
  return fields ? namedChanges(published, fields) : published.filter(({ field }) => !onlyNamed.has(field));
};

const isLatestDecision = async ({ id, project_id }: RevisionRecord): Promise<boolean> => {
  for await (const one of revisionsOf(project_id, 10)) {
    if (one.applied.includes('status')) return one.id === id;
  }
  return false;
};

/** @throws 403 when a moderator or an API key undoes more than content and their own latest decision. */
const mustBeAllowedToUndo = async (
  project: ProjectRecord,
  revision: RevisionRecord,
  changes: readonly FieldChange[],
  staff: Caller,
): Promise<void> => {
  if (hasAdminRights(staff)) return;
  mustNotBeOwn(project, staff);
  const reserved = changes.map(({ field }) => field).filter((field) => onlyNamed.has(field));
  if (reserved.some((field) => field !== 'status')) throw forbidden();
  const isOwnDecision = async () => revision.actor_id === staff.id && (await isLatestDecision(revision));
  if (reserved.length > 0 && !(await isOwnDecision())) throw forbidden();
};

/** Fields that every project has, which the creation of a project cannot leave empty. */
const required = ['plan', 'owner_id', 'status'] as const;

/** @throws 400 on a field that has no value to return to, or whose owner no longer exists. */
const mustBeOwnable = async (edit: ProjectEdit): Promise<void> => {
  for (const field of required) {
    if (edit[field] === null) throw invalidField([field], 'had no value before');
  }
  if (edit.owner_id !== undefined && (await findUser(edit.owner_id))?.erased_at !== null) {
    throw invalidField(['owner_id'], 'is not a user any more');
  }
};

const fieldOfConflict: Partial<Record<ErrorCode, RevisionField>> = { SLUG_TAKEN: 'slug', DUPLICATE_URL: 'url' };

/** A conflict as an error of the field that cannot come back. */
const onField = (error: unknown): unknown => {
  const field = error instanceof AppError ? fieldOfConflict[error.code] : undefined;
  return field === undefined ? error : invalidField([field], 'belongs to another project now');
};

const restored = async (current: ProjectRecord, changes: readonly FieldChange[], at: string) => {
  const edit = Object.fromEntries(changes.map(({ field, before }) => [field, before])) as ProjectEdit;
  await mustBeOwnable(edit);
  const { deleted_at } = checked(ProjectEdit.pick({ deleted_at: true }), edit);
  const { resolved, missing } = await resolveCategories({ ...edit, deleted_at }, current.categories);
  const { next, changed } = mergeEdit(current, resolved, at, ContentChange, recordedEdit(changes, 'before'));
  mustNotBeMissing(missing);
  if (next.slug !== current.slug) mustNotBeReserved(next.slug);
  await mustHaveOwnSlug(current, next);
  await mustHaveOwnUrl(current, next);
  return { next, changed };
};

/**
 * Sets the published fields of a revision back to what they were before it: all but those that have to be named, or the
 * named ones. A field that cannot come back stops all of them.
 * @throws 404, 403 for moderators and API keys, 412 for a stale `If-Match`, 409 for a submission or what was not published, 400 on a field.
 */
export const restoreRevision = async (
  staff: Caller,
  reference: string,
  revisionId: string,
  fields: readonly RevisionField[] | undefined,
  ifMatch: readonly string[] | undefined,
): Promise<StoredProject> => {
  try {
    return await changeProject(reference, async (current) => {
      const revision = mustExist(await findRevision(current.id, revisionId));
      mustMatch(ifMatch, liveVersion(current));
      mustBeRestorable(revision);
      const definitions = await currentFields();
      const changes = changesToUndo(revision, fields && namesToRecord(definitions, fields));
      await mustBeAllowedToUndo(current, revision, changes, staff);
      const { next, changed } = await restored(current, changes, now());
      return {
        next,
        origin: { cause: 'restored', actorId: staff.id },
        messages: [
          newMessage('projectUpdated', staff.id, {
            ...projectEventData(next),
            changed: shownNames(definitions, changed, 'staff'),
          }),
        ],
      };
    });
  } catch (error) {
    throw onField(error);
  }
};
