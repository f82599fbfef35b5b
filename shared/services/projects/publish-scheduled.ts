import { duePublications } from '#data/projects.ts';
import { isScheduled } from '#model/policy.ts';
import type { ProjectRecord } from '#model/project.ts';
import { now } from '#platform/clock.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { AppError } from '#shared/errors.ts';
import { changeProject, moderationEvents } from './change.ts';

const isDue = (project: ProjectRecord, at: string): boolean =>
  isScheduled(project) && (project.publish_at === null || project.publish_at <= at);

/** Publishes a project unless it is not due any more. @returns whether this call published it. */
const publishIfDue = async (projectId: string): Promise<boolean> => {
  let isPublished = false;
  await changeProject(projectId, (current) => {
    const at = now();
    const origin = { cause: 'moderated', actorId: null } as const;
    isPublished = isDue(current, at);
    if (!isPublished) return { next: current, origin, messages: [] };
    const next: ProjectRecord = {
      ...current,
      status: 'live',
      published_at: current.publish_at ?? at,
      updated_at: at,
    };
    return { next, origin, messages: moderationEvents(null, current, next) };
  });
  return isPublished;
};

/**
 * Makes the approved projects live whose time of publication has come. Each is published in one transaction on condition of
 * its version, so concurrent and interrupted runs publish it once. One that fails does not stop the others.
 * @throws AggregateError when some failed; the next run retries them.
 */
export const publishScheduled = async (budgetMs: number): Promise<{ processed: number; unfinished: boolean }> => {
  const until = performance.now() + budgetMs;
  const failures: unknown[] = [];
  let processed = 0;
  for await (const ids of duePublications(now())) {
    const publish = async (id: string): Promise<void> => {
      try {
        if (await publishIfDue(id)) processed += 1;
      } catch (error) {
        // A project that was purged since is in the index for a moment.
        if (!(error instanceof AppError && error.code === 'NOT_FOUND')) failures.push(error);
      }
    };
    const { isComplete } = await mapConcurrently(ids, publish, { until });
    if (!isComplete) return { processed, unfinished: true };
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Not all due projects could be published.');
  return { processed, unfinished: false };
};
