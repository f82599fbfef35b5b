import type { Bookmarks } from '#domain/cron/walk.ts';
import { bookmarkKey } from './keys.ts';
import { findItem } from './read.ts';
import { putItem, removeItem } from './write.ts';

/** Where jobs stopped. */
export const bookmarks: Bookmarks = {
  findBookmark: async (job) => (await findItem(bookmarkKey(job)))?.after as string | undefined,
  keepBookmark: async (job, after) => {
    const key = bookmarkKey(job);
    if (after === null) await removeItem(key);
    else await putItem({ ...key, type: 'bookmark', after });
  },
};
