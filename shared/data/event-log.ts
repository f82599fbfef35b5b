import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { eventKinds, type LoggedEvent } from '#contract/events.ts';
import { type Message, parseMessage } from '#events/catalogue.ts';
import { DAY_SECONDS } from '#model/days.ts';
import { now, secondsFromNow } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import {
  eventKey,
  eventKindPartitions,
  eventOutcomeKey,
  eventOutcomesPartition,
  eventPrefix,
  eventsPartitions,
  inEventKind,
  inProjectEvents,
  type Key,
  projectEventsPartition,
} from './keys.ts';
import { findItems, type Item, itemsOfPartitions, orNull, wholeCollection } from './read.ts';
import { lacks, putItem, updateItem, type Write } from './write.ts';

/** How long events stay in the log, and how long tasks are kept for inspection, in seconds. */
const EVENT_SECONDS = 90 * DAY_SECONDS;
const TASK_SECONDS = 7 * DAY_SECONDS;

/** The place of an event among those about its project, if it is about one. */
const projectPlaceOf = ({ id, data }: { readonly id: string; readonly data: unknown }) => {
  const { project_id: projectId } = data as { readonly project_id?: string | null };
  return typeof projectId === 'string' ? inProjectEvents(projectId, id) : {};
};

/** @throws ZodError when the message does not match its schema. */
const outboxItem = (message: Message): Item & Key => {
  parseMessage(message);
  const isEvent = message.kind in eventKinds;
  return {
    ...eventKey(message.occurred_at, message.id),
    ...(isEvent && { ...inEventKind(message.kind, message.id), ...projectPlaceOf(message) }),
    type: isEvent ? 'event' : 'task',
    ttl: Math.floor(Date.parse(message.occurred_at) / 1000) + (isEvent ? EVENT_SECONDS : TASK_SECONDS),
    ...message,
  };
};

/**
 * The write that adds a message to the outbox, for the transaction of the change that it reports.
 * @throws ZodError when the message does not match its schema, so that no change is committed with a message that cannot
 *   be published.
 */
export const inOutbox = (message: Message): Write => ({ put: outboxItem(message) });

/** Writes a message that belongs to no change of a record, and so to no transaction. */
export const enqueue = async (message: Message): Promise<void> => {
  await putItem(outboxItem(message));
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

/** The event in an item; undefined for tasks, which are not part of the log, and for invalid items. */
const eventOf = (item: Item): LoggedEvent | undefined => {
  if (item.type !== 'event') return undefined;
  const { id, kind, occurred_at, actor_id, data } = item;
  try {
    const message = parseMessage({ id, kind, occurred_at, actor_id, data });
    return message.kind in eventKinds ? (message as LoggedEvent) : undefined;
  } catch (error) {
    // Skipped, so that one invalid item cannot break the log.
    log.error('skipped an invalid event of the log', { event_id: id, error });
    return undefined;
  }
};

interface EventRange {
  /** Only events before the one with this id. */
  readonly before?: string | undefined;
  /** How many events the caller needs. */
  readonly count: number;
}

/** The events of some partitions, newest first. */
async function* eventsOf(
  partitions: readonly string[],
  { before, count }: EventRange,
  index?: 'collection' | 'feed',
): AsyncGenerator<LoggedEvent> {
  const items = itemsOfPartitions(
    partitions,
    { newestFirst: true, ...(index && { index }), ...(before !== undefined && { before }) },
    count,
  );
  for await (const item of items) {
    const event = eventOf(item);
    if (event) yield event;
  }
}

/** Queries the events of all kinds, newest first. @param months `yyyy-mm`, newest first. */
export async function* queryEvents(months: readonly string[], { before, count }: EventRange) {
  for (const [index, month] of months.entries()) {
    // All events of the following months are older.
    yield* eventsOf(eventsPartitions(month), { count, before: index === 0 ? before : undefined });
  }
}

/** Queries the events of one kind, newest first. */
export const queryEventsOfKind = (kind: string, range: EventRange): AsyncGenerator<LoggedEvent> =>
  eventsOf(eventKindPartitions(kind), range, 'collection');

/** Queries the events about a project, newest first. */
export const queryEventsOfProject = (projectId: string, range: EventRange): AsyncGenerator<LoggedEvent> =>
  eventsOf([projectEventsPartition(projectId)], range, 'feed');

/** The time in an event's id and `occurred_at`, which decides its partition, may differ by this much. */
export const EVENT_SLACK_MS = 60_000;

/** An event by its id. @param months that may contain it. */
export const findEvent = async (eventId: string, months: readonly string[]): Promise<LoggedEvent | undefined> => {
  const items = await findItems(months.map((month) => eventKey(month, eventId)));
  const item = items.find((found) => found !== undefined);
  return item && eventOf(item);
};

/** Which of some months, `yyyy-mm`, contains an event. */
export const findEventMonth = async (eventId: string, months: readonly string[]): Promise<string | undefined> => {
  const items = await findItems(months.map((month) => eventKey(month, eventId)));
  return months.find((_, index) => items[index] !== undefined);
};

/** The result of the latest run of a subscriber for an event. */
interface EventOutcome {
  readonly subscriber: string;
  /** The name of the error; null after a success. */
  readonly error: string | null;
  readonly runs: number;
  /** The end of the latest run, ISO 8601. */
  readonly at: string;
}

/** Records the end of a run. A failure does not replace a success, which a repeated delivery may follow. */
export const recordOutcome = async (eventId: string, subscriber: string, error: string | null): Promise<void> => {
  const result = { type: 'eventOutcome', at: now(), error, ttl: secondsFromNow(EVENT_SECONDS) };
  const change =
    error === null ? { set: { ...result, is_done: true }, add: { runs: 1 } } : { set: result, add: { runs: 1 } };
  await updateItem(eventOutcomeKey(eventId, subscriber), change, error === null ? undefined : lacks('is_done'));
};

export const outcomesOf = async (eventId: string): Promise<ReadonlyMap<string, EventOutcome>> => {
  const items = await wholeCollection({ partition: eventOutcomesPartition(eventId) });
  return new Map(
    items.map(({ sk, error, runs, at }) => [
      String(sk),
      { subscriber: String(sk), error: orNull<string>(error), runs: Number(runs), at: String(at) },
    ]),
  );
};
