import type { DeadLetter } from '#contract/letters.ts';
import { deadLettersAfter, deleteDeadLetter, findDeadLetter } from '#data/dead-letters.ts';
import { REPLAY_SOURCE } from '#events/catalogue.ts';
import { mailFeedback, type Subscription, subscriptions } from '#events/subscriptions.ts';
import { boundedPage } from '#model/paging.ts';
import { putOnBus } from '#platform/bus.ts';
import { settings } from '#platform/settings.ts';
import { Unavailable } from '#platform/unavailable.ts';
import { conflict, notFound } from '#shared/errors.ts';

/** A page of the letters, the latest failure first, after the one with the id `after`. */
export const listDeadLetters = ({ after, limit }: { after?: string | undefined; limit: number }) =>
  boundedPage(deadLettersAfter(after, limit + 1), limit);

/** @throws 409 when events for the subscriber would not be processed. */
const requireSubscriber = (subscriber: string): void => {
  const known: readonly Pick<Subscription, 'id' | 'feature'>[] = [...subscriptions, mailFeedback];
  const found = known.find(({ id }) => id === subscriber);
  if (!found) throw conflict('INVALID_TRANSITION', 'The subscriber no longer exists.');
  if (found.feature !== undefined && !settings().features[found.feature]) {
    throw conflict('INVALID_TRANSITION', `The feature ${found.feature} is off.`);
  }
};

/**
 * Sends the event of a letter to its subscriber, and deletes the letter once the bus has accepted the event: if the process
 * dies in between, the letter can be replayed again, and the subscriber recognizes the event.
 * @throws 404; 409 when the subscriber would not process it; 503 when the bus does not accept it.
 */
export const replayDeadLetter = async (id: string): Promise<Pick<DeadLetter, 'id' | 'subscriber'>> => {
  const letter = await findDeadLetter(id);
  if (!letter) throw notFound();
  const { subscriber, event } = letter;
  requireSubscriber(subscriber);
  const entry = { id, source: REPLAY_SOURCE, kind: subscriber, detail: event, time: new Date() };
  if ((await putOnBus([entry])).length > 0) throw new Unavailable('The bus rejected a replayed event.');
  // False when a concurrent request has replayed or deleted it.
  await deleteDeadLetter(id);
  return { id, subscriber };
};

/** @throws 404. */
export const removeDeadLetter = async (id: string): Promise<string> => {
  if (!(await deleteDeadLetter(id))) throw notFound();
  return id;
};
