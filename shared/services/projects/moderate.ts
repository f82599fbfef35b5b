import type { RevisionCause } from '#contract/revisions.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { deleteProject, findProject, type StoredProject } from '#data/projects.ts';
import { type Message, newMessage } from '#events/catalogue.ts';
import type { Caller } from '#model/api-key.ts';
import { mustMatch } from '#model/entity-tag.ts';
import { isScheduled, mustBeChangeable, mustNotBeOwn } from '#model/policy.ts';
import { liveVersion, type ProjectRecord, projectEventData } from '#model/project.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { conflict, mustExist } from '#shared/errors.ts';
import { applyDecision, decideSubmission } from './apply-rules.ts';
import { approvedProject, changeProject, type Decide, moderationEvents, originOf } from './change.ts';

const mustBe = (project: ProjectRecord, status: ProjectRecord['status']): void => {
  if (project.deleted_at !== null) throw conflict('INVALID_TRANSITION', 'The project is deleted.');
  if (project.status !== status) {
    throw conflict('INVALID_TRANSITION', `The project is ${project.status}, not ${status}.`);
  }
};

/**
 * Pending to live, or to scheduled when the time of publication lies ahead. Of two concurrent approvals one succeeds.
 * @throws 403 for an own listing of a moderator, 412 for a stale `If-Match`, 409.
 */
export const approval =
  (staff: Caller, cause: RevisionCause, ifMatch?: readonly string[]): Decide =>
  (current) => {
    mustNotBeOwn(current, staff);
    mustMatch(ifMatch, liveVersion(current));
    mustBe(current, 'pending');
    if (isScheduled(current)) throw conflict('INVALID_TRANSITION', 'The project is approved already.');
    const at = now();
    const next: ProjectRecord = { ...approvedProject(current, at), rejection_reason: null, updated_at: at };
    return { next, origin: { cause, actorId: staff.id }, messages: moderationEvents(staff.id, current, next) };
  };

/** @throws 404, and as `approval`. */
export const approveProject = (staff: Caller, reference: string, ifMatch?: readonly string[]): Promise<StoredProject> =>
  changeProject(reference, approval(staff, 'moderated', ifMatch));

/** Pending to rejected, with an optional reason for the submitter. @throws as `approval`. */
export const rejection =
  (staff: Caller, cause: RevisionCause, reason: string | null, ifMatch?: readonly string[]): Decide =>
  (current) => {
    mustNotBeOwn(current, staff);
    mustMatch(ifMatch, liveVersion(current));
    mustBe(current, 'pending');
    const next: ProjectRecord = {
      ...current,
      status: 'rejected',
      rejection_reason: reason ?? null,
      updated_at: now(),
    };
    return { next, origin: { cause, actorId: staff.id }, messages: moderationEvents(staff.id, current, next) };
  };

/** @throws 404, and as `rejection`. */
export const rejectProject = (
  staff: Caller,
  reference: string,
  reason: string | null,
  ifMatch?: readonly string[],
): Promise<StoredProject> => changeProject(reference, rejection(staff, 'moderated', reason, ifMatch));

/**
 * Rejected to pending, by the owner or an administrator; a rule may decide at once. @throws 404, 403, 409.
 */
export const resubmitProject = (owner: UserRecord, reference: string): Promise<StoredProject> =>
  changeProject(reference, async (current) => {
    mustBeChangeable(current, owner);
    mustBe(current, 'rejected');
    const at = now();
    const pending: ProjectRecord = { ...current, status: 'pending', rejection_reason: null, updated_at: at };
    const decision = await decideSubmission({ ...pending, submitter: owner, at });
    return applyDecision(pending, decision, originOf(owner, current));
  });

/** Restores a soft-deleted project in its previous status. @throws 409 when it is not deleted. */
export const restoration =
  (staff: Caller, cause: RevisionCause): Decide =>
  (current) => {
    if (current.deleted_at === null) throw conflict('INVALID_TRANSITION', 'The project is not deleted.');
    const next: ProjectRecord = { ...current, deleted_at: null, updated_at: now() };
    const data = { ...projectEventData(next), changed: ['deleted_at'] };
    return { next, origin: { cause, actorId: staff.id }, messages: [newMessage('projectUpdated', staff.id, data)] };
  };

/** The messages of a permanent deletion: the event, and the task that deletes the orphaned data. */
export const deletionEvents = (actorId: string | null, project: ProjectRecord): Message[] => [
  newMessage('projectDeleted', actorId, { ...projectEventData(project), permanent: true }),
  newMessage('projectPurged', actorId, { project_id: project.id, slugs: [project.slug, ...project.earlier_slugs] }),
];

/** Deletes a project permanently; a task deletes its orphaned data. @returns its id. @throws 404. */
export const purgeProject = (admin: UserRecord, reference: string): Promise<string> =>
  retryOnConflict(async () => {
    const stored = mustExist(await findProject(reference));
    await deleteProject(stored.project, deletionEvents(admin.id, stored.project));
    return stored.project.id;
  });
