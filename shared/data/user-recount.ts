import type { CommentCount } from '#domain/users/recount.ts';
import { every, exists, is, lacks } from './conditions.ts';
import { amongChangedUsers, ownerPartition, ownerPrefix, userKey, usersPartition } from './keys.ts';
import { collectionPages, findItems } from './read.ts';
import { userOf } from './user-items.ts';
import { updateItem } from './write.ts';

/** How long a time in ISO 8601 with milliseconds is, in characters. */
const TIME_LENGTH = 24;

/** Users who have not been erased, in the order of joining, behind a place in it; their newest states. */
export async function* commentCounts(
  after: string | undefined,
): AsyncGenerator<readonly (CommentCount & { readonly place: string })[]> {
  const pages = collectionPages({
    partition: usersPartition,
    index: 'collection',
    only: ['id', 'collection_sk'],
    ...(after !== undefined && { after }),
  });
  for await (const listed of pages) {
    const items = await findItems(listed.map(({ id }) => userKey(String(id))));
    yield items.flatMap((item, position) => {
      if (!item || item.erased_at !== undefined) return [];
      const { id, comment_count, version } = userOf(item);
      const changedAt = String(item.feed_sk ?? '').slice(0, TIME_LENGTH);
      return [
        { userId: id, counted: comment_count, version, changedAt, place: String(listed[position]?.collection_sk) },
      ];
    });
  }
}

/** How many comments of a user there are. */
export const countCommentsBy = async (userId: string): Promise<number> => {
  const pages = collectionPages({
    partition: ownerPartition(userId),
    index: 'collection',
    prefix: ownerPrefix.comments,
    only: ['collection_sk'],
  });
  let total = 0;
  for await (const items of pages) total += items.length;
  return total;
};

/** Sets how many comments of a user there are. @returns whether his record was still of this version. */
export const correctCommentCount = async ({ userId, version }: CommentCount, count: number): Promise<boolean> => {
  const asRead = version === 0 ? lacks('version') : is('version', version);
  const changed = await updateItem(
    userKey(userId),
    { set: { comment_count: count }, add: { version: 1 } },
    every(exists, lacks('erased_at'), asRead),
    (changedAt) => amongChangedUsers(changedAt, userId),
  );
  return changed !== undefined;
};
