import { type Key, projectPartition, projectPrefix, slugKey } from './keys.ts';
import { collectionPages, findItems } from './read.ts';
import { removeItems } from './write.ts';

/**
 * Takes away what a purged project left behind: votes, ratings, comments and the claims of its slugs. It may run any
 * number of times; whatever is gone already is passed over. The tombstone stays until the feed needs it no more.
 */
export const removeLeftovers = async (projectId: string, slugs: readonly string[]): Promise<number> => {
  let removed = 0;
  for (const prefix of Object.values(projectPrefix)) {
    const pages = collectionPages({ partition: projectPartition(projectId), prefix, only: ['pk', 'sk'] });
    for await (const items of pages) {
      await removeItems(items.map(({ pk, sk }) => ({ pk, sk }) as unknown as Key));
      removed += items.length;
    }
  }
  // A slug that has come to belong to another project since must stay.
  const claims = await findItems(slugs.map(slugKey));
  const own = slugs.filter((_, position) => claims[position]?.project_id === projectId).map(slugKey);
  await removeItems(own);
  return removed + own.length;
};
