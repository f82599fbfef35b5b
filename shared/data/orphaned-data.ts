import { deleteComments } from './comments.ts';
import { projectKey, projectPartition, projectPrefix, projectTombstoneKey, slugKey } from './keys.ts';
import { collectionPages, findItem, findItems, keyOf } from './read.ts';
import { deleteReports } from './reports.ts';
import { deleteItems } from './write.ts';

/** Deletes the votes, ratings, comments, reports, analytics and revisions of a purged project. */
const deleteReactions = async (projectId: string): Promise<number> => {
  let removed = (await deleteComments(projectId)) + (await deleteReports(projectId));
  for (const prefix of [
    projectPrefix.hiddenComments,
    projectPrefix.votes,
    projectPrefix.ratings,
    projectPrefix.days,
    projectPrefix.revisions,
  ]) {
    const pages = collectionPages({ partition: projectPartition(projectId), prefix, only: ['pk', 'sk'] });
    for await (const items of pages) {
      await deleteItems(items.map(keyOf));
      removed += items.length;
    }
  }
  return removed;
};

/**
 * Deletes the orphaned data of a purged project: reactions, reports and the claims of its slugs. Idempotent. The tombstone
 * expires by itself. It does nothing if an import has restored the project, because the import removes the data first.
 */
export const deleteOrphanedData = async (projectId: string, slugs: readonly string[]): Promise<number> => {
  if (await findItem(projectKey(projectId))) return 0;
  const removed = await deleteReactions(projectId);
  // Another project may have claimed a slug since.
  const claims = await findItems(slugs.map(slugKey));
  const orphaned = slugs.filter((_, position) => claims[position]?.project_id === projectId).map(slugKey);
  await deleteItems(orphaned);
  return removed + orphaned.length;
};

/** Deletes the orphaned data of recently purged projects before their ids are used again. */
export const deleteReactionsOfPurged = async (projectIds: readonly string[]): Promise<void> => {
  const tombstones = await findItems(projectIds.map(projectTombstoneKey));
  const purged = projectIds.filter((_, position) => tombstones[position] !== undefined);
  for (const projectId of purged) await deleteReactions(projectId);
};
