import { REMEMBERED_SECONDS } from '#events/memory.ts';
import { type Subscription, subscriptions } from '#events/subscriptions.ts';
import { secondsFromNow } from '#platform/clock.ts';
import { absent, either, every, is, isBelow } from './conditions.ts';
import { receiptKey } from './keys.ts';
import { findItem } from './read.ts';
import { putItem, updateItem } from './write.ts';

/** How long a function runs at most unless its subscription says more, and what its end may be late by, in seconds. */
const USUAL_SECONDS = 30;
const SPARE_SECONDS = 5;

/** How long a run may take before another one may begin in its place, in seconds. */
const runSeconds = (subscriber: string): number => {
  const all: readonly Subscription[] = subscriptions;
  return (all.find(({ id }) => id === subscriber)?.timeoutSeconds ?? USUAL_SECONDS) + SPARE_SECONDS;
};

/** Another run deals with this event right now; it will be delivered again in case that one fails. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
}

/**
 * Does something once per event, however often the event is delivered. A run that dies is begun anew when its time is up.
 * @returns whether the work was done now.
 * @throws {AlreadyRunning} and whatever the work throws; both mean that the event shall come again.
 */
export const once = async (subscriber: string, eventId: string, work: () => Promise<void>): Promise<boolean> => {
  const key = receiptKey(subscriber, eventId);
  const nowSeconds = secondsFromNow(0);
  const until = nowSeconds + runSeconds(subscriber);
  const claimed = await putItem(
    { ...key, type: 'receipt', state: 'running', until, ttl: nowSeconds + REMEMBERED_SECONDS },
    either(absent, every(is('state', 'running'), isBelow('until', nowSeconds))),
  );
  if (!claimed) {
    if ((await findItem(key))?.state === 'done') return false;
    throw new AlreadyRunning(`${subscriber} ${eventId}`);
  }
  try {
    await work();
  } catch (error) {
    // A run that was given up must not let go of what its successor holds.
    await updateItem(key, { set: { until: 0 } }, is('until', until));
    throw error;
  }
  // Whoever has done it: it is done.
  await updateItem(key, { set: { state: 'done' } });
  return true;
};
