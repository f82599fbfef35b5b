import { catalog } from '#data/catalog.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { deleteProject, findProject } from '#data/projects.ts';
import { now } from '#platform/clock.ts';
import { deletionEvents } from './moderate.ts';

/** How long a deleted project can be restored, in milliseconds. */
const RETENTION_MS = 30 * 86_400_000;

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

/**
 * Permanently deletes the projects that were soft-deleted at least 30 days ago. Concurrent runs delete each project once; a
 * project that is restored meanwhile is kept.
 */
export const purgeDeleted = async (budgetMs: number): Promise<{ processed: number; unfinished: boolean }> => {
  const until = performance.now() + budgetMs;
  const before = new Date(Date.parse(now()) - RETENTION_MS).toISOString();
  const due: string[] = [];
  for (const { project } of (await catalog('now')).all()) {
    if (project.deleted_at !== null && project.deleted_at <= before) due.push(project.id);
  }
  let processed = 0;
  for (let start = 0; start < due.length; start += CONCURRENCY) {
    if (performance.now() > until) return { processed, unfinished: true };
    const purged = await Promise.all(due.slice(start, start + CONCURRENCY).map((id) => purgeOne(id, before)));
    processed += purged.filter(Boolean).length;
  }
  return { processed, unfinished: false };
};
