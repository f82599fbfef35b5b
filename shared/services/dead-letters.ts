import * as z from 'zod';
import type { DeadLetter } from '#contract/dead-letters.ts';
import {
  deadLetterIdsBefore,
  deadLettersAfter,
  deleteDeadLetter,
  findDeadLetter,
  insertDeadLetter,
} from '#data/dead-letters.ts';
import { withoutErasedUsers } from '#data/erased-users.ts';
import { filteredPage } from '#data/paging.ts';
import { REPLAY_SOURCE } from '#events/catalogue.ts';
import { mailFeedback, type Subscription, subscriptions } from '#events/subscriptions.ts';
import { DAY_MS } from '#model/days.ts';
import { timeAfter } from '#platform/clock.ts';
import { type DeadLetterQueue, environment } from '#platform/environment.ts';
import { putOnBus } from '#platform/eventbridge.ts';
import { derivedId } from '#platform/ids.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { type DeadMessage, deleteDeadMessage, receiveDeadMessages } from '#platform/sqs.ts';
import { startRequestTime } from '#platform/time-limit.ts';
import { Unavailable } from '#platform/unavailable.ts';
import { conflict, mustExist, notFound } from '#shared/errors.ts';

/** How long letters are kept; queues keep their messages as long. */
const KEPT_MS = 14 * DAY_MS;
/** Letters that one run deletes for their age, at most. */
const EXPIRED_MAX = 1000;
/** How long after the budget the last write of a message may end, in milliseconds. */
const LAST_WRITE_MS = 1000;

const DeliveredEvent = z.object({ 'detail-type': z.string(), detail: z.record(z.string(), z.unknown()) });

const parsedBody = (body: string): z.infer<typeof DeliveredEvent> | undefined => {
  try {
    return DeliveredEvent.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
};

/** The dead letter of a message, with the same id at each reception. */
const letterOf = (subscriber: string, { id, body, sentMs, error }: DeadMessage): DeadLetter | undefined => {
  const event = parsedBody(body);
  if (!event) return undefined;
  const { id: eventId, kind = event['detail-type'] } = event.detail;
  return {
    id: derivedId('ltr', sentMs, `${subscriber} ${id}`),
    subscriber,
    kind: String(kind),
    event_id: typeof eventId === 'string' ? eventId : null,
    failed_at: new Date(sentMs).toISOString(),
    error,
    event: event.detail,
  };
};

/** Moves a message into the table. Deleted from the queue afterwards: it is received again if the process dies in between. */
const moveMessage = async ({ subscriber, url }: DeadLetterQueue, message: DeadMessage): Promise<number> => {
  const letter = letterOf(subscriber, message);
  if (!letter) {
    // Stays in the queue, whose alarm reports it.
    log.error('a message of a dead-letter queue is not an event', { subscriber, message_id: message.id });
    return 0;
  }
  const isNew = await insertDeadLetter({ ...letter, event: await withoutErasedUsers(letter.event) });
  if (isNew) count('DeadLetterStored');
  await deleteDeadMessage(url, message);
  return Number(isNew);
};

/** Moves the messages of a queue until it is empty or the time is over. @returns the number of new letters. */
const moveMessages = async (queue: DeadLetterQueue, untilMs: number) => {
  let stored = 0;
  while (performance.now() < untilMs) {
    const messages = await receiveDeadMessages(queue.url);
    if (messages.length === 0) return { stored, unfinished: false };
    for (const message of messages) {
      // The others become visible in the queue again.
      if (performance.now() >= untilMs) return { stored, unfinished: true };
      stored += await moveMessage(queue, message);
    }
  }
  return { stored, unfinished: true };
};

const deleteExpired = async (untilMs: number): Promise<number> => {
  // Ids sort by the time of failure.
  const ids = await deadLetterIdsBefore(derivedId('ltr', Date.parse(timeAfter(-KEPT_MS)), ''), EXPIRED_MAX);
  let expired = 0;
  for (const id of ids) {
    if (performance.now() >= untilMs) break;
    if (await deleteDeadLetter(id)) expired += 1;
  }
  return expired;
};

/**
 * Moves the messages of all dead-letter queues into the table, and deletes old dead letters. Safe to repeat and to interrupt: a
 * message is stored once and deleted from its queue afterwards.
 * @throws the error of a queue that could not be read, after the other queues.
 */
export const collectDeadLetters = async (budgetMs: number) => {
  const untilMs = performance.now() + budgetMs;
  const { deadLetterQueues } = environment();
  // The attempts of a write to a throttled table would otherwise take as long as the request, which would end with 504.
  const time = startRequestTime(budgetMs + LAST_WRITE_MS);
  const results = await Promise.allSettled(
    deadLetterQueues.map(async (queue) => await time.run(() => moveMessages(queue, untilMs))),
  );
  time.end();
  const expired = await deleteExpired(untilMs);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  const moved = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  return {
    processed: moved.reduce((sum, { stored }) => sum + stored, 0),
    unfinished: moved.some(({ unfinished }) => unfinished),
    expired,
  };
};

/** A page of the dead letter, the latest failure first, after the one with the id `after`. */
export const listDeadLetters = ({ after, limit }: { after?: string | undefined; limit: number }) =>
  filteredPage(deadLettersAfter(after, limit + 1), limit);

/** @throws 409 when events for the subscriber would not be processed. */
const requireSubscriber = (subscriber: string): void => {
  const known: readonly Pick<Subscription, 'id' | 'feature'>[] = [...subscriptions, mailFeedback];
  const found = known.find(({ id }) => id === subscriber);
  if (!found) throw conflict('INVALID_TRANSITION', 'The subscriber no longer exists.');
  if (found.feature !== undefined && !environment().features[found.feature]) {
    throw conflict('INVALID_TRANSITION', `The feature ${found.feature} is off.`);
  }
};

/**
 * Sends the event of a dead letter to its subscriber, and deletes the dead letter once the bus has accepted the event: if the process
 * dies in between, the dead letter can be replayed again, and the subscriber recognizes the event.
 * @throws 404; 409 when the subscriber would not process it; 503 when the bus does not accept it.
 */
export const replayDeadLetter = async (id: string): Promise<Pick<DeadLetter, 'id' | 'subscriber'>> => {
  const letter = mustExist(await findDeadLetter(id));
  const { subscriber, event } = letter;
  requireSubscriber(subscriber);
  const detail = await withoutErasedUsers(event);
  const entry = { id, source: REPLAY_SOURCE, kind: subscriber, detail, time: new Date() };
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
