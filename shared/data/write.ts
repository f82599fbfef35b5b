import { setTimeout as wait } from 'node:timers/promises';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
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
import { pastConflicts, sendSingle } from './single-write.ts';
import { markWrite } from './write-marks.ts';

/** What the caller is told when a condition does not hold. */
type Refusal = () => Error;

/** Places an item in a feed of its own by the time of its change, ISO 8601. */
type Placing = (changedAt: string) => Item;

/**
 * One part of a transaction. `orElse` makes the error when its condition `when` does not hold. What is `inFeed` is placed
 * in the feed of the catalog, or where it says, by the time of the very try that succeeds: a stamp that is older than its
 * commit could be passed over.
 */
export type Write =
  | { readonly put: Item & Key; readonly inFeed?: true | Placing; readonly when?: Condition; readonly orElse?: Refusal }
  | {
      readonly update: Key;
      readonly inFeed?: true | Placing;
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

const placeOf = (placing: true | Placing | undefined, key: Key): Item => {
  if (placing === undefined) return {};
  return placing === true ? inFeed(now(), key) : placing(now());
};

const placedChange = (write: Extract<Write, { update: Key }>): Change =>
  write.inFeed
    ? { ...write.change, set: { ...write.change.set, ...placeOf(write.inFeed, write.update) } }
    : write.change;

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
    return { Put: { ...common, Item: { ...write.put, ...placeOf(write.inFeed, write.put) } } };
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

const isConflict = (code: string | undefined): boolean =>
  code === 'TransactionConflict' || code === 'ThrottlingError' || code === 'ProvisionedThroughputExceeded';

const reasonsOf = (error: unknown) =>
  error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];

/** Which write's condition did not hold, of several the first; -1 when that is not why the transaction failed. */
const refusedWrite = (error: unknown): number =>
  reasonsOf(error).findIndex(({ Code }) => Code === 'ConditionalCheckFailed');

const isOnlyConflict = (error: unknown): boolean =>
  refusedWrite(error) < 0 && reasonsOf(error).some(({ Code }) => isConflict(Code));

/**
 * Does all of the writes or none. Conflicts with other transactions are tried again; a condition that does not hold is
 * thrown as its `orElse` says, of several the first.
 * @throws {ConditionFailed} when a condition without `orElse` does not hold.
 */
export const transact = async (changes: readonly Write[]): Promise<void> => {
  const writes = withAudit(changes);
  try {
    await pastConflicts(isOnlyConflict, () =>
      dynamo().send(new TransactWriteCommand({ TransactItems: writes.map(toRequest) })),
    );
  } catch (error) {
    const refused = refusedWrite(error);
    if (refused < 0) throw error;
    throw writes[refused]?.orElse?.() ?? new ConditionFailed('A condition did not hold.');
  }
  if (writes.some((write) => 'inFeed' in write && write.inFeed === true)) markWrite();
};

/** What every write of one item says: where, and under which condition. */
const members = (placeholders: Placeholders, condition: string | undefined) => ({
  TableName: settings().table,
  ...placeholders.members,
  ...(condition !== undefined && { ConditionExpression: condition }),
});

/**
 * Writes one item.
 * @returns whether its condition held.
 */
export const putItem = async (item: Item, when?: Condition): Promise<boolean> => {
  const placeholders = new Placeholders();
  const condition = when?.(placeholders);
  const command = () => new PutCommand({ ...members(placeholders, condition), Item: item });
  return (await sendSingle(() => dynamo().send(command()))) !== undefined;
};

/**
 * Changes one item, creating it where it is not there and no condition forbids.
 * @param place places it in a feed of its own by the time of the very try that succeeds.
 * @returns the item afterwards, or undefined when its condition did not hold.
 */
export const updateItem = async (
  key: Key,
  change: Change,
  when?: Condition,
  place?: Placing,
): Promise<Item | undefined> => {
  const command = () => {
    const placeholders = new Placeholders();
    const placed = placedChange({ update: key, change, ...(place && { inFeed: place }) });
    const expression = updateExpression(placed, placeholders);
    const condition = when?.(placeholders);
    return new UpdateCommand({
      ...members(placeholders, condition),
      Key: key,
      UpdateExpression: expression,
      ReturnValues: 'ALL_NEW',
    });
  };
  const answer = await sendSingle(() => dynamo().send(command()));
  return answer && (answer.Attributes ?? {});
};

/**
 * Removes one item.
 * @returns whether its condition held.
 */
export const removeItem = async (key: Key, when?: Condition): Promise<boolean> => {
  const placeholders = new Placeholders();
  const condition = when?.(placeholders);
  const command = () => new DeleteCommand({ ...members(placeholders, condition), Key: key });
  return (await sendSingle(() => dynamo().send(command()))) !== undefined;
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
