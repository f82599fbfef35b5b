import { catalog } from './catalog.ts';
import { retryOnConflict } from './conflict.ts';
import { projectKey, slugKey } from './keys.ts';
import { projectOf, urlEntryOf } from './projects.ts';
import { findItem } from './read.ts';
import { is, transact } from './write.ts';

/** @returns whether the entry was missing. */
const indexProject = (id: string): Promise<boolean> =>
  retryOnConflict(async () => {
    const item = await findItem(projectKey(id));
    if (!item) return false;
    const project = projectOf(item);
    const claim = await findItem(slugKey(project.slug));
    const entry = urlEntryOf(project);
    if (claim?.project_id !== id || claim.collection_pk === entry.collection_pk) return false;
    await transact([
      { check: projectKey(id), when: is('version', project.version) },
      { update: slugKey(project.slug), change: { set: entry }, when: is('project_id', id) },
    ]);
    return true;
  });

/** Concurrent transactions, as many as the connection pool serves without queueing. */
const CONCURRENCY = 8;

/**
 * Adds the projects of an earlier version to the index by URL. Safe to interrupt, to repeat and to run beside writers.
 * @returns how many projects it added.
 */
export const indexUrls = async (): Promise<number> => {
  const ids = Array.from((await catalog('now')).all(), ({ project }) => project.id);
  let indexed = 0;
  for (let start = 0; start < ids.length; start += CONCURRENCY) {
    const results = await Promise.all(ids.slice(start, start + CONCURRENCY).map(indexProject));
    indexed += results.filter(Boolean).length;
  }
  return indexed;
};
