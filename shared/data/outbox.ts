import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { eventKinds } from '#contract/events.ts';
import { type Message, parseMessage } from '#events/catalogue.ts';
import { eventKey, eventPrefix, inEventKind, inProjectEvents } from './keys.ts';
import { MENTIONED } from './mentions.ts';
import type { Write } from './write.ts';

const DAY_SECONDS = 86_400;
/** How long events stay in the ledger, and how long tasks are kept for inspection, in seconds. */
export const EVENT_SECONDS = 90 * DAY_SECONDS;
const TASK_SECONDS = 7 * DAY_SECONDS;

/** The place of an event among those about its project, if it is about one. */
export const projectPlaceOf = ({ id, data }: { readonly id: string; readonly data: unknown }) => {
  const { project_id: projectId } = data as { readonly project_id?: string | null };
  return typeof projectId === 'string' ? inProjectEvents(projectId, id) : {};
};

/**
 * The write that adds a message to the outbox, for the transaction of the change that it reports.
 * @throws ZodError when the message does not match its schema, so that no change is committed with a message that cannot
 *   be published.
 */
export const inOutbox = (message: Message): Write => {
  parseMessage(message);
  const isEvent = message.kind in eventKinds;
  return {
    put: {
      ...eventKey(message.occurred_at, message.id),
      ...(isEvent && { ...inEventKind(message.kind, message.id), ...projectPlaceOf(message) }),
      type: isEvent ? 'event' : 'task',
      ttl: Math.floor(Date.parse(message.occurred_at) / 1000) + (isEvent ? EVENT_SECONDS : TASK_SECONDS),
      ...MENTIONED,
      ...message,
    },
  };
};

/** The message in a record of the table's stream. @throws ZodError when the item is not a message. */
export const messageOf = (record: DynamoDBRecord): Message => {
  const image = record.dynamodb?.NewImage ?? {};
  const { id, kind, occurred_at, actor_id, data } = unmarshall(image as Record<string, AttributeValue>);
  return parseMessage({ id, kind, occurred_at, actor_id, data });
};

/** The Lambda event filter of the publisher: new items of the outbox only, so that other writes do not invoke it. */
export const outboxFilter = {
  eventName: ['INSERT'],
  dynamodb: { Keys: { pk: { S: [{ prefix: eventPrefix }] } } },
} as const;
