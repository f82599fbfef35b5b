import { eventKinds } from '#contract/events.ts';
import { type Message, readMessage } from '#events/catalogue.ts';
import { eventKey, ofEventKind } from './keys.ts';
import type { Write } from './write.ts';

const DAY_SECONDS = 86_400;
/** How long the ledger shows an event, and how long a task is kept to be looked at, in seconds. */
const EVENT_SECONDS = 90 * DAY_SECONDS;
const TASK_SECONDS = 7 * DAY_SECONDS;

/**
 * The write that puts a message into the outbox; it belongs into the transaction of what it tells about.
 * @throws when it does not fit the catalogue: nobody could be told, so what it tells about must not happen either.
 */
export const inOutbox = (message: Message): Write => {
  readMessage(message);
  const isEvent = message.kind in eventKinds;
  return {
    put: {
      ...eventKey(message.occurred_at, message.id),
      ...(isEvent && ofEventKind(message.kind, message.id)),
      type: isEvent ? 'event' : 'task',
      ttl: Math.floor(Date.parse(message.occurred_at) / 1000) + (isEvent ? EVENT_SECONDS : TASK_SECONDS),
      ...message,
    },
  };
};
