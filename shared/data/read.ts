import { setTimeout as wait } from 'node:timers/promises';
import { BatchGetCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamo } from '#platform/dynamo.ts';
import { settings } from '#platform/settings.ts';
import { type IndexName, type Key, tableShape } from './keys.ts';

/** An item as it is stored. */
export type Item = Readonly<Record<string, unknown>>;

const BATCH_MAX = 100;
const BATCH_TRIES = 8;

const identify = (key: Key): string => JSON.stringify([key.pk, key.sk]);

const readOne = async (key: Key): Promise<Item | undefined> => {
  const answer = await dynamo().send(new GetCommand({ TableName: settings().table, Key: key, ConsistentRead: true }));
  return answer.Item;
};

/** Reads up to 100 items. @throws when the table keeps refusing a part of them. */
const readTogether = async (keys: readonly Key[]): Promise<Map<string, Item>> => {
  const found = new Map<string, Item>();
  let pending = keys;
  for (let attempt = 1; pending.length > 0; attempt += 1) {
    if (attempt > BATCH_TRIES) throw new Error('The table keeps refusing a batch of reads.');
    if (attempt > 1) await wait(Math.random() * 25 * 2 ** attempt);
    const answer = await dynamo().send(
      new BatchGetCommand({ RequestItems: { [settings().table]: { Keys: [...pending], ConsistentRead: true } } }),
    );
    for (const item of answer.Responses?.[settings().table] ?? []) found.set(identify(item as unknown as Key), item);
    pending = (answer.UnprocessedKeys?.[settings().table]?.Keys ?? []) as unknown as Key[];
  }
  return found;
};

interface Wish {
  readonly key: Key;
  readonly found: PromiseWithResolvers<Item | undefined>;
}

let wishes = new Map<string, Wish>();

const fulfilOne = async ({ key, found }: Wish): Promise<void> => {
  try {
    found.resolve(await readOne(key));
  } catch (error) {
    found.reject(error);
  }
};

/** Whether the table refuses what was asked, and not just now: one of the keys is none that it could have. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'ValidationException' || error.name === 'SerializationException');

const fulfil = async (some: readonly (readonly [string, Wish])[]): Promise<void> => {
  const [first] = some;
  if (first && some.length === 1) {
    await fulfilOne(first[1]);
    return;
  }
  try {
    const found = await readTogether(some.map(([, { key }]) => key));
    for (const [id, wish] of some) wish.found.resolve(found.get(id));
  } catch (error) {
    // They come from callers who know nothing of each other: what one has asked must not be the failure of all.
    if (isRefused(error)) await Promise.all(some.map(([, wish]) => fulfilOne(wish)));
    else for (const [, wish] of some) wish.found.reject(error);
  }
};

const fulfilAll = (): void => {
  const all = [...wishes];
  wishes = new Map();
  for (let start = 0; start < all.length; start += BATCH_MAX) void fulfil(all.slice(start, start + BATCH_MAX));
};

/**
 * The newest state of an item. What is asked for in the same turn of the event loop is read in one call to the table: a
 * call costs the process much more than an item, and a process with many callers at once makes many fewer of them.
 */
export const findItem = (key: Key): Promise<Item | undefined> => {
  if (wishes.size === 0) setImmediate(fulfilAll);
  const id = identify(key);
  let wish = wishes.get(id);
  if (!wish) {
    wish = { key, found: Promise.withResolvers() };
    wishes.set(id, wish);
  }
  return wish.found.promise;
};

/**
 * The newest states of many items, in the order of the keys; a missing item is undefined.
 * @throws when the table keeps refusing a part of them.
 */
export const findItems = async (keys: readonly Key[]): Promise<(Item | undefined)[]> =>
  await Promise.all(keys.map(findItem));

/** Which items of a collection are read, and in which order. */
export interface CollectionRange {
  readonly partition: string;
  readonly index?: IndexName;
  /** Only sort keys that begin with this. */
  readonly prefix?: string;
  /** Only sort keys after this one. */
  readonly after?: string;
  /** Only sort keys before this one. */
  readonly before?: string;
  readonly newestFirst?: boolean;
  /** How many items one call to the table returns at most. */
  readonly pageSize?: number;
  /** Only these attributes; the sort key must be among them where there is an end to be left out. */
  readonly only?: readonly string[];
}

const attributesOf = (index: IndexName | undefined) =>
  index ? (tableShape.indexes.find((one) => one.name === index) ?? tableShape) : tableShape;

// A collection's sort keys are all below this; DynamoDB compares them as UTF-8 bytes.
const LAST = '\u{10ffff}';

/** What every query of a range says. */
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
    TableName: settings().table,
    ...(range.index ? { IndexName: range.index } : { ConsistentRead: true }),
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
 * Walks a collection page by page; a page is at most 1 MB.
 * Reads of the table itself are consistent, those of an index follow the table within moments.
 */
export async function* collectionPages(range: CollectionRange): AsyncGenerator<readonly Item[]> {
  const { sortKey } = attributesOf(range.index);
  const query = queryOf(range);
  // BETWEEN includes its ends, and the caller asked for what lies strictly between. Without a sort key there is no end.
  const isEnd = (key: unknown): boolean => key !== undefined && (key === range.after || key === range.before);
  const names = Object.fromEntries((range.only ?? []).map((attribute, position) => [`#o${position}`, attribute]));
  let start: Record<string, unknown> | undefined;
  do {
    const answer = await dynamo().send(
      new QueryCommand({
        ...query,
        ExpressionAttributeNames: { ...query.ExpressionAttributeNames, ...names },
        ...(range.only && { ProjectionExpression: Object.keys(names).join(', ') }),
        ...(range.pageSize && { Limit: range.pageSize }),
        ExclusiveStartKey: start,
      }),
    );
    const items = (answer.Items ?? []).filter((item) => !isEnd(item[sortKey]));
    if (items.length > 0) yield items;
    start = answer.LastEvaluatedKey;
  } while (start);
}

/** A whole collection; only for those that are known to be small. */
export const wholeCollection = async (range: CollectionRange): Promise<Item[]> => {
  const all: Item[] = [];
  for await (const items of collectionPages(range)) all.push(...items);
  return all;
};

/** The first items of a collection, at most `count`. */
export const firstOfCollection = async (range: CollectionRange, count: number): Promise<Item[]> => {
  const first: Item[] = [];
  // An end of the range may come along and is then left out.
  const isBounded = range.after !== undefined || range.before !== undefined;
  for await (const items of collectionPages({ ...range, pageSize: isBounded ? count + 1 : count })) {
    first.push(...items);
    if (first.length >= count) break;
  }
  return first.slice(0, count);
};

/**
 * Passes over items of a range without reading them out.
 * @returns the sort key of the last one, or undefined when there is nothing behind them.
 */
const passOver = async (range: CollectionRange, skip: number): Promise<string | undefined> => {
  const { sortKey } = attributesOf(range.index);
  let passed = 0;
  let start: Record<string, unknown> | undefined;
  do {
    const answer = await dynamo().send(
      new QueryCommand({ ...queryOf(range), Select: 'COUNT', Limit: skip - passed, ExclusiveStartKey: start }),
    );
    passed += answer.Count ?? 0;
    start = answer.LastEvaluatedKey;
  } while (start && passed < skip);
  return start && String(start[sortKey]);
};

/** Items of a range without ends, from one of its ends on. */
const pageFrom = async (range: CollectionRange, skip: number, count: number): Promise<Item[]> => {
  if (skip === 0) return await firstOfCollection(range, count);
  const last = await passOver(range, skip);
  if (last === undefined) return [];
  return await firstOfCollection({ ...range, [range.newestFirst ? 'before' : 'after']: last }, count);
};

/**
 * Some items of a collection, `skip` of them passed over. What is passed over is only counted.
 * @param total how many there are, if that is known: a page behind the middle is then read from the other end.
 */
export const pageOfCollection = async (
  range: Omit<CollectionRange, 'after' | 'before' | 'pageSize'>,
  skip: number,
  count: number,
  total = Number.POSITIVE_INFINITY,
): Promise<Item[]> => {
  const behind = total - skip - count;
  // The first page is always read from its own end: it shows what has come since the others were counted.
  if (skip === 0 || skip <= behind) return await pageFrom(range, skip, count);
  if (skip >= total) return [];
  const fromBehind = { ...range, newestFirst: !range.newestFirst };
  return (await pageFrom(fromBehind, Math.max(0, behind), Math.min(count, total - skip))).toReversed();
};

/** How many items a collection has, without reading them out. */
export const countCollection = async (partition: string, prefix?: string, index?: IndexName): Promise<number> => {
  const query = queryOf({ partition, ...(prefix !== undefined && { prefix }), ...(index && { index }) });
  let total = 0;
  let start: Record<string, unknown> | undefined;
  do {
    const answer = await dynamo().send(new QueryCommand({ ...query, Select: 'COUNT', ExclusiveStartKey: start }));
    total += answer.Count ?? 0;
    start = answer.LastEvaluatedKey;
  } while (start);
  return total;
};
