import { setTimeout as wait } from 'node:timers/promises';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, GetCommand, QueryCommand, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import DataLoader from 'dataloader';
import { dynamo } from '#platform/dynamo.ts';
import { environment } from '#platform/environment.ts';
import { withTimeLimit } from '#platform/time-limit.ts';
import { Unavailable } from '#platform/unavailable.ts';
import { retryOnConflict } from './conflict.ts';
import { type IndexName, type Key, tableShape } from './keys.ts';

export type Item = Readonly<Record<string, unknown>>;

export const keyOf = (item: Item): Key => ({ pk: String(item.pk), sk: String(item.sk) });

/** An attribute that the item may lack. */
export const orNull = <T>(value: unknown): T | null => (value === undefined ? null : (value as T));

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

/** Sorts the keys of maps at every depth: DynamoDB does not keep their order, and entity tags depend on it. */
export const inKeyOrder = <T>(value: T): T => {
  if (Array.isArray(value)) return value.map((element: unknown) => inKeyOrder(element)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(byName);
  return Object.fromEntries(entries.map(([name, member]) => [name, inKeyOrder(member)])) as T;
};

/** Attributes that exist for storage only. Records and exports do not contain them. */
const STORAGE_ATTRIBUTES: ReadonlySet<string> = new Set([
  'pk',
  'sk',
  'feed_pk',
  'feed_sk',
  'collection_pk',
  'collection_sk',
  'type',
  'ttl',
]);

/** The record in an item that holds all its members. */
export const recordOf = <R>(item: Item): R =>
  inKeyOrder(Object.fromEntries(Object.entries(item).filter(([name]) => !STORAGE_ATTRIBUTES.has(name)))) as R;

const BATCH_MAX = 100;
const BATCH_TRIES = 8;

const identify = (key: Key): string => JSON.stringify([key.pk, key.sk]);

const getItem = async (key: Key): Promise<Item | undefined> => {
  const response = await dynamo().send(
    new GetCommand({ TableName: environment().table, Key: key, ConsistentRead: true }),
  );
  return response.Item;
};

/** Reads up to 100 items. @throws when keys remain unprocessed after all attempts. */
const batchGet = async (keys: readonly Key[]): Promise<Map<string, Item>> => {
  const found = new Map<string, Item>();
  let pending = keys;
  for (let attempt = 1; pending.length > 0; attempt += 1) {
    if (attempt > BATCH_TRIES) throw new Unavailable('DynamoDB left keys of a batch read unprocessed.');
    if (attempt > 1) await wait(Math.random() * 25 * 2 ** attempt);
    const response = await dynamo().send(
      new BatchGetCommand({ RequestItems: { [environment().table]: { Keys: [...pending], ConsistentRead: true } } }),
    );
    for (const item of response.Responses?.[environment().table] ?? [])
      found.set(identify(item as unknown as Key), item);
    pending = (response.UnprocessedKeys?.[environment().table]?.Keys ?? []) as unknown as Key[];
  }
  return found;
};

/**
 * Whether DynamoDB rejected a key itself, such as one that is too long. By name: the SDK has no class for these errors.
 */
const isInvalidKey = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'ValidationException' || error.name === 'SerializationException');

/** Reads the items of one batch: per key its item, undefined, or an error. */
const readBatch = async (keys: readonly Key[]): Promise<(Item | undefined | Error)[]> => {
  // From here on reads of these keys belong to another batch: the loader's cache only merges duplicates within one.
  for (const key of keys) loader.clear(key);
  if (keys.length > 1) {
    try {
      const found = await batchGet(keys);
      return keys.map((key) => found.get(identify(key)));
    } catch (error) {
      if (!isInvalidKey(error)) return keys.map(() => error as Error);
    }
  }
  // One key alone, or a batch with an invalid key: the others come from unrelated callers and must not fail with it.
  return await Promise.all(keys.map((key) => getItem(key).catch((error: Error) => error)));
};

const loader = new DataLoader(readBatch, {
  cacheKeyFn: identify,
  maxBatchSize: BATCH_MAX,
  batchScheduleFn: setImmediate,
});

/**
 * The newest state of an item, by a consistent read. Reads of the same event-loop iteration share one BatchGetItem: a
 * request costs the process far more than an item.
 */
export const findItem = (key: Key): Promise<Item | undefined> => loader.load(key);

/**
 * The newest states of many items, in the order of the keys; a missing item is undefined.
 * @throws when keys remain unprocessed after all attempts.
 */
export const findItems = async (keys: readonly Key[]): Promise<(Item | undefined)[]> =>
  await Promise.all(keys.map(findItem));

/** Those items that exist, by what their keys are made from. */
export const findItemsBy = async (
  names: readonly string[],
  keyFor: (name: string) => Key,
): Promise<ReadonlyMap<string, Item>> => {
  const items = await findItems(names.map(keyFor));
  return new Map(names.flatMap((name, position) => (items[position] ? [[name, items[position]]] : [])));
};

/** The record of an item, if it exists. */
export const findRecord = async <R>(key: Key, of: (item: Item) => R = recordOf<R>): Promise<R | undefined> => {
  const item = await findItem(key);
  return item && of(item);
};

/** The records of those items that exist, in the order of the keys. */
export const findRecords = async <R>(keys: readonly Key[], of: (item: Item) => R = recordOf<R>): Promise<R[]> =>
  (await findItems(keys)).filter((item) => item !== undefined).map(of);

/** A transaction that reads is cancelled while a write of one of its items is in progress. */
const isCancelled = (error: unknown): boolean => error instanceof TransactionCanceledException;

/** Enough for the item of a counter that hundreds of requests change per second. */
const SNAPSHOT_ATTEMPTS_MAX = 20;

/**
 * The states of some items at one moment, in the order of the keys; a missing item is undefined. While the items are
 * written without a pause, the newest state of each is returned instead.
 */
export const findItemsAtOnce = async (keys: readonly Key[]): Promise<(Item | undefined)[]> => {
  const TableName = environment().table;
  try {
    const { Responses } = await retryOnConflict(
      () =>
        dynamo().send(
          new TransactGetCommand({ TransactItems: keys.map((key) => ({ Get: { TableName, Key: { ...key } } })) }),
        ),
      { isConflict: isCancelled, attemptsMax: SNAPSHOT_ATTEMPTS_MAX },
    );
    return keys.map((_, position) => Responses?.[position]?.Item);
  } catch (error) {
    if (!isCancelled(error)) throw error;
    return await findItems(keys);
  }
};

interface CollectionRange {
  readonly partition: string;
  readonly index?: IndexName;
  /** Sort keys with this prefix. */
  readonly prefix?: string;
  /** Sort keys greater than this. */
  readonly after?: string;
  /** Sort keys less than this. */
  readonly before?: string;
  readonly newestFirst?: boolean;
  /** The `Limit` of each query; `PAGE_ITEMS_MAX` by default and at most. */
  readonly pageSize?: number;
  /** Projection; must include the sort key when there is an `after` or `before`. */
  readonly only?: readonly string[];
  /** False for eventually consistent reads of the table, at half the price. */
  readonly isConsistent?: boolean;
  /** The time limit of each query with its retries. */
  readonly queryLimitMs?: number;
}

/**
 * The items of a page. DynamoDB ends pages at 1 MB, which is about as many. The embedded engine reads all items of the range
 * before it does so: without a limit, reading a collection would take a time that grows with the square of its size.
 */
const PAGE_ITEMS_MAX = 2000;

const attributesOf = (index: IndexName | undefined) =>
  index ? (tableShape.indexes.find((one) => one.name === index) ?? tableShape) : tableShape;

// Greater than every sort key; DynamoDB compares them as UTF-8 bytes.
const LAST = '\u{10ffff}';

const queryOf = (range: CollectionRange) => {
  const { partitionKey, sortKey } = attributesOf(range.index);
  const low = range.after ?? range.prefix;
  const high = range.before ?? (range.prefix === undefined ? undefined : `${range.prefix}${LAST}`);
  const condition = [
    '#p = :p',
    ...(low !== undefined && high !== undefined ? ['#s BETWEEN :low AND :high'] : []),
    ...(low !== undefined && high === undefined ? ['#s > :low'] : []),
    ...(low === undefined && high !== undefined ? ['#s < :high'] : []),
  ].join(' AND ');
  return {
    TableName: environment().table,
    ...(range.index ? { IndexName: range.index } : { ConsistentRead: range.isConsistent ?? true }),
    KeyConditionExpression: condition,
    ExpressionAttributeNames: {
      '#p': partitionKey,
      ...((low !== undefined || high !== undefined) && { '#s': sortKey }),
    },
    ExpressionAttributeValues: {
      ':p': range.partition,
      ...(low !== undefined && { ':low': low }),
      ...(high !== undefined && { ':high': high }),
    },
    ...(range.newestFirst && { ScanIndexForward: false }),
  };
};

/**
 * Yields a collection in pages of at most 1 MB and `PAGE_ITEMS_MAX` items. Reads of the table are strongly consistent by
 * default, reads of an index eventually consistent.
 */
export async function* collectionPages(range: CollectionRange): AsyncGenerator<readonly Item[]> {
  const low = range.after ?? range.prefix;
  // DynamoDB rejects a range whose bounds are exchanged.
  if (low !== undefined && range.before !== undefined && low > range.before) return;
  const { sortKey } = attributesOf(range.index);
  const query = queryOf(range);
  // BETWEEN includes its bounds, which `after` and `before` exclude.
  const isEnd = (key: unknown): boolean => key !== undefined && (key === range.after || key === range.before);
  const names = Object.fromEntries((range.only ?? []).map((attribute, position) => [`#o${position}`, attribute]));
  let start: Record<string, unknown> | undefined;
  do {
    const command = new QueryCommand({
      ...query,
      ExpressionAttributeNames: { ...query.ExpressionAttributeNames, ...names },
      ...(range.only && { ProjectionExpression: Object.keys(names).join(', ') }),
      Limit: Math.min(range.pageSize ?? PAGE_ITEMS_MAX, PAGE_ITEMS_MAX),
      ExclusiveStartKey: start,
    });
    const { queryLimitMs } = range;
    const response = await (queryLimitMs === undefined
      ? dynamo().send(command)
      : withTimeLimit(queryLimitMs, (signal) => dynamo().send(command, { abortSignal: signal })));
    const items = (response.Items ?? []).filter((item) => !isEnd(item[sortKey]));
    if (items.length > 0) yield items;
    start = response.LastEvaluatedKey;
  } while (start);
}

class PartitionCursor {
  readonly #pages: AsyncGenerator<readonly Item[]>;
  #items: readonly Item[] = [];
  #next = 0;

  constructor(range: CollectionRange) {
    this.#pages = collectionPages(range);
  }

  /** The next item; undefined after the last one. */
  get item(): Item | undefined {
    return this.#items[this.#next];
  }

  /** Moves to the next item, initially to the first one. */
  async advance(): Promise<void> {
    this.#next += 1;
    if (this.#next < this.#items.length) return;
    const page = await this.#pages.next();
    this.#items = page.done ? [] : page.value;
    this.#next = 0;
  }
}

/** How much of a page of evenly spread items each partition is asked for at once. */
const PAGE_MARGIN = 1.5;

/**
 * Yields the items of partitions in the common order of their sort keys.
 * @param count how many items the caller needs, which are spread evenly over the partitions; more are read if it goes on.
 */
export async function* itemsOfPartitions(
  partitions: readonly string[],
  range: Omit<CollectionRange, 'partition' | 'pageSize'>,
  count: number,
): AsyncGenerator<Item> {
  const { sortKey } = attributesOf(range.index);
  const pageSize = Math.ceil((count / partitions.length) * PAGE_MARGIN);
  const cursors = partitions.map((partition) => new PartitionCursor({ ...range, partition, pageSize }));
  await Promise.all(cursors.map((cursor) => cursor.advance()));
  const isEarlier = (one: unknown, other: unknown): boolean =>
    range.newestFirst ? String(one) > String(other) : String(one) < String(other);
  for (;;) {
    let first: PartitionCursor | undefined;
    for (const cursor of cursors) {
      if (cursor.item && (!first?.item || isEarlier(cursor.item[sortKey], first.item[sortKey]))) first = cursor;
    }
    if (!first?.item) return;
    yield first.item;
    await first.advance();
  }
}

/** All items of a collection; only for small ones. */
export const wholeCollection = async (range: CollectionRange): Promise<Item[]> => {
  const all: Item[] = [];
  for await (const items of collectionPages(range)) all.push(...items);
  return all;
};

/** The first items of a collection, at most `count`. */
export const firstOfCollection = async (range: CollectionRange, count: number): Promise<Item[]> => {
  const first: Item[] = [];
  // One more for the item at a bound, which is filtered out.
  const isBounded = range.after !== undefined || range.before !== undefined;
  for await (const items of collectionPages({ ...range, pageSize: isBounded ? count + 1 : count })) {
    first.push(...items);
    if (first.length >= count) break;
  }
  return first.slice(0, count);
};

/**
 * Skips items of a range without transferring them.
 * @returns the sort key of the last skipped item, or undefined when none follow.
 */
const skipItems = async (range: CollectionRange, skip: number): Promise<string | undefined> => {
  const { sortKey } = attributesOf(range.index);
  let skipped = 0;
  let start: Record<string, unknown> | undefined;
  do {
    const Limit = Math.min(skip - skipped, PAGE_ITEMS_MAX);
    const response = await dynamo().send(
      new QueryCommand({ ...queryOf(range), Select: 'COUNT', Limit, ExclusiveStartKey: start }),
    );
    skipped += response.Count ?? 0;
    start = response.LastEvaluatedKey;
  } while (start && skipped < skip);
  return start && String(start[sortKey]);
};

/** Items of a range without bounds, counted from its first item in reading order. */
const pageFrom = async (range: CollectionRange, skip: number, count: number): Promise<Item[]> => {
  if (skip === 0) return await firstOfCollection(range, count);
  const last = await skipItems(range, skip);
  if (last === undefined) return [];
  return await firstOfCollection({ ...range, [range.newestFirst ? 'before' : 'after']: last }, count);
};

/**
 * A page of `count` items after the first `skip`, which are counted but not transferred.
 * @param total the size of the collection, if known: pages behind the middle are then read from the other end.
 */
export const pageOfCollection = async (
  range: Omit<CollectionRange, 'after' | 'before' | 'pageSize'>,
  skip: number,
  count: number,
  total = Number.POSITIVE_INFINITY,
): Promise<Item[]> => {
  const after = total - skip - count;
  // The first page is always read from its own end, to include items added after the total was counted.
  if (skip === 0 || skip <= after) return await pageFrom(range, skip, count);
  if (skip >= total) return [];
  const reversed = { ...range, newestFirst: !range.newestFirst };
  return (await pageFrom(reversed, Math.max(0, after), Math.min(count, total - skip))).toReversed();
};

/** The number of items in a range without an upper bound, without transferring them. */
export const countRange = async (
  range: Pick<CollectionRange, 'partition' | 'index' | 'prefix' | 'after'>,
): Promise<number> => {
  const query = { ...queryOf(range), Select: 'COUNT', Limit: PAGE_ITEMS_MAX } as const;
  let total = 0;
  let start: Record<string, unknown> | undefined;
  do {
    const response = await dynamo().send(new QueryCommand({ ...query, ExclusiveStartKey: start }));
    total += response.Count ?? 0;
    start = response.LastEvaluatedKey;
  } while (start);
  return total;
};

/**
 * A page of a collection of the index `collection`, newest first, with the exact total. The items are read from the table: the
 * index may lag behind it.
 */
export const newestPageOf = async (
  partition: string,
  skip: number,
  count: number,
): Promise<{ items: Item[]; total: number }> => {
  const total = await countCollection(partition, undefined, 'collection');
  const range = { partition, index: 'collection', newestFirst: true, only: ['pk', 'sk', 'collection_sk'] } as const;
  const keys = await pageOfCollection(range, skip, count, total);
  const items = await findItems(keys.map(keyOf));
  return { items: items.filter((item) => item !== undefined), total };
};

/** The number of items in a collection, without transferring them. */
export const countCollection = (partition: string, prefix?: string, index?: IndexName): Promise<number> =>
  countRange({ partition, ...(prefix !== undefined && { prefix }), ...(index && { index }) });
