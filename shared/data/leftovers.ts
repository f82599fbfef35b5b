import { removeComments } from './comments.ts';
import { type Key, projectKey, projectPartition, projectPrefix, projectTombstoneKey, slugKey } from './keys.ts';
import { collectionPages, findItem, findItems } from './read.ts';
import { removeReports } from './reports.ts';
import { removeItems } from './write.ts';

/** Takes away the votes, ratings, comments, reports and figures of a project that is gone. */
const removeReactions = async (projectId: string): Promise<number> => {
  let removed = (await removeComments(projectId)) + (await removeReports(projectId));
  for (const prefix of [projectPrefix.votes, projectPrefix.ratings, projectPrefix.days]) {
    const pages = collectionPages({ partition: projectPartition(projectId), prefix, only: ['pk', 'sk'] });
    for await (const items of pages) {
      await removeItems(items.map(({ pk, sk }) => ({ pk, sk }) as unknown as Key));
      removed += items.length;
    }
  }
  return removed;
};

/**
 * Takes away what a purged project left behind: votes, ratings, comments, reports and the claims of its slugs. It may run any
 * number of times; whatever is gone already is passed over. The tombstone stays until the feed needs it no more.
 * A project that an import has brought back meanwhile is left alone: the import has cleared what was left.
 */
export const removeLeftovers = async (projectId: string, slugs: readonly string[]): Promise<number> => {
  if (await findItem(projectKey(projectId))) return 0;
  const removed = await removeReactions(projectId);
  // A slug that has come to belong to another project since must stay.
  const claims = await findItems(slugs.map(slugKey));
  const own = slugs.filter((_, position) => claims[position]?.project_id === projectId).map(slugKey);
  await removeItems(own);
  return removed + own.length;
};

/** Takes away what hangs on those of some ids under which a project was removed lately, before they are used again. */
export const clearRemains = async (projectIds: readonly string[]): Promise<void> => {
  const tombstones = await findItems(projectIds.map(projectTombstoneKey));
  const buried = projectIds.filter((_, position) => tombstones[position] !== undefined);
  for (const projectId of buried) await removeReactions(projectId);
};
