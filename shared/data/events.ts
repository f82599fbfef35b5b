import { eventKinds, type LedgerEvent } from '#contract/events.ts';
import { readMessage } from '#events/catalogue.ts';
import { log } from '#platform/log.ts';
import { eventKey, eventKindPartition, eventsPartition } from './keys.ts';
import { collectionPages, findItems, type Item } from './read.ts';

/** An event of an item; undefined for tasks, which the ledger does not show, and for what cannot be read. */
const eventOf = (item: Item): LedgerEvent | undefined => {
  if (item.type !== 'event') return undefined;
  const { id, kind, occurred_at, actor_id, data } = item;
  try {
    const message = readMessage({ id, kind, occurred_at, actor_id, data });
    return message.kind in eventKinds ? (message as LedgerEvent) : undefined;
  } catch (error) {
    // One item that nobody understands must not take the whole ledger away.
    log.error('an event of the ledger cannot be read and is left out', { event_id: id, error: error as Error });
    return undefined;
  }
};

/** Which part of the ledger is read. */
export interface LedgerRange {
  /** `yyyy-mm`, the newest first: the partitions that are walked. */
  readonly months: readonly string[];
  /** Only events before this one. */
  readonly before?: string | undefined;
  /** How many are wanted: a hint for the size of a read. */
  readonly count: number;
}

/** Walks the events of all kinds, newest first. */
export async function* eventsBackwards(range: LedgerRange): AsyncGenerator<LedgerEvent> {
  for (const [position, month] of range.months.entries()) {
    const pages = collectionPages({
      partition: eventsPartition(month),
      newestFirst: true,
      pageSize: range.count,
      // Earlier months hold nothing that the first one has.
      ...(position === 0 && range.before !== undefined && { before: range.before }),
    });
    for await (const items of pages) yield* items.flatMap((item) => eventOf(item) ?? []);
  }
}

/** Walks the events of one kind, newest first. */
export async function* eventsOfKindBackwards(
  kind: string,
  range: Omit<LedgerRange, 'months'>,
): AsyncGenerator<LedgerEvent> {
  const pages = collectionPages({
    partition: eventKindPartition(kind),
    index: 'collection',
    newestFirst: true,
    pageSize: range.count,
    ...(range.before !== undefined && { before: range.before }),
  });
  for await (const items of pages) yield* items.flatMap((item) => eventOf(item) ?? []);
}

/** In which of some months an event stands. */
export const findEventMonth = async (eventId: string, months: readonly string[]): Promise<string | undefined> => {
  const items = await findItems(months.map((month) => eventKey(month, eventId)));
  return months.find((_, position) => items[position] !== undefined);
};
