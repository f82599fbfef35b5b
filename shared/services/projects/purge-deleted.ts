import { catalog } from '#data/catalog.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { deleteOrphanedData } from '#data/erasure.ts';
import { deleteProject, findProject } from '#data/projects.ts';
import { deleteOldRevisions } from '#data/revisions.ts';
import { DAY_MS } from '#model/days.ts';
import { REVISIONS_MAX } from '#model/revision.ts';
import { now } from '#platform/clock.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { purgeDeletedFields } from '#services/fields/manage.ts';
import { deletionEvents } from './moderate.ts';

/** How long a deleted project can be restored, in milliseconds. */
const RETENTION_MS = 30 * DAY_MS;

/** The job runs daily; a project that it misses is due again with its next change. */
const CHANGED_WITHIN_MS = 3 * DAY_MS;

/** @returns whether the project was removed. */
const purgeOne = (projectId: string, before: string): Promise<boolean> =>
  retryOnConflict(async () => {
    // The catalog may be stale, so the decision is made on the stored record.
    const project = (await findProject(projectId))?.project;
    if (!project || project.deleted_at === null || project.deleted_at > before) return false;
    await deleteProject(project, deletionEvents(null, project));
    return true;
  });

/** Processes projects until the time is up. @returns the sum of the results. */
const sumOf = async (
  ids: readonly string[],
  until: number,
  process: (id: string) => Promise<number>,
): Promise<{ sum: number; unfinished: boolean }> => {
  const { results, isComplete } = await mapConcurrently(ids, process, { until });
  return { sum: results.reduce((total, one) => total + one, 0), unfinished: !isComplete };
};

/**
 * Permanently deletes the projects that were soft-deleted at least 30 days ago. Concurrent runs delete each project once; a
 * project that is restored meanwhile is kept. Also deletes the old revisions of projects that were changed recently, and definitions of fields.
 */
export const purgeDeleted = async (
  budgetMs: number,
): Promise<{ processed: number; revisions: number; fields: number; unfinished: boolean }> => {
  const until = performance.now() + budgetMs;
  const before = new Date(Date.parse(now()) - RETENTION_MS).toISOString();
  const changedAfter = new Date(Date.parse(now()) - CHANGED_WITHIN_MS).toISOString();
  const due: string[] = [];
  const changed: string[] = [];
  for (const { project } of (await catalog('now')).all()) {
    if (project.deleted_at !== null && project.deleted_at <= before) due.push(project.id);
    else if (project.version > REVISIONS_MAX && project.updated_at > changedAfter) changed.push(project.id);
  }
  const purged = await sumOf(due, until, async (id) => ((await purgeOne(id, before)) ? 1 : 0));
  const revisions = await sumOf(changed, until, deleteOldRevisions);
  return {
    processed: purged.sum,
    revisions: revisions.sum,
    fields: await purgeDeletedFields(),
    unfinished: purged.unfinished || revisions.unfinished,
  };
};

/** Deletes the orphaned data of a purged project: votes, ratings, comments, reports and slugs. Idempotent. */
export const finishPurge = async (projectId: string, slugs: readonly string[]): Promise<void> => {
  await deleteOrphanedData(projectId, slugs);
};
