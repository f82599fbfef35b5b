import type { ReadCatalog } from '#catalog/types.ts';
import { message, type Workshop } from '#domain/messages.ts';
import type { Message } from '#events/catalogue.ts';
import { AppError } from '#shared/errors.ts';
import { factsOf } from './facts.ts';
import type { ProjectRecord } from './project.ts';

/** For how long a deleted project can be given back, in milliseconds. */
const KEPT_MS = 30 * 86_400_000;

/** What purging what was deleted takes. */
export interface PurgeDeletedPorts extends Workshop {
  readonly catalog: (freshness: 'now') => Promise<ReadCatalog>;
  readonly findProject: (reference: string) => Promise<{ project: ProjectRecord } | undefined>;
  /** @throws 404 when it is gone or not as `project` any more. */
  readonly removeUnchanged: (project: ProjectRecord, messages: readonly Message[]) => Promise<void>;
}

const AT_ONCE = 8;

const purgeOne = async (ports: PurgeDeletedPorts, projectId: string, before: string): Promise<boolean> => {
  // The catalog may be a moment behind: what counts is what the table says.
  const project = (await ports.findProject(projectId))?.project;
  if (!project || project.deleted_at === null || project.deleted_at > before) return false;
  try {
    await ports.removeUnchanged(project, [
      message(ports, 'projectDeleted', null, { ...factsOf(project), permanent: true }),
      message(ports, 'projectPurged', null, {
        project_id: project.id,
        slugs: [project.slug, ...project.earlier_slugs],
      }),
    ]);
    return true;
  } catch (error) {
    // Somebody has purged it himself, or has given it back.
    if (error instanceof AppError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
};

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
