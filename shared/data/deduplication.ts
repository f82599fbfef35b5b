import { DEDUPLICATION_SECONDS, type Subscription, subscriptions } from '#events/subscriptions.ts';
import { secondsFromNow } from '#platform/clock.ts';
import { deduplicationKey } from './keys.ts';
import { findItem } from './read.ts';
import { absent, either, every, is, isNotUnderWay, putItem, updateItem, type Write } from './write.ts';

/** The timeout of a function whose subscription sets none, and a margin for its late end, in seconds. */
const DEFAULT_TIMEOUT_SECONDS = 30;
const MARGIN_SECONDS = 5;

/** After how many seconds a run counts as dead. */
const claimSeconds = (subscriber: string): number => {
  const all: readonly Subscription[] = subscriptions;
  return (all.find(({ id }) => id === subscriber)?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) + MARGIN_SECONDS;
};

/** Another run is processing the event. The bus delivers it again in case that run fails. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
}

/** The write that marks an event as processed, for the transaction of its effect. It fails when the event was processed. */
export const deduplicationRecord = (subscriber: string, eventId: string, seconds = DEDUPLICATION_SECONDS) =>
  ({
    put: {
      ...deduplicationKey(subscriber, eventId),
      type: 'deduplication',
      state: 'done',
      ttl: secondsFromNow(seconds),
    },
    when: absent,
  }) satisfies Write;

/**
 * Processes an event once per subscriber, however often it is delivered. A deduplication record claims the event while
 * the work runs; the claim of a run that died expires with the timeout of its function.
 * @returns whether the work was done by this call.
 * @throws {AlreadyRunning} while another run holds the claim, and every error of the work. In both cases the event must
 *   be delivered again.
 */
export const processOnce = async (subscriber: string, eventId: string, work: () => Promise<void>): Promise<boolean> => {
  const key = deduplicationKey(subscriber, eventId);
  const nowSeconds = secondsFromNow(0);
  const until = nowSeconds + claimSeconds(subscriber);
  const isClaimed = await putItem(
    { ...key, type: 'deduplication', state: 'running', until, ttl: nowSeconds + DEDUPLICATION_SECONDS },
    either(absent, every(is('state', 'running'), isNotUnderWay('until', nowSeconds))),
  );
  if (!isClaimed) {
    if ((await findItem(key))?.state === 'done') return false;
    throw new AlreadyRunning(`${subscriber} ${eventId}`);
  }
  try {
    await work();
  } catch (error) {
    // Releases only its own claim: after a timeout another run may hold a new one.
    await updateItem(key, { set: { until: 0 } }, is('until', until));
    throw error;
  }
  // Unconditional: the work is done even if the claim has expired meanwhile.
  await updateItem(key, { set: { state: 'done' } });
  return true;
};
