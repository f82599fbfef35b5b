import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { type ImportStep, writeProjects } from '#data/imports.ts';
import { userKey } from '#data/keys.ts';
import { changeUserCounts, correctCommentCount, findOrCreateUser, makeAdmin } from '#data/users.ts';
import { ConditionFailed, deleteItem, lastWriteAt, putItem, transact, updateItem } from '#data/write.ts';
import { log } from '#platform/log.ts';
import { origin, project } from '#test/catalog/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { until } from '#test/support/until.ts';

log.setLogLevel('SILENT');
// Settings are read once, on first use.
Object.assign(process.env, {
  TABLE_NAME: 'table',
  AWS_REGION: 'us-east-1',
  OIDC_ISSUER: 'https://issuer.example',
  OIDC_AUDIENCES: 'web',
  OIDC_JWKS_URI: 'https://issuer.example/keys',
});

const table = mockClient(DynamoDBDocumentClient);
afterAll(() => table.restore());
beforeEach(() => {
  table.reset();
});

const details = { message: 'no', $metadata: {} };
const conflict = () => new TransactionConflictException(details);
const canceled = (...codes: readonly string[]) =>
  new TransactionCanceledException({ ...details, CancellationReasons: codes.map((Code) => ({ Code })) });

const key = { pk: 'A', sk: 'B' };

it('an import writes one line about all transactions that the table did not take', async () => {
  table.on(TransactWriteCommand).rejects(new Error('ENOSPC'));
  table.on(GetCommand).resolves({});
  const written = vi.spyOn(log, 'error');
  const steps = Array.from(
    { length: 12 },
    (_, n): ImportStep => ({ previous: undefined, next: project({ id: `prj_${n}` }) }),
  );
  const errors = await writeProjects(steps, origin);
  expect(errors.every((error) => error instanceof Error)).toBe(true);
  expect(written).toHaveBeenCalledTimes(1);
  written.mockRestore();
});

it('the write of one item is retried while it conflicts with a transaction', async () => {
  table.on(PutCommand).rejectsOnce(conflict()).rejectsOnce(conflict()).resolves({});
  table
    .on(UpdateCommand)
    .rejectsOnce(conflict())
    .resolves({ Attributes: { a: 1 } });
  table.on(DeleteCommand).rejectsOnce(conflict()).resolves({});
  expect(await putItem(key)).toBe(true);
  expect(await updateItem(key, { set: { a: 1 } })).toEqual({ a: 1 });
  expect(await deleteItem(key)).toBe(true);
  expect(table.commandCalls(PutCommand)).toHaveLength(3);
});

longTest('a write throws the conflict after the last attempt, and any other error immediately', async () => {
  table.on(PutCommand).rejects(new Error('not there'));
  await expect(putItem(key)).rejects.toThrow('not there');
  expect(table.commandCalls(PutCommand)).toHaveLength(1);
  table.on(DeleteCommand).rejects(conflict());
  await expect(deleteItem(key)).rejects.toThrow(TransactionConflictException);
});

it('a write returns false when the condition fails, also after a conflict', async () => {
  table.on(PutCommand).rejectsOnce(conflict()).rejects(new ConditionalCheckFailedException(details));
  expect(await putItem(key)).toBe(false);
});

it('retries creating a user after a conflict', async () => {
  table.on(GetCommand).resolves({});
  table.on(UpdateCommand).rejectsOnce(conflict()).resolves({});
  const identity = { sub: 'u', email: 'a@example.com', emailVerified: true, name: null, issuedAt: null };
  expect((await findOrCreateUser(identity, true)).id).toBe('u');
  expect(table.commandCalls(UpdateCommand)).toHaveLength(2);
});

it('a transaction is retried after conflicts only, and throws the error of its first failed condition', async () => {
  table.on(TransactWriteCommand).rejectsOnce(canceled('None', 'TransactionConflict')).resolves({});
  await transact([{ delete: key }]);
  expect(table.commandCalls(TransactWriteCommand)).toHaveLength(2);
  table.on(TransactWriteCommand).rejects(canceled('TransactionConflict', 'ConditionalCheckFailed'));
  const orElse = () => new Error('second');
  await expect(transact([{ delete: key }, { delete: key, orElse }])).rejects.toThrow('second');
  await expect(transact([{ delete: key }, { delete: key }])).rejects.toThrow(ConditionFailed);
  expect(table.commandCalls(TransactWriteCommand)).toHaveLength(4);
});

it('records the time of writes to the feed only', async () => {
  table.on(TransactWriteCommand).resolves({});
  const before = lastWriteAt();
  await transact([{ put: key }, changeUserCounts('u', 1)]);
  expect(lastWriteAt()).toBe(before);
  await transact([{ put: key, inFeed: true }]);
  expect(lastWriteAt()).toBeGreaterThan(before);
});

const untilNextMillisecond = (from = Date.now()): Promise<void> => until(() => Date.now() > from);

it('a write updates the time stamp of a changed user in each attempt', async () => {
  const tries: string[] = [];
  table.on(TransactWriteCommand).callsFake(async ({ TransactItems }) => {
    const { Key, ExpressionAttributeNames, ExpressionAttributeValues } = TransactItems[0].Update;
    expect(Key).toEqual(userKey('u'));
    expect(Object.values(ExpressionAttributeNames)).toContain('feed_sk');
    tries.push(Object.values(ExpressionAttributeValues).find((value) => String(value).endsWith('Z#u')) as string);
    await untilNextMillisecond();
    if (tries.length < 3) throw canceled('TransactionConflict');
  });
  await transact([changeUserCounts('u', 1)]);
  expect(tries).toHaveLength(3);
  expect(tries[2]).not.toBe(tries[0]);
});

it.each([
  ['who becomes an administrator', () => makeAdmin('u')],
  [
    'whose comment count is corrected',
    () => correctCommentCount({ userId: 'u', counted: 1, changedAt: '', version: 3 }, 2),
  ],
])('a write updates the time stamp of a user %s in each attempt', async (_, change) => {
  const tries: string[] = [];
  table.on(UpdateCommand).callsFake(async ({ Key, ExpressionAttributeValues }) => {
    expect(Key).toEqual(userKey('u'));
    tries.push(Object.values(ExpressionAttributeValues).find((value) => String(value).endsWith('Z#u')) as string);
    await untilNextMillisecond();
    if (tries.length < 3) throw conflict();
    return { Attributes: {} };
  });
  expect(await change()).toBe(true);
  expect(tries).toHaveLength(3);
  expect(tries[2]).not.toBe(tries[0]);
});

const step = (n: number) =>
  ({
    previous: undefined,
    next: {
      id: `prj_${n}`,
      slug: `s${n}`,
      url: `https://${n}.example/`,
      version: 1,
      field_values: null,
      updated_at: 'then',
      tags: [],
    },
  }) as unknown as ImportStep;

it('an import writes the other rows when some fail, and reports the failed ones', async () => {
  const broken = new Set(['prj_0', 'prj_70']);
  table.on(GetCommand).resolves({});
  table.on(TransactWriteCommand).callsFake(({ TransactItems }) => {
    if (JSON.stringify([...broken].filter((id) => JSON.stringify(TransactItems).includes(`"${id}"`))) !== '[]') {
      throw new Error('socket hang up');
    }
  });
  const outcomes = await writeProjects(
    Array.from({ length: 200 }, (_, n) => step(n)),
    origin,
  );
  expect(outcomes.flatMap((outcome, n) => (outcome ? [n] : []))).toEqual([0, 70]);
});

it('an import does not repeat a transaction that succeeded although its response was lost', async () => {
  table.on(TransactWriteCommand).rejects(new Error('socket hang up'));
  table.on(GetCommand).resolves({ Item: { version: 1, field_values: null, updated_at: 'then' } });
  expect(await writeProjects([step(1), step(2)], origin)).toEqual([undefined, undefined]);
  expect(table.commandCalls(TransactWriteCommand)).toHaveLength(1);
});
