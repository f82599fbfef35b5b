import { DAY_SECONDS } from '#model/days.ts';
import { sendableAddress } from '#model/mail-address.ts';
import { now } from '#platform/clock.ts';
import { ConflictError, retryOnConflict } from './conflict.ts';
import { type Key, mailSuppressionKey, mailSuppressionsKey, mailSuppressionsPartition } from './keys.ts';
import { collectionPages, findItem, type Item } from './read.ts';
import { absent, every, is, transact, type Write } from './write.ts';

// Suppressed addresses. They are stored as digests only, so the table does not reveal them. A suppression ends with a
// month, so that their number is the sum of a few counters, one per month in which suppressions end.

/** Why and since when an address is suppressed. */
interface Suppression {
  readonly reason: 'bounce' | 'complaint';
  /** ISO 8601. */
  readonly since: string;
}

/** How long after the end of its month a counter is kept, in seconds. */
const COUNTER_SECONDS = 7 * DAY_SECONDS;

const secondsOf = (time: string | number): number => Math.floor(new Date(time).getTime() / 1000);

/** DynamoDB deletes expired items late. */
const isInForce = (item: Item): boolean => Number(item.ttl) > secondsOf(now());

/** The key of an address as mail is sent to it, the same for both forms of its domain: SES reports the one that it was given. */
const keyOf = (address: string): Key => mailSuppressionKey(sendableAddress(address) ?? address);

const findStored = (address: string): Promise<Item | undefined> => findItem(keyOf(address));

/** The suppression of an address; undefined when it may be written to. */
export const findSuppression = async (address: string): Promise<Suppression | undefined> => {
  const item = await findStored(address);
  return item && isInForce(item)
    ? { reason: item.reason as Suppression['reason'], since: String(item.since) }
    : undefined;
};

/** Bounces expire after a year because mailboxes are reopened or reassigned; complaints are kept for longer. */
const SUPPRESSION_YEARS: Readonly<Record<Suppression['reason'], number>> = { bounce: 1, complaint: 3 };

/** The month in which a suppression is no longer in force, `yyyy-mm`. */
const endMonth = (at: string, reason: Suppression['reason']): string => {
  const date = new Date(at);
  const end = Date.UTC(date.getUTCFullYear() + SUPPRESSION_YEARS[reason], date.getUTCMonth() + 1);
  return new Date(end).toISOString().slice(0, 'yyyy-mm'.length);
};

const addToMonth = (month: string, count: 1 | -1): Write => ({
  update: mailSuppressionsKey(month),
  change: { set: { type: 'mailSuppressionCount', ttl: secondsOf(month) + COUNTER_SECONDS }, add: { count } },
});

/** The write that takes a suppression off the counter of its month. */
const uncounted = ({ counted_in: month }: Item): Write => addToMonth(String(month), -1);

/** The suppression was changed concurrently. */
class SuppressionChanged extends ConflictError {
  override readonly name = 'SuppressionChanged';
}

const orElse = () => new SuppressionChanged('The suppression was changed concurrently.');

const isAsRead = ({ since, ttl, counted_in: month }: Item) =>
  every(is('since', String(since)), is('ttl', Number(ttl)), is('counted_in', String(month)));

/** Suppresses an address. A bounce does not replace a complaint. */
export const suppressAddress = (address: string, reason: Suppression['reason']): Promise<void> =>
  retryOnConflict(async () => {
    const previous = await findStored(address);
    if (reason === 'bounce' && previous?.reason === 'complaint' && isInForce(previous)) return;
    const since = now();
    const month = endMonth(since, reason);
    const counters =
      previous?.counted_in === month ? [] : [...(previous ? [uncounted(previous)] : []), addToMonth(month, 1)];
    await transact([
      {
        put: {
          ...keyOf(address),
          type: 'mailSuppression',
          reason,
          since,
          counted_in: month,
          ttl: secondsOf(month),
        },
        when: previous ? isAsRead(previous) : absent,
        orElse,
      },
      ...counters,
    ]);
  });

/**
 * The writes that delete the suppression of an address, for the transaction of an erasure. They fail with a
 * {ConflictError} when it is changed concurrently.
 */
export const suppressionDeletion = async (address: string): Promise<Write[]> => {
  const previous = await findStored(address);
  const deletion = { delete: keyOf(address), when: previous ? isAsRead(previous) : absent, orElse };
  return [deletion, ...(previous ? [uncounted(previous)] : [])];
};

/** Deletes the suppression of an address. @returns whether it was suppressed. */
export const unsuppressAddress = (address: string): Promise<boolean> =>
  retryOnConflict(async () => {
    if (!(await findStored(address))) return false;
    await transact(await suppressionDeletion(address));
    return true;
  });

export const countSuppressions = async (): Promise<number> => {
  const range = { partition: mailSuppressionsPartition, after: now().slice(0, 'yyyy-mm'.length) };
  let total = 0;
  for await (const months of collectionPages(range)) for (const { count } of months) total += Number(count);
  return total;
};
