import { CLOCK_SKEW_MAX_MS, now, TIME_LENGTH, timeAfter } from '#platform/clock.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { changedUsersPartition, feedPartitions } from './keys.ts';
import { firstOfCollection, keyOf } from './read.ts';
import { is, updateItem } from './write.ts';

const CONCURRENCY = 8;

/**
 * Stamps changes in the feeds with the current time that a clock which was ahead has stamped: each refresh of each process would
 * read them again until that time. Nothing else of an item changes, so that readers apply it without effect.
 * @param max the most changes of one call.
 * @returns how many there were.
 */
export const restampChanges = async (max: number): Promise<number> => {
  const after = timeAfter(CLOCK_SKEW_MAX_MS);
  let found = 0;
  for (const partition of [...feedPartitions, changedUsersPartition]) {
    const changes = { partition, index: 'feed', after, only: ['pk', 'sk', 'feed_sk'] } as const;
    const items = await firstOfCollection(changes, max - found);
    found += items.length;
    const restamp = async (item: (typeof items)[number]): Promise<void> => {
      const stamp = String(item.feed_sk);
      // Unless the item was changed since, with a stamp of its own.
      await updateItem(keyOf(item), { set: { feed_sk: `${now()}${stamp.slice(TIME_LENGTH)}` } }, is('feed_sk', stamp));
    };
    await mapConcurrently(items, restamp, { concurrency: CONCURRENCY });
    if (found === max) break;
  }
  return found;
};
