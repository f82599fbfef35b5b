import { retryOnConflict } from '#data/conflict.ts';
import { findProject, replaceProject, type StoredProject } from '#data/projects.ts';
import type { Write } from '#data/write.ts';
import type { Message } from '#events/catalogue.ts';
import type { ProjectRecord } from '#model/project.ts';
import { type ChangeOrigin, withoutDroppedEdit } from '#model/revision.ts';
import type { UserRecord } from '#model/user.ts';
import { notFound } from '#shared/errors.ts';

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

/** Decides on the next state of a project. @throws the reasons against the change. */
export type Decide = (current: ProjectRecord) => Decision | Promise<Decision>;

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
    const stored = await findProject(reference);
    if (!stored) throw notFound();
    const { next, origin, messages, writes = [] } = await decide(stored.project);
    if (next === stored.project) return stored;
    const project = withoutDroppedEdit({ ...next, version: stored.project.version + 1 });
    await replaceProject(stored.project, project, origin, messages, [...further(stored.project, project), ...writes]);
    return { project, counts: stored.counts };
  });

/** What a change would write. @returns the project before and after. @throws as `changeProject`. */
export const previewChange = async (
  reference: string,
  decide: Decide,
): Promise<{ readonly previous: ProjectRecord; readonly next: ProjectRecord }> => {
  const stored = await findProject(reference);
  if (!stored) throw notFound();
  return { previous: stored.project, next: (await decide(stored.project)).next };
};
