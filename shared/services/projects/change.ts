import { retryOnConflict } from '#data/conflict.ts';
import { findProject, replaceProject, type StoredProject } from '#data/projects.ts';
import type { Write } from '#data/write.ts';
import { type Message, newMessage } from '#events/catalogue.ts';
import { isScheduled, withoutCancelledApproval } from '#model/policy.ts';
import { type ProjectRecord, projectEventData } from '#model/project.ts';
import { type ChangeOrigin, withoutDroppedEdit } from '#model/revision.ts';
import type { UserRecord } from '#model/user.ts';
import { environment } from '#platform/environment.ts';
import { mustExist } from '#shared/errors.ts';

/** The next state of a project and the events of the change. Nothing is written if `next` is the current record itself. */
export interface Decision {
  readonly next: ProjectRecord;
  readonly origin: ChangeOrigin;
  readonly messages: readonly Message[];
  /** Further writes of the transaction. */
  readonly writes?: readonly Write[];
}

/** A change through the routes of owners: by the owner, or by an administrator in their place. */
export const originOf = (actor: UserRecord, project: ProjectRecord): ChangeOrigin => ({
  cause: actor.id === project.owner_id ? 'edited' : 'moderated',
  actorId: actor.id,
});

/** A pending project after its approval: public, or scheduled when its time of publication lies ahead. */
export const approvedProject = (project: ProjectRecord, at: string): ProjectRecord => {
  const { publish_at, published_at } = project;
  const waits = environment().features.drafts && published_at === null && publish_at !== null && publish_at > at;
  return waits ? { ...project, approved_at: at } : { ...project, status: 'live', published_at: published_at ?? at };
};

/** Decides on the next state of a project. @throws the reasons against the change. */
export type Decide = (current: ProjectRecord) => Decision | Promise<Decision>;

/** What is stored after a decision on a state. */
const writtenState = (current: ProjectRecord, next: ProjectRecord): ProjectRecord =>
  withoutCancelledApproval(withoutDroppedEdit({ ...next, version: current.version + 1 }));

/**
 * Reads a project, decides on its next state and writes it. After a concurrent write `decide` runs again on the new state,
 * so its checks hold for the record that is replaced.
 * @param further creates further writes or checks of the transaction.
 * @returns the project after the change.
 * @throws 404, and the errors of `decide`.
 */
export const changeProject = (
  reference: string,
  decide: Decide,
  further: (previous: ProjectRecord, next: ProjectRecord) => readonly Write[] = () => [],
): Promise<StoredProject> =>
  retryOnConflict(async () => {
    const stored = mustExist(await findProject(reference));
    const { next, origin, messages, writes = [] } = await decide(stored.project);
    if (next === stored.project) return stored;
    const project = writtenState(stored.project, next);
    await replaceProject(stored.project, project, origin, messages, [...further(stored.project, project), ...writes]);
    return { project, counts: stored.counts };
  });

/** What a change of a project would store; the project itself when nothing would be written. @throws the errors of `decide`. */
export const previewChange = async (current: ProjectRecord, decide: Decide): Promise<ProjectRecord> => {
  const { next } = await decide(current);
  return next === current ? current : writtenState(current, next);
};

/**
 * The event of a moderation: a pending project is approved, now or for later, or rejected. None for other transitions and deleted projects.
 * @param actorId null for a rule.
 */
export const moderationEvents = (actorId: string | null, current: ProjectRecord, next: ProjectRecord): Message[] => {
  if (current.status !== 'pending' || next.deleted_at !== null) return [];
  const data = projectEventData(next);
  if (next.status === 'pending') {
    const { publish_at, approved_at } = next;
    const isApproved = isScheduled(next) && current.approved_at !== approved_at;
    return isApproved && publish_at !== null ? [newMessage('projectScheduled', actorId, { ...data, publish_at })] : [];
  }
  return next.status === 'live'
    ? [newMessage('projectApproved', actorId, data)]
    : [newMessage('projectRejected', actorId, { ...data, reason: next.rejection_reason })];
};
