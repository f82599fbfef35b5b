import { setTimeout as wait } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DeleteCommand,
  PutCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { WORK_MAX_SECONDS } from '#model/work-time.ts';
import { endOfSecond, now } from '#platform/clock.ts';
import { dynamo } from '#platform/dynamo.ts';
import { environment } from '#platform/environment.ts';
import { limitWithinRequest, requestTime, withTimeLimit, writeOptions } from '#platform/time-limit.ts';
import { isThrottlingName, Unavailable } from '#platform/unavailable.ts';
import { recordTooLarge } from '#shared/errors.ts';
import { auditItem } from './audit.ts';
import { ConflictError, retryOnConflict } from './conflict.ts';
import { inFeed, type Key, subjectOf } from './keys.ts';
import { isLogEntry, mentionItems } from './mentions.ts';
import type { Item } from './read.ts';

/**
 * The attribute names and values of one request. Expressions refer to them by placeholders only, so that no input
 * becomes part of an expression.
 */
class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, unknown> = {};
  #nameCount = 0;
  #valueCount = 0;

  name(attribute: string): string {
    for (const [placeholder, known] of Object.entries(this.names)) if (known === attribute) return placeholder;
    const placeholder = `#n${this.#nameCount++}`;
    this.names[placeholder] = attribute;
    return placeholder;
  }

  value(value: unknown): string {
    const placeholder = `:v${this.#valueCount++}`;
    this.values[placeholder] = value;
    return placeholder;
  }

  /** The members of a request; empty maps are omitted because DynamoDB rejects them. */
  get members(): {
    ExpressionAttributeNames?: Record<string, string>;
    ExpressionAttributeValues?: Record<string, unknown>;
  } {
    return {
      ...(this.#nameCount > 0 && { ExpressionAttributeNames: this.names }),
      ...(this.#valueCount > 0 && { ExpressionAttributeValues: this.values }),
    };
  }
}

export type Condition = (placeholders: Placeholders) => string;

export const exists: Condition = (p) => `attribute_exists(${p.name('pk')})`;
export const absent: Condition = (p) => `attribute_not_exists(${p.name('pk')})`;
/** The attribute does not exist. */
export const lacks =
  (attribute: string): Condition =>
  (p) =>
    `attribute_not_exists(${p.name(attribute)})`;
export const is =
  (attribute: string, value: string | number | boolean | null): Condition =>
  (p) =>
    `${p.name(attribute)} = ${p.value(value)}`;
/** The attribute is less than a bound or does not exist. */
export const isBelow =
  (attribute: string, bound: number): Condition =>
  (p) =>
    `attribute_not_exists(${p.name(attribute)}) OR ${p.name(attribute)} < ${p.value(bound)}`;
/** The attribute, the latest end of some work in seconds since the epoch, says that none is under way, or does not exist. */
export const isNotUnderWay =
  (attribute: string, at: number): Condition =>
  (p) => {
    const [name, earliest, latest] = [p.name(attribute), p.value(at), p.value(at + WORK_MAX_SECONDS)];
    return `attribute_not_exists(${name}) OR NOT ${name} BETWEEN ${earliest} AND ${latest}`;
  };
/** The attribute is a time, ISO 8601, that is not in the future. */
export const hasPassed =
  (attribute: string): Condition =>
  (p) =>
    `${p.name(attribute)} <= ${p.value(now())}`;
export const every =
  (...conditions: readonly Condition[]): Condition =>
  (p) =>
    conditions.map((condition) => `(${condition(p)})`).join(' AND ');
/** The attributes are as in an item that was read; values of any type. */
export const areAsIn = (item: Item, attributes: readonly string[]): Condition =>
  every(
    ...attributes.map(
      (name): Condition => (item[name] === undefined ? lacks(name) : (p) => `${p.name(name)} = ${p.value(item[name])}`),
    ),
  );
export const either =
  (...conditions: readonly Condition[]): Condition =>
  (p) =>
    conditions.map((condition) => `(${condition(p)})`).join(' OR ');

/** The clauses of an update expression. */
export interface Change {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly add?: Readonly<Record<string, number>>;
  readonly remove?: readonly string[];
}

const updateExpression = (change: Change, p: Placeholders): string => {
  const clauses = [
    ['SET', Object.entries(change.set ?? {}).map(([name, value]) => `${p.name(name)} = ${p.value(value)}`)],
    ['ADD', Object.entries(change.add ?? {}).map(([name, value]) => `${p.name(name)} ${p.value(value)}`)],
    ['REMOVE', (change.remove ?? []).map((name) => p.name(name))],
  ] as const;
  return clauses
    .filter(([, parts]) => parts.length > 0)
    .map(([keyword, parts]) => `${keyword} ${parts.join(', ')}`)
    .join(' ');
};

/** DynamoDB rejects a write to an item that is part of a concurrent transaction; the SDK does not retry it. */
const isTransactionConflict = (error: unknown): boolean => error instanceof TransactionConflictException;

/** The table is throttled for longer than the SDK retries. */
const isThrottled = (error: unknown): boolean => error instanceof Error && isThrottlingName(error.name);

const reasonsOf = (error: unknown) =>
  error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];

/** The index of the first write whose condition failed; -1 when the transaction failed for another reason. */
const failedWrite = (error: unknown): number =>
  reasonsOf(error).findIndex(({ Code }) => Code === 'ConditionalCheckFailed');

/** In the messages of errors about items above 400 KB, which have no code of their own. */
const ITEM_SIZE = /\bitem size\b/i;

/** An item would be larger than 400 KB: the table refuses the request, or cancels the transaction. */
const exceedsItemSize = (error: unknown): boolean =>
  error instanceof TransactionCanceledException
    ? failedWrite(error) < 0 && reasonsOf(error).some(({ Message = '' }) => ITEM_SIZE.test(Message))
    : error instanceof Error && error.name === 'ValidationException' && ITEM_SIZE.test(error.message);

/** The time to respond after the last attempt of a write, in milliseconds. */
const RESPONSE_RESERVE_MS = 500;

type WriteOptions = ReturnType<typeof writeOptions>;

/**
 * Sends a write and retries it while `isRetried` accepts the error. A retry ends in time to respond with 503: the SDK
 * repeats throttled requests itself, with pauses of seconds.
 * @param send creates a new request per attempt and sends it with these options.
 * @throws the error of the last attempt; {TimeLimitExceeded} when a retry takes too long; 413 for an item above 400 KB; 504 when
 * the time of the request is over.
 */
const sendWithRetries = async <T>(
  send: (options: WriteOptions) => Promise<T>,
  isRetried: (error: unknown) => boolean,
): Promise<T> => {
  let isRetry = false;
  const attempt = async (): Promise<T> => {
    const options = writeOptions();
    if (!isRetry || !requestTime()) {
      isRetry = true;
      return await send(options);
    }
    const limitMs = limitWithinRequest(Number.POSITIVE_INFINITY, RESPONSE_RESERVE_MS);
    return await withTimeLimit(limitMs, (abortSignal) => send({ abortSignal }));
  };
  try {
    return await retryOnConflict(attempt, { isConflict: isRetried });
  } catch (error) {
    throw exceedsItemSize(error) ? recordTooLarge() : error;
  }
};

/**
 * Sends a write of one item and retries it while it conflicts with transactions or is throttled.
 * @param send creates a new request per attempt and sends it with these options.
 * @param isRetried which errors are retried.
 * @returns the response, or undefined when the condition of the write failed.
 * @throws 504 when the time of the request is over.
 */
export const sendSingle = async <T>(
  send: (options: WriteOptions) => Promise<T>,
  isRetried = (error: unknown): boolean => isTransactionConflict(error) || isThrottled(error),
): Promise<T | undefined> => {
  try {
    return await sendWithRetries(send, isRetried);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
};

let writtenAt = Number.NEGATIVE_INFINITY;

/**
 * The time of this process's latest write to the feed, in milliseconds of the monotonic clock. The feed is written by
 * transactions only.
 */
export const lastWriteAt = (): number => writtenAt;

/** Creates the error for a failed condition. */
type MakeError = () => Error;

/** The feed attributes of an item for the time of its change, ISO 8601. */
type FeedAttributes = (changedAt: string) => Item;

/**
 * The feed of an item, and its stamp there: the feed of the catalog with the time of the change (`true`) or the end of its
 * second, or another feed. Changes of an item within one second then do not move it in the index, which halves the cost of a
 * counter that changes often.
 */
type Feed = true | 'bySecond' | FeedAttributes;

/**
 * One part of a transaction. `orElse` creates the error for a failed condition `when`. `inFeed` adds the item to a feed,
 * stamped per attempt: readers could skip a stamp much older than the commit.
 */
export type Write =
  | {
      readonly put: Item & Key;
      readonly subject?: string | undefined;
      readonly inFeed?: Feed;
      readonly when?: Condition;
      readonly orElse?: MakeError;
    }
  | {
      readonly update: Key;
      /** In the audit log, of items whose key does not tell it. */
      readonly subject?: string | undefined;
      readonly inFeed?: Feed;
      readonly change: Change;
      readonly when?: Condition;
      readonly orElse?: MakeError;
    }
  | { readonly delete: Key; readonly when?: Condition; readonly orElse?: MakeError }
  | { readonly check: Key; readonly when: Condition; readonly orElse?: MakeError };

/** A condition without a specific error failed: a concurrent write won. */
export class ConditionFailed extends ConflictError {
  override readonly name = 'ConditionFailed';
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

const feedAttributesOf = (feed: Feed | undefined, key: Key): Item => {
  if (feed === undefined) return {};
  if (typeof feed === 'function') return feed(now());
  return inFeed(feed === 'bySecond' ? endOfSecond() : now(), key, environment().feedShards);
};

const isInCatalogFeed = (write: Write): boolean =>
  'inFeed' in write && write.inFeed !== undefined && typeof write.inFeed !== 'function';

const stampedChange = (write: Extract<Write, { update: Key }>): Change =>
  write.inFeed
    ? { ...write.change, set: { ...write.change.set, ...feedAttributesOf(write.inFeed, write.update) } }
    : write.change;

/** The members that all writes have in common. */
const members = (placeholders: Placeholders, condition: string | undefined) => ({
  TableName: environment().table,
  ...placeholders.members,
  ...(condition !== undefined && { ConditionExpression: condition }),
});

const requestOf = (write: Write): TransactItem => {
  const placeholders = new Placeholders();
  const expression = 'update' in write ? updateExpression(stampedChange(write), placeholders) : undefined;
  const condition = write.when?.(placeholders);
  const common = members(placeholders, condition);
  if ('put' in write) {
    return { Put: { ...common, Item: { ...write.put, ...feedAttributesOf(write.inFeed, write.put) } } };
  }
  if ('update' in write) return { Update: { ...common, Key: write.update, UpdateExpression: expression as string } };
  if ('delete' in write) return { Delete: { ...common, Key: write.delete } };
  return { ConditionCheck: { ...common, Key: write.check, ConditionExpression: condition as string } };
};

/** The maximum of writes per transaction: DynamoDB's 100, less the audit log entry and the mention of its actor. */
export const TRANSACTION_MAX = 98;

export const keyOfWrite = (write: Write): Key => {
  if ('put' in write) return write.put;
  if ('update' in write) return write.update;
  return 'delete' in write ? write.delete : write.check;
};

const subjectOfWrite = (write: Write): string | undefined => {
  if ('check' in write) return undefined;
  return ('subject' in write ? write.subject : undefined) ?? subjectOf(keyOfWrite(write));
};

/** Adds the audit log entry, if the current request is audited, and the mentions of users in it and in messages. */
const withLogs = (changes: readonly Write[]): readonly Write[] => {
  const entry = auditItem(changes.flatMap((write) => subjectOfWrite(write) ?? []));
  const writes = entry ? [...changes, { put: entry }] : changes;
  const entries = writes.flatMap((write) => ('put' in write && isLogEntry(write.put) ? [write.put] : []));
  return [...writes, ...mentionItems(entries).map((put) => ({ put }))];
};

const isRetryable = (code: string | undefined): boolean => code === 'TransactionConflict' || isThrottlingName(code);

const isConflict = (error: unknown): boolean =>
  isThrottled(error) || (failedWrite(error) < 0 && reasonsOf(error).some(({ Code }) => isRetryable(Code)));

/**
 * Executes all writes or none, and retries conflicts with other transactions and throttling.
 * @throws the `orElse` of the first write whose condition failed; {ConditionFailed} when it has none; 413 for an item above
 * 400 KB; 504 when the time of the request is over.
 */
export const transact = async (changes: readonly Write[]): Promise<void> => {
  const writes = withLogs(changes);
  try {
    await sendWithRetries(
      (options) => dynamo().send(new TransactWriteCommand({ TransactItems: writes.map(requestOf) }), options),
      isConflict,
    );
  } catch (error) {
    const failed = failedWrite(error);
    if (failed < 0) throw error;
    throw writes[failed]?.orElse?.() ?? new ConditionFailed('A condition did not hold.');
  }
  if (writes.some(isInCatalogFeed)) writtenAt = performance.now();
};

/** Executes all writes or none, like `transact`. @returns false when a condition without its own error failed. */
export const tryTransact = async (changes: readonly Write[]): Promise<boolean> => {
  try {
    await transact(changes);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
};

/**
 * Writes one item.
 * @returns false when the condition failed.
 */
export const putItem = async (item: Item, when?: Condition): Promise<boolean> => {
  const placeholders = new Placeholders();
  const condition = when?.(placeholders);
  const command = () => new PutCommand({ ...members(placeholders, condition), Item: item });
  return (await sendSingle((options) => dynamo().send(command(), options))) !== undefined;
};

/**
 * Updates one item, or creates it.
 * @param feed adds it to a feed, stamped per attempt.
 * @returns the new state of the item, or undefined when the condition failed.
 */
export const updateItem = async (
  key: Key,
  change: Change,
  when?: Condition,
  feed?: FeedAttributes,
): Promise<Item | undefined> => {
  const command = () => {
    const placeholders = new Placeholders();
    const stamped = stampedChange({ update: key, change, ...(feed && { inFeed: feed }) });
    const expression = updateExpression(stamped, placeholders);
    const condition = when?.(placeholders);
    return new UpdateCommand({
      ...members(placeholders, condition),
      Key: key,
      UpdateExpression: expression,
      ReturnValues: 'ALL_NEW',
    });
  };
  const response = await sendSingle((options) => dynamo().send(command(), options));
  return response && (response.Attributes ?? {});
};

/**
 * Deletes one item.
 * @returns false when the condition failed.
 */
export const deleteItem = async (key: Key, when?: Condition): Promise<boolean> => {
  const placeholders = new Placeholders();
  const condition = when?.(placeholders);
  const command = () => new DeleteCommand({ ...members(placeholders, condition), Key: key });
  return (await sendSingle((options) => dynamo().send(command(), options))) !== undefined;
};

const BATCH_MAX = 25;
const BATCH_TRIES = 8;

type BatchRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];

/** @throws when requests remain unprocessed after all attempts. */
const writeUnordered = async (requests: readonly BatchRequest[]): Promise<void> => {
  for (let start = 0; start < requests.length; start += BATCH_MAX) {
    let pending = requests.slice(start, start + BATCH_MAX);
    for (let attempt = 1; pending.length > 0; attempt += 1) {
      if (attempt > BATCH_TRIES) throw new Unavailable('DynamoDB left requests of a batch write unprocessed.');
      if (attempt > 1) await wait(Math.random() * 25 * 2 ** attempt);
      const command = new BatchWriteCommand({ RequestItems: { [environment().table]: pending } });
      const response = await dynamo().send(command, writeOptions());
      pending = response.UnprocessedItems?.[environment().table] ?? [];
    }
  }
};

/**
 * Deletes many items without a transaction: for invisible data, where the next run completes a partial deletion.
 * @throws when items remain unprocessed after all attempts.
 */
export const deleteItems = (keys: readonly Key[]): Promise<void> =>
  writeUnordered(keys.map((key) => ({ DeleteRequest: { Key: { ...key } } })));

/**
 * Writes many items with different keys, without a transaction and conditions: for records that do not depend on each other.
 * @throws when items remain unprocessed after all attempts.
 */
export const putItems = (items: readonly (Item & Key)[]): Promise<void> =>
  writeUnordered(items.map((item) => ({ PutRequest: { Item: { ...item } } })));
