import { catalog } from './catalog.ts';
import { inComments, projectPartition, projectPrefix } from './keys.ts';
import { collectionPages, keyOf } from './read.ts';
import { every, exists, lacks, updateItem } from './write.ts';

/** @returns how many comments of the project were missing. */
const indexCommentsOn = async (projectId: string): Promise<number> => {
  // Hidden comments are younger than the index.
  const range = { partition: projectPartition(projectId), prefix: projectPrefix.comments } as const;
  let indexed = 0;
  for await (const items of collectionPages({ ...range, only: ['pk', 'sk', 'id', 'feed_pk'] })) {
    for (const item of items.filter(({ feed_pk }) => feed_pk === undefined)) {
      const condition = every(exists, lacks('feed_pk'));
      if (await updateItem(keyOf(item), { set: inComments(String(item.id)) }, condition)) indexed += 1;
    }
  }
  return indexed;
};

/** Concurrent updates, as many as the connection pool serves without queueing. */
const CONCURRENCY = 8;

/**
 * Adds the comments of an earlier version to the index of all comments. Safe to interrupt, to repeat and to run beside
 * writers.
 * @returns how many comments it added.
 */
export const indexComments = async (): Promise<number> => {
  const ids = Array.from((await catalog('now')).all()).flatMap(({ project, counts }) =>
    counts.comments_count > 0 ? [project.id] : [],
  );
  let indexed = 0;
  for (let start = 0; start < ids.length; start += CONCURRENCY) {
    const results = await Promise.all(ids.slice(start, start + CONCURRENCY).map(indexCommentsOn));
    indexed += results.reduce((total, one) => total + one, 0);
  }
  return indexed;
};
