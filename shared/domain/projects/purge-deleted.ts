import type { ReadCatalog } from '#catalog/types.ts';
import { retried } from '#domain/retried.ts';
import { farewell, type PurgePorts } from './moderate.ts';

/** For how long a deleted project can be given back, in milliseconds. */
const KEPT_MS = 30 * 86_400_000;

/** What purging what was deleted takes. */
export interface PurgeDeletedPorts extends PurgePorts {
  readonly catalog: (freshness: 'now') => Promise<ReadCatalog>;
}

const AT_ONCE = 8;

const purgeOne = (ports: PurgeDeletedPorts, projectId: string, before: string): Promise<boolean> =>
  retried('ProjectChanged', async () => {
    // The catalog may be a moment behind: what counts is what the table says.
    const project = (await ports.findProject(projectId))?.project;
    if (!project || project.deleted_at === null || project.deleted_at > before) return false;
    await ports.removeProject(project, farewell(ports, null, project));
    return true;
  });

/**
 * Removes for good what was deleted 30 days ago; what hangs on it follows in the background. Each is removed, and told, once,
 * however often and at the same time as itself this runs; one that is given back at this very moment stays.
 */
export const purgeDeleted = async (
  ports: PurgeDeletedPorts,
  budgetMs: number,
): Promise<{ processed: number; unfinished: boolean }> => {
  const until = performance.now() + budgetMs;
  const before = new Date(Date.parse(ports.now()) - KEPT_MS).toISOString();
  const due: string[] = [];
  for (const { project } of (await ports.catalog('now')).all()) {
    if (project.deleted_at !== null && project.deleted_at <= before) due.push(project.id);
  }
  let processed = 0;
  for (let start = 0; start < due.length; start += AT_ONCE) {
    if (performance.now() > until) return { processed, unfinished: true };
    const purged = await Promise.all(due.slice(start, start + AT_ONCE).map((id) => purgeOne(ports, id, before)));
    processed += purged.filter(Boolean).length;
  }
  return { processed, unfinished: false };
};
