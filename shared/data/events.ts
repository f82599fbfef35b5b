import { eventKinds, type LedgerEvent } from '#contract/events.ts';
import { parseMessage } from '#events/catalogue.ts';
import { monthsBack } from '#model/days.ts';
import { now } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { earlierEventKey, eventKey, eventKindPartitions, eventsPartitions, projectEventsPartition } from './keys.ts';
import { EVENT_SECONDS } from './outbox.ts';
import { findItems, type Item, itemsOfPartitions } from './read.ts';

/** The event in an item; undefined for tasks, which are not part of the ledger, and for invalid items. */
const eventOf = (item: Item): LedgerEvent | undefined => {
  if (item.type !== 'event') return undefined;
  const { id, kind, occurred_at, actor_id, data } = item;
  try {
    const message = parseMessage({ id, kind, occurred_at, actor_id, data });
    return message.kind in eventKinds ? (message as LedgerEvent) : undefined;
  } catch (error) {
    // Skipped, so that one invalid item cannot break the ledger.
    log.error('skipped an invalid event of the ledger', { event_id: id, error });
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
): AsyncGenerator<LedgerEvent> {
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
export const queryEventsOfKind = (kind: string, range: EventRange): AsyncGenerator<LedgerEvent> =>
  eventsOf(eventKindPartitions(kind), range, 'collection');

/** Queries the events about a project, newest first. */
export const queryEventsOfProject = (projectId: string, range: EventRange): AsyncGenerator<LedgerEvent> =>
  eventsOf([projectEventsPartition(projectId)], range, 'feed');

/** The time in an event's id and `occurred_at`, which decides its partition, may differ by this much. */
export const EVENT_SLACK_MS = 60_000;

/** DynamoDB deletes expired items within days. */
const EXPIRY_DELAY_MS = 7 * 86_400_000;

/** The months of all stored events, newest first. */
export const storedEventMonths = (): string[] => {
  const at = Date.parse(now());
  return monthsBack(at + EVENT_SLACK_MS, at - EVENT_SECONDS * 1000 - EXPIRY_DELAY_MS);
};

/** An event by its id. @param months that may contain it. */
export const findEvent = async (eventId: string, months: readonly string[]): Promise<LedgerEvent | undefined> => {
  const keys = months.flatMap((month) => [eventKey(month, eventId), earlierEventKey(month, eventId)]);
  const item = (await findItems(keys)).find((found) => found !== undefined);
  return item && eventOf(item);
};

/** Which of some months, `yyyy-mm`, contains an event. */
export const findEventMonth = async (eventId: string, months: readonly string[]): Promise<string | undefined> => {
  const [items, earlier] = await Promise.all([
    findItems(months.map((month) => eventKey(month, eventId))),
    findItems(months.map((month) => earlierEventKey(month, eventId))),
  ]);
  return months.find((_, index) => items[index] !== undefined || earlier[index] !== undefined);
};
