import { decodeTime } from 'ulid';
import type { BatchCounts, BatchState } from '#contract/batches.ts';
import { newMessage } from '#events/catalogue.ts';
import { type BatchEntry, type BatchRecord, noOutcomes, rowPosition, type Undo } from '#model/batch.ts';
import { DAY_SECONDS } from '#model/days.ts';
import { enqueue, inOutbox } from './event-log.ts';
import {
  batchEntryKey,
  batchEntryPrefix,
  batchesPartition,
  batchKey,
  batchPartition,
  inBatches,
  type Key,
} from './keys.ts';
import { collectionPages, findItemsBy, findRecord, type Item, newestPageOf, recordOf } from './read.ts';
import { absent, every, exists, is, putItem, putItems, updateItem, type Write } from './write.ts';

/** How long batches and their entries are kept, in seconds. */
const KEPT_SECONDS = 90 * DAY_SECONDS;

const expiryOf = (batchId: string): number =>
  Math.floor(decodeTime(batchId.slice('bat_'.length)) / 1000) + KEPT_SECONDS;

const batchItem = (batch: BatchRecord): Item & Key => ({
  ...batchKey(batch.id),
  ...inBatches(batch.id),
  type: 'batch',
  ttl: expiryOf(batch.id),
  ...batch,
});

/** The write that begins a batch, for the transaction of its first change. */
export const batchInsertion = (batch: BatchRecord): Write => ({ put: batchItem(batch), when: absent });

/**
 * Inserts a batch. No transaction, because only changes of records belong into the audit log.
 * @returns false when there is one with the id.
 */
export const insertBatch = (batch: BatchRecord): Promise<boolean> => putItem(batchItem(batch), absent);

export const findBatch = (id: string) => findRecord<BatchRecord>(batchKey(id));

/** A page of batches, newest first, with the exact total. */
export const pageOfBatches = async (
  skip: number,
  count: number,
): Promise<{ batches: BatchRecord[]; total: number }> => {
  const { items, total } = await newestPageOf(batchesPartition, skip, count);
  return { batches: items.map(recordOf<BatchRecord>), total };
};

const isRunning = every(exists, is('state', 'running'));

/** Lets a batch continue whose process died. @returns false when it has ended or is reverted. */
export const continueBatch = async ({ id, running_until }: BatchRecord, until: string): Promise<boolean> => {
  const isAsRead = every(isRunning, is('reverted_by', null), is('running_until', running_until));
  return (await updateItem(batchKey(id), { set: { running_until: until } }, isAsRead)) !== undefined;
};

/** Stores what a running batch has done so far, for its readers: its entries may be too many to be counted for each of them. */
export const noteProgress = async (id: string, counts: BatchCounts): Promise<void> => {
  await updateItem(batchKey(id), { set: { counts } }, isRunning);
};

const endedMessage = (id: string) => newMessage('batchEnded', null, { batch_id: id });

/** The writes that end a batch that is running. They fail with `ConditionFailed` when the batch has ended. */
export const batchEnding = (id: string, state: BatchState, counts: BatchCounts): readonly Write[] => [
  { update: batchKey(id), change: { set: { state, counts } }, when: isRunning },
  inOutbox(endedMessage(id)),
];

/** Ends a batch, of which all entries are stored. Does nothing when it has ended. */
export const endBatch = async (id: string, state: BatchState, counts: BatchCounts): Promise<void> => {
  // Before the end, because the process may die in between: a message too many is harmless.
  await enqueue(endedMessage(id));
  await updateItem(batchKey(id), { set: { state, counts } }, isRunning);
};

/** The write that begins the revert of a batch. It fails with `ConditionFailed` when the batch was changed since it was read. */
export const revertMark = ({ id, state, running_until }: BatchRecord, revertId: string): Write => ({
  update: batchKey(id),
  change: { set: { reverted_by: revertId } },
  when: every(exists, is('state', state), is('running_until', running_until), is('reverted_by', null)),
});

export const revertCompletion = (id: string, revertId: string): Write => ({
  update: batchKey(id),
  change: { set: { state: 'reverted' } },
  when: is('reverted_by', revertId),
});

// Entries are stored as text: as maps they would be a large part of the work of an import.

const entryItem = (batchId: string, { undo, ...entry }: BatchEntry): Item & Key => ({
  ...batchEntryKey(batchId, entry.position),
  type: 'batchEntry',
  ttl: expiryOf(batchId),
  entry: JSON.stringify(entry),
  ...(undo && { undo: JSON.stringify(undo) }),
});

const entryOf = ({ entry: text, undo }: Item): BatchEntry => {
  const entry = JSON.parse(String(text)) as BatchEntry;
  return typeof undo === 'string' ? { ...entry, undo: JSON.parse(undo) as Undo } : entry;
};

/** The entries of an item, which may hold several. */
const entriesIn = (item: Item): BatchEntry[] =>
  typeof item.entries === 'string' ? (JSON.parse(item.entries) as BatchEntry[]) : [entryOf(item)];

/** The write of an entry, for the transaction of the change that it records. */
export const entryWrite = (batchId: string, entry: BatchEntry): Write => ({ put: entryItem(batchId, entry) });

/** Like `entryWrite`, for work that may be repeated: fails with `ConditionFailed` when the entry exists. */
export const newEntryWrite = (batchId: string, entry: BatchEntry): Write => ({
  put: entryItem(batchId, entry),
  when: absent,
});

/** Leaves the undo of a project to a later entry. */
export const undoRemoval = (batchId: string, position: string): Write => ({
  update: batchEntryKey(batchId, position),
  change: { remove: ['undo'] },
  when: exists,
});

/** Bounds of an item that holds several entries, in entries and characters. */
const PACK_ENTRIES_MAX = 200;
const PACK_CHARACTERS_MAX = 60_000;
/** How many rows the entries of one call of `putEntries` may span. */
const PACKED_ROWS_MAX = 1000;

/** Groups entries, in their order, into items of a bounded size; an entry above the bound has its own. */
const packsOf = (entries: readonly BatchEntry[]): BatchEntry[][] => {
  const packs: BatchEntry[][] = [];
  let characters = 0;
  for (const entry of entries) {
    const size = JSON.stringify(entry).length;
    const pack = packs.at(-1);
    if (pack && pack.length < PACK_ENTRIES_MAX && characters + size <= PACK_CHARACTERS_MAX) {
      pack.push(entry);
      characters += size;
    } else {
      packs.push([entry]);
      characters = size;
    }
  }
  return packs;
};

/** Writes entries about which nothing else is written, several per item: most are small. */
export const putEntries = async (batchId: string, entries: readonly BatchEntry[]): Promise<void> => {
  const sorted = entries.toSorted((one, other) => (one.position < other.position ? -1 : 1));
  const items = packsOf(sorted).map((pack) => ({
    ...batchEntryKey(batchId, pack[0]?.position ?? ''),
    type: 'batchEntries',
    ttl: expiryOf(batchId),
    entries: JSON.stringify(pack),
  }));
  await putItems(items);
};

/** Which of some entries exist, by position. */
export const existingEntries = async (batchId: string, positions: readonly string[]): Promise<ReadonlySet<string>> => {
  const items = await findItemsBy(positions, (position) => batchEntryKey(batchId, position));
  return new Set(items.keys());
};

/** The stored entries of rows, by their positions; also those that an item holds together with others. */
export const findEntries = async (batchId: string, positions: readonly string[]): Promise<BatchEntry[]> => {
  const items = await findItemsBy(positions, (position) => batchEntryKey(batchId, position));
  const wanted = new Set(positions);
  return [...items.values()].flatMap(entriesIn).filter(({ position }) => wanted.has(position));
};

interface EntryRange {
  /** The position to continue after. */
  readonly after?: string | undefined;
  /** How many items are read at once. */
  readonly pageSize?: number;
}

const ROW = /^\d{9}$/;

/** An item with entries after a position may have an earlier key, by as many rows as its entries span. */
const startBefore = (position: string): string =>
  ROW.test(position) ? rowPosition(Math.max(0, Number(position) - PACKED_ROWS_MAX)) : position;

const rangeOf = (batchId: string, { after, pageSize }: EntryRange) => ({
  partition: batchPartition(batchId),
  // A range that continues has no prefix: the record of the batch sorts before its entries.
  ...(after === undefined ? { prefix: batchEntryPrefix } : { after: batchEntryKey(batchId, startBefore(after)).sk }),
  ...(pageSize !== undefined && { pageSize }),
});

/** The entries of a batch by position. */
export async function* entriesOf(batchId: string, range: EntryRange = {}): AsyncGenerator<BatchEntry> {
  const { after = '' } = range;
  // Entries of an item with several that come after the next item.
  let waiting: BatchEntry[] = [];
  for await (const items of collectionPages(rangeOf(batchId, range))) {
    for (const item of items) {
      const entries = entriesIn(item).filter(({ position }) => position > after);
      const [first] = entries;
      if (!first) continue;
      const due = waiting.filter(({ position }) => position < first.position);
      yield* due;
      waiting = [...waiting.slice(due.length), ...entries].toSorted((a, b) => (a.position < b.position ? -1 : 1));
    }
  }
  yield* waiting;
}

/**
 * The number of stored entries by outcome.
 * @param counted those up to the position after which entries are read.
 */
export const countEntries = async (
  batchId: string,
  range: EntryRange = {},
  counted = noOutcomes,
): Promise<BatchCounts> => {
  const counts = { ...counted };
  for await (const { outcome } of entriesOf(batchId, range)) counts[outcome] += 1;
  return counts;
};

/** The ids of the batches that a user started, a page at a time. There are hundreds of batches, so all are read. */
export async function* batchIdsBy(userId: string): AsyncGenerator<readonly string[]> {
  const only = ['actor_id', 'collection_sk'];
  for await (const items of collectionPages({ partition: batchesPartition, index: 'collection', only })) {
    yield items.filter(({ actor_id }) => actor_id === userId).map(({ collection_sk }) => String(collection_sk));
  }
}

/** Removes an erased user from a batch. @returns false when the batch does not name the user. */
export const removeBatchActor = async (batchId: string, userId: string): Promise<boolean> =>
  (await updateItem(batchKey(batchId), { set: { actor_id: null } }, is('actor_id', userId))) !== undefined;
