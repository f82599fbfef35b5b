import { now, secondsFromNow } from '#platform/clock.ts';
import { mailSuppressionKey } from './keys.ts';
import { findItem } from './read.ts';
import { absent, deleteItem, either, is, putItem } from './write.ts';

// Suppressed addresses. They are stored as digests only, so the table does not reveal them.

/** Why and since when an address is suppressed. */
interface Suppression {
  readonly reason: 'bounce' | 'complaint';
  /** ISO 8601. */
  readonly since: string;
}

/** The suppression of an address; undefined when it may be written to. */
export const findSuppression = async (address: string): Promise<Suppression | undefined> => {
  const item = await findItem(mailSuppressionKey(address));
  return item && { reason: item.reason as Suppression['reason'], since: String(item.since) };
};

const DAY_SECONDS = 86_400;

/** Bounces expire after a year because mailboxes are reopened or reassigned; complaints are kept for longer. */
const SUPPRESSION_SECONDS: Readonly<Record<Suppression['reason'], number>> = {
  bounce: 365 * DAY_SECONDS,
  complaint: 3 * 365 * DAY_SECONDS,
};

/** Suppresses an address. A bounce does not replace a complaint. */
export const suppressAddress = async (address: string, reason: Suppression['reason']): Promise<void> => {
  await putItem(
    {
      ...mailSuppressionKey(address),
      type: 'mailStop',
      reason,
      since: now(),
      ttl: secondsFromNow(SUPPRESSION_SECONDS[reason]),
    },
    reason === 'complaint' ? undefined : either(absent, is('reason', 'bounce')),
  );
};

/** Deletes the suppression of an address. @returns whether it was suppressed. */
export const unsuppressAddress = async (address: string): Promise<boolean> =>
  await deleteItem(mailSuppressionKey(address), is('type', 'mailStop'));
