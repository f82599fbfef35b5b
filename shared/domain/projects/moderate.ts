import { message, type Workshop } from '#domain/messages.ts';
import { retried } from '#domain/retried.ts';
import type { UserRecord } from '#domain/users/user.ts';
import type { Message } from '#events/catalogue.ts';
import { conflict, notFound } from '#shared/errors.ts';
import { type ChangedProject, changeProject, type ProjectStore } from './change.ts';
import { factsOf } from './facts.ts';
import { mustBeChangeable } from './policy.ts';
import type { ProjectRecord } from './project.ts';

type Ports = Workshop & ProjectStore;

const mustBe = (project: ProjectRecord, status: ProjectRecord['status']): void => {
  if (project.deleted_at !== null) throw conflict('INVALID_TRANSITION', 'The project is deleted.');
  if (project.status !== status) {
    throw conflict('INVALID_TRANSITION', `The project is ${project.status}, not ${status}.`);
  }
};

/** Pending to live. Of two at once one wins. @throws 404, 409. */
export const approveProject = (ports: Ports, admin: UserRecord, reference: string): Promise<ChangedProject> =>
  changeProject(ports, reference, (current) => {
    mustBe(current, 'pending');
    const at = ports.now();
    const next: ProjectRecord = {
      ...current,
      status: 'live',
      published_at: current.published_at ?? at,
      rejection_reason: null,
      updated_at: at,
    };
    return { next, messages: [message(ports, 'projectApproved', admin.id, factsOf(next))] };
  });

/** Pending to rejected, with a reason for the submitter. @throws 404, 409. */
export const rejectProject = (
  ports: Ports,
  admin: UserRecord,
  reference: string,
  reason: string | null,
): Promise<ChangedProject> =>
  changeProject(ports, reference, (current) => {
    mustBe(current, 'pending');
    const next: ProjectRecord = {
      ...current,
      status: 'rejected',
      rejection_reason: reason || null,
      updated_at: ports.now(),
    };
    const data = { ...factsOf(next), reason: next.rejection_reason };
    return { next, messages: [message(ports, 'projectRejected', admin.id, data)] };
  });

/** Rejected to pending, by the owner who has mended it. @throws 404, 403, 409. */
export const resubmitProject = (ports: Ports, owner: UserRecord, reference: string): Promise<ChangedProject> =>
  changeProject(ports, reference, (current) => {
    mustBeChangeable(current, owner);
    mustBe(current, 'rejected');
    const next: ProjectRecord = { ...current, status: 'pending', rejection_reason: null, updated_at: ports.now() };
    return { next, messages: [message(ports, 'projectSubmitted', owner.id, factsOf(next))] };
  });

/** Gives a soft-deleted project back, in the status that it had. @throws 404, 409 when it is not deleted. */
export const restoreProject = (ports: Ports, admin: UserRecord, reference: string): Promise<ChangedProject> =>
  changeProject(ports, reference, (current) => {
    if (current.deleted_at === null) throw conflict('INVALID_TRANSITION', 'The project is not deleted.');
    const next: ProjectRecord = { ...current, deleted_at: null, updated_at: ports.now() };
    const data = { ...factsOf(next), changed: ['deleted_at'] };
    return { next, messages: [message(ports, 'projectUpdated', admin.id, data)] };
  });

/** What removing for good takes. */
export interface PurgePorts extends Workshop {
  readonly findProject: ProjectStore['findProject'];
  /** @throws an error named `ProjectChanged` when it is gone or not as `project` any more. */
  readonly removeProject: (project: ProjectRecord, messages: readonly Message[]) => Promise<void>;
}

/** What is told of a project that is removed for good: the event, and the task to take away what hangs on it. */
export const farewell = (ports: Workshop, actorId: string | null, project: ProjectRecord): Message[] => [
  message(ports, 'projectDeleted', actorId, { ...factsOf(project), permanent: true }),
  message(ports, 'projectPurged', actorId, { project_id: project.id, slugs: [project.slug, ...project.earlier_slugs] }),
];

/** Removes a project for good; what hangs on it follows in the background. @throws 404. */
export const purgeProject = (ports: PurgePorts, admin: UserRecord, reference: string): Promise<string> =>
  retried('ProjectChanged', async () => {
    const stored = await ports.findProject(reference);
    if (!stored) throw notFound();
    await ports.removeProject(stored.project, farewell(ports, admin.id, stored.project));
    return stored.project.id;
  });
