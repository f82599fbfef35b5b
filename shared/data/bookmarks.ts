import { BOOKMARKS_MAX } from '#contract/bookmarks.ts';
import { now } from '#platform/clock.ts';
import { AppError, conflict } from '#shared/errors.ts';
import { bookmarkCountKey, bookmarkKey, bookmarkPrefix, bookmarksPartition, type Key, projectKey } from './keys.ts';
import { collectionPages, findItem, findItems, findItemsBy, type Item, keyOf, wholeCollection } from './read.ts';
import { userNotErased } from './users.ts';
import { absent, exists, isBelow, tryTransact, type Write } from './write.ts';

interface BookmarkRecord {
  readonly user_id: string;
  readonly project_id: string;
  /** ISO 8601. */
  readonly created_at: string;
}

const bookmarkOf = (item: Item): BookmarkRecord => ({
  user_id: String(item.user_id),
  project_id: String(item.project_id),
  created_at: String(item.created_at),
});

// The number of bookmarks is an item of its own: a condition on it keeps concurrent requests within the limit.
const countBookmarks = (userId: string, change: 1 | -1): Write => ({
  update: bookmarkCountKey(userId),
  change: { set: { type: 'bookmarkCount' }, add: { bookmarks: change } },
  ...(change > 0
    ? {
        when: isBelow('bookmarks', BOOKMARKS_MAX),
        orElse: () => conflict('LIMIT_REACHED', `There are at most ${BOOKMARKS_MAX} bookmarks per user.`),
      }
    : // An erasure has deleted it.
      { when: exists }),
});

/** All bookmarks of a user, the newest first; a few thousand small items at most. */
export const bookmarksBy = async (userId: string): Promise<BookmarkRecord[]> => {
  const items = await wholeCollection({ partition: bookmarksPartition(userId), prefix: bookmarkPrefix });
  return items
    .map(bookmarkOf)
    .toSorted(
      (one, other) =>
        Number(one.created_at < other.created_at) - Number(one.created_at > other.created_at) ||
        Number(one.project_id < other.project_id) - Number(one.project_id > other.project_id),
    );
};

/** The keys of a user's bookmarks and of their number, a page at a time. */
export async function* bookmarkKeysOf(userId: string): AsyncGenerator<readonly Key[]> {
  const pages = collectionPages({ partition: bookmarksPartition(userId), only: ['pk', 'sk'] });
  for await (const items of pages) yield items.map(keyOf);
}

export const isBookmarked = async (userId: string, projectId: string): Promise<boolean> =>
  (await findItem(bookmarkKey(userId, projectId))) !== undefined;

/** Those of the projects that a user has bookmarked, in the given order. */
export const bookmarkedAmong = async (userId: string, projectIds: readonly string[]): Promise<string[]> => {
  const items = await findItems(projectIds.map((id) => bookmarkKey(userId, id)));
  return projectIds.filter((_, position) => items[position] !== undefined);
};

/** Deletes a bookmark. @returns false when there was none. */
export const deleteBookmark = (userId: string, projectId: string): Promise<boolean> =>
  tryTransact([{ delete: bookmarkKey(userId, projectId), when: exists }, countBookmarks(userId, -1)]);

const insert = (bookmark: BookmarkRecord): Promise<boolean> =>
  tryTransact([
    { put: { ...bookmarkKey(bookmark.user_id, bookmark.project_id), type: 'bookmark', ...bookmark }, when: absent },
    countBookmarks(bookmark.user_id, 1),
    userNotErased(bookmark.user_id),
  ]);

/** Deletes the bookmarks of purged projects, which no list shows. @returns how many there were. */
const deleteBookmarksOfPurged = async (userId: string): Promise<number> => {
  const ids = (await bookmarksBy(userId)).map(({ project_id }) => project_id);
  const existing = await findItemsBy(ids, projectKey);
  const purged = ids.filter((id) => !existing.has(id));
  for (const id of purged) await deleteBookmark(userId, id);
  return purged.length;
};

/**
 * Inserts a bookmark unless it exists.
 * @throws 409 when the user has `BOOKMARKS_MAX` of existing projects; 401 once the user is erased.
 */
export const insertBookmark = async (userId: string, projectId: string): Promise<void> => {
  const bookmark = { user_id: userId, project_id: projectId, created_at: now() };
  try {
    await insert(bookmark);
  } catch (error) {
    const isFull = error instanceof AppError && error.code === 'LIMIT_REACHED';
    if (!isFull || (await deleteBookmarksOfPurged(userId)) === 0) throw error;
    await insert(bookmark);
  }
};
