import { countEarlierPayments } from './checkouts.ts';
import { changedUsersPartition, currentPromotionKey, inWaitingPromotions, usersPartition } from './keys.ts';
import { countEarlierSuppression } from './mail-suppression.ts';
import { currentPromotions } from './promotions.ts';
import { collectionPages } from './read.ts';
import { is, updateItem } from './write.ts';

interface Indexed {
  readonly payments: number;
  readonly suppressions: number;
  readonly promotions: number;
}

/** Concurrent transactions, as many as the connection pool serves without queueing. */
const CONCURRENCY = 8;

/** Calls `add` for each item. @returns how many calls returned true. */
const countAdded = async <T>(all: readonly T[], add: (one: T) => Promise<boolean>): Promise<number> => {
  let added = 0;
  for (let start = 0; start < all.length; start += CONCURRENCY) {
    const results = await Promise.all(all.slice(start, start + CONCURRENCY).map(add));
    added += results.filter(Boolean).length;
  }
  return added;
};

/**
 * Adds the payments, suppressed addresses and waiting promotions of an earlier version to the numbers for administrators.
 * Safe to interrupt, to repeat and to run beside writers.
 * @returns how many of them it added.
 */
export const indexTotals = async (): Promise<Indexed> => {
  const waiting = (await currentPromotions()).filter(({ status }) => status === 'pending');
  const promotions = await countAdded(waiting, async ({ id }) => {
    const change = { set: inWaitingPromotions(id) };
    return (await updateItem(currentPromotionKey(id), change, is('status', 'pending'))) !== undefined;
  });
  let suppressions = 0;
  for await (const users of collectionPages({ partition: usersPartition, index: 'collection' })) {
    const addresses = users.flatMap(({ email }) => (typeof email === 'string' ? [email] : []));
    suppressions += await countAdded([...new Set(addresses)], countEarlierSuppression);
  }
  let payments = 0;
  // Erased users are in no other collection, and their payments stay.
  for await (const users of collectionPages({
    partition: changedUsersPartition,
    index: 'feed',
    only: ['id', 'feed_sk'],
  })) {
    for (const { id } of users) payments += await countEarlierPayments(String(id));
  }
  return { payments, suppressions, promotions };
};
