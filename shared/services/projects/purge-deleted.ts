import { catalog } from '#data/catalog.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { deleteProject, findProject } from '#data/projects.ts';
import { deleteOldRevisions } from '#data/revisions.ts';
import { REVISIONS_MAX } from '#model/revision.ts';
import { now } from '#platform/clock.ts';
import { deletionEvents } from './moderate.ts';

/** How long a deleted project can be restored, in milliseconds. */
const RETENTION_MS = 30 * 86_400_000;

/** The job runs daily; a project that it misses is due again with its next change. */
const CHANGED_WITHIN_MS = 3 * 86_400_000;

const CONCURRENCY = 8;

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
  let sum = 0;
  for (let start = 0; start < ids.length; start += CONCURRENCY) {
    if (performance.now() > until) return { sum, unfinished: true };
    const results = await Promise.all(ids.slice(start, start + CONCURRENCY).map(process));
    sum += results.reduce((total, one) => total + one, 0);
  }
  return { sum, unfinished: false };
};

/**
 * Permanently deletes the projects that were soft-deleted at least 30 days ago. Concurrent runs delete each project once; a
 * project that is restored meanwhile is kept. Also deletes the old revisions of projects that were changed recently.
 */
export const purgeDeleted = async (
  budgetMs: number,
): Promise<{ processed: number; revisions: number; unfinished: boolean }> => {
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
  return { processed: purged.sum, revisions: revisions.sum, unfinished: purged.unfinished || revisions.unfinished };
};
