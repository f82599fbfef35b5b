import type { Bookmarks } from '#domain/cron/walk.ts';
import { secondsFromNow } from '#platform/clock.ts';
import { bookmarkKey } from './keys.ts';
import { findItem } from './read.ts';
import { putItem, removeItem } from './write.ts';

/** A place that nobody has come back to for so long means nothing any more, in seconds. */
const KEPT_SECONDS = 30 * 86_400;

/** Where jobs stopped. */
export const bookmarks: Bookmarks = {
  findBookmark: async (job) => (await findItem(bookmarkKey(job)))?.after as string | undefined,
  keepBookmark: async (job, after) => {
    const key = bookmarkKey(job);
    if (after === null) await removeItem(key);
    else await putItem({ ...key, type: 'bookmark', after, ttl: secondsFromNow(KEPT_SECONDS) });
  },
};
