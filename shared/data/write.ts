import { setTimeout as wait } from 'node:timers/promises';
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  DeleteCommand,
  PutCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { now } from '#platform/clock.ts';
import { dynamo } from '#platform/dynamo.ts';
import { settings } from '#platform/settings.ts';
import { auditItem } from './audit-item.ts';
import { type Change, type Condition, Placeholders, updateExpression } from './conditions.ts';
import { inFeed, type Key } from './keys.ts';
import type { Item } from './read.ts';
import { markWrite } from './write-marks.ts';

/** What the caller is told when a condition does not hold. */
type Refusal = () => Error;

/**
 * One part of a transaction. `orElse` makes the error when its condition `when` does not hold. What is `inFeed` is placed
 * in the feed by the time of the very try that succeeds: a stamp that is older than its commit could be passed over.
 */
export type Write =
  | { readonly put: Item & Key; readonly inFeed?: true; readonly when?: Condition; readonly orElse?: Refusal }
  | {
      readonly update: Key;
      readonly inFeed?: true;
      readonly change: Change;
      readonly when?: Condition;
      readonly orElse?: Refusal;
    }
  | { readonly remove: Key; readonly when?: Condition; readonly orElse?: Refusal }
  | { readonly check: Key; readonly when: Condition; readonly orElse?: Refusal };

/** A condition without a word of its own did not hold: somebody else was faster. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed';
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

const placedChange = (write: Extract<Write, { update: Key }>): Change =>
  write.inFeed ? { ...write.change, set: { ...write.change.set, ...inFeed(now(), write.update) } } : write.change;

const toRequest = (write: Write): TransactItem => {
  const placeholders = new Placeholders();
  const expression = 'update' in write ? updateExpression(placedChange(write), placeholders) : undefined;
  const condition = write.when?.(placeholders);
  const common = {
    TableName: settings().table,
    ...placeholders.members,
    ...(condition !== undefined && { ConditionExpression: condition }),
  };
  if ('put' in write) {
    return { Put: { ...common, Item: write.inFeed ? { ...write.put, ...inFeed(now(), write.put) } : write.put } };
  }
  if ('update' in write) return { Update: { ...common, Key: write.update, UpdateExpression: expression as string } };
  if ('remove' in write) return { Delete: { ...common, Key: write.remove } };
  return { ConditionCheck: { ...common, Key: write.check, ConditionExpression: condition as string } };
};

/** How many writes one transaction takes: DynamoDB's hundred, less the entry of the audit log. */
export const TRANSACTION_MAX = 99;

const keyOf = (write: Write): Key => {
  if ('put' in write) return write.put;
  if ('update' in write) return write.update;
  return 'remove' in write ? write.remove : write.check;
};

/** The writes, and what the audit log says of them while somebody is to answer for them. */
const withAudit = (writes: readonly Write[]): readonly Write[] => {
  const entry = auditItem(writes.filter((write) => !('check' in write)).map(keyOf));
  return entry ? [...writes, { put: entry }] : writes;
};

// Contention on one counter is settled by trying again: with this many tries a hundred callers at once all get through.
const CONFLICT_TRIES = 40;
const PAUSE_MAX_MS = 250;

const isConflict = (code: string | undefined): boolean =>
  code === 'TransactionConflict' || code === 'ThrottlingError' || code === 'ProvisionedThroughputExceeded';

/**
 * Does all of the writes or none. Conflicts with other transactions are tried again; a condition that does not hold is
 * thrown as its `orElse` says, of several the first.
 * @throws {ConditionFailed} when a condition without `orElse` does not hold.
 */
export const transact = async (changes: readonly Write[]): Promise<void> => {
  const writes = withAudit(changes);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await dynamo().send(new TransactWriteCommand({ TransactItems: writes.map(toRequest) }));
      markWrite();
      return;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      const refused = reasons.findIndex((reason) => reason.Code === 'ConditionalCheckFailed');
      if (refused >= 0) {
        const orElse = writes[refused]?.orElse;
        throw orElse ? orElse() : new ConditionFailed('A condition did not hold.');
      }
      if (attempt >= CONFLICT_TRIES || !reasons.some((reason) => isConflict(reason.Code))) throw error;
      await wait(Math.random() * Math.min(PAUSE_MAX_MS, 5 * 2 ** attempt));
    }
  }
};

/**
 * Writes one item.
 * @returns whether its condition held.
 */
export const putItem = async (item: Item, when?: Condition): Promise<boolean> => {
  const placeholders = new Placeholders();
  const condition = when?.(placeholders);
  try {
    await dynamo().send(
      new PutCommand({
        TableName: settings().table,
        Item: item,
        ...placeholders.members,
        ...(condition !== undefined && { ConditionExpression: condition }),
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
};

/**
 * Changes one item, creating it where it is not there and no condition forbids.
 * @returns the item afterwards, or undefined when its condition did not hold.
 */
export const updateItem = async (key: Key, change: Change, when?: Condition): Promise<Item | undefined> => {
  const placeholders = new Placeholders();
  const expression = updateExpression(change, placeholders);
  const condition = when?.(placeholders);
  try {
    const answer = await dynamo().send(
      new UpdateCommand({
        TableName: settings().table,
        Key: key,
        UpdateExpression: expression,
        ReturnValues: 'ALL_NEW',
        ...placeholders.members,
        ...(condition !== undefined && { ConditionExpression: condition }),
      }),
    );
    return answer.Attributes ?? {};
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
};

/**
 * Removes one item.
 * @returns whether its condition held.
 */
export const removeItem = async (key: Key, when?: Condition): Promise<boolean> => {
  const placeholders = new Placeholders();
  const condition = when?.(placeholders);
  try {
    await dynamo().send(
      new DeleteCommand({
        TableName: settings().table,
        Key: key,
        ...placeholders.members,
        ...(condition !== undefined && { ConditionExpression: condition }),
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
};

const BATCH_MAX = 25;
const BATCH_TRIES = 8;

/**
 * Removes many items, each by itself: for what nobody can see any more, where half done is only unfinished.
 * @throws when the table keeps refusing a part of them.
 */
export const removeItems = async (keys: readonly Key[]): Promise<void> => {
  for (let start = 0; start < keys.length; start += BATCH_MAX) {
    let pending = keys.slice(start, start + BATCH_MAX).map((key) => ({ DeleteRequest: { Key: { ...key } } }));
    for (let attempt = 1; pending.length > 0; attempt += 1) {
      if (attempt > BATCH_TRIES) throw new Error('The table keeps refusing a batch of removals.');
      if (attempt > 1) await wait(Math.random() * 25 * 2 ** attempt);
      const answer = await dynamo().send(new BatchWriteCommand({ RequestItems: { [settings().table]: pending } }));
      pending = (answer.UnprocessedItems?.[settings().table] ?? []) as typeof pending;
    }
  }
};
