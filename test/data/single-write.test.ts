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
import { beforeEach, expect, it } from 'vitest';
import { writeProjects } from '#data/import-projects.ts';
import { userKey } from '#data/keys.ts';
import { countRequests } from '#data/rate-counter.ts';
import { makeAdmin } from '#data/user-admin.ts';
import { changeUserCounts } from '#data/user-records.ts';
import { correctCommentCount } from '#data/user-recount.ts';
import { userAtFirstSight } from '#data/users.ts';
import { ConditionFailed, putItem, removeItem, transact, updateItem } from '#data/write.ts';
import { lastWriteAt } from '#data/write-marks.ts';
import type { ImportStep } from '#domain/projects/import-ports.ts';
import { log } from '#platform/log.ts';

/** Writes that meet others, on a table that answers as it is told. */

log.setLogLevel('SILENT');
// Settings are read once, at the first look.
Object.assign(process.env, {
  TABLE_NAME: 'table',
  OIDC_ISSUER: 'https://issuer.example',
  OIDC_JWKS_URI: 'https://issuer.example/keys',
});

const table = mockClient(DynamoDBDocumentClient);
beforeEach(() => {
  table.reset();
});

const told = { message: 'no', $metadata: {} };
const conflict = () => new TransactionConflictException(told);
const canceled = (...codes: readonly string[]) =>
  new TransactionCanceledException({ ...told, CancellationReasons: codes.map((Code) => ({ Code })) });

const key = { pk: 'A', sk: 'B' };

it('a write of one item waits for the transaction that touches it', async () => {
  table.on(PutCommand).rejectsOnce(conflict()).rejectsOnce(conflict()).resolves({});
  table
    .on(UpdateCommand)
    .rejectsOnce(conflict())
    .resolves({ Attributes: { a: 1 } });
  table.on(DeleteCommand).rejectsOnce(conflict()).resolves({});
  expect(await putItem(key)).toBe(true);
  expect(await updateItem(key, { set: { a: 1 } })).toEqual({ a: 1 });
  expect(await removeItem(key)).toBe(true);
  expect(table.commandCalls(PutCommand)).toHaveLength(3);
});

it('gives up in the end, and at once for anything else', async () => {
  table.on(PutCommand).rejects(new Error('not there'));
  await expect(putItem(key)).rejects.toThrow('not there');
  expect(table.commandCalls(PutCommand)).toHaveLength(1);
  table.on(DeleteCommand).rejects(conflict());
  await expect(removeItem(key)).rejects.toThrow(TransactionConflictException);
});

it('says that a condition did not hold, also after a conflict', async () => {
  table.on(PutCommand).rejectsOnce(conflict()).rejects(new ConditionalCheckFailedException(told));
  expect(await putItem(key)).toBe(false);
});

it('counts a request and makes a user past a transaction', async () => {
  table
    .on(UpdateCommand)
    .rejectsOnce(conflict())
    .resolves({ Attributes: { count: 3 } });
  expect(await countRequests({ tier: 't', bucket: 'b', window: 1, endsAt: 1 }, 1, 5)).toBe(3);
  table.on(GetCommand).resolves({});
  table.on(PutCommand).rejectsOnce(conflict()).resolves({});
  const identity = { sub: 'u', email: 'a@example.com', emailVerified: true, name: null };
  expect((await userAtFirstSight(identity)).id).toBe('u');
  expect(table.commandCalls(PutCommand)).toHaveLength(2);
});

it('a transaction is tried again after conflicts only, and throws what its first refused write says', async () => {
  table.on(TransactWriteCommand).rejectsOnce(canceled('None', 'TransactionConflict')).resolves({});
  await transact([{ remove: key }]);
  expect(table.commandCalls(TransactWriteCommand)).toHaveLength(2);
  table.on(TransactWriteCommand).rejects(canceled('TransactionConflict', 'ConditionalCheckFailed'));
  const orElse = () => new Error('second');
  await expect(transact([{ remove: key }, { remove: key, orElse }])).rejects.toThrow('second');
  await expect(transact([{ remove: key }, { remove: key }])).rejects.toThrow(ConditionFailed);
  expect(table.commandCalls(TransactWriteCommand)).toHaveLength(4);
});

it('marks what the catalog follows, and nothing else', async () => {
  table.on(TransactWriteCommand).resolves({});
  const before = lastWriteAt();
  await transact([{ put: key }, changeUserCounts('u', 1)]);
  expect(lastWriteAt()).toBe(before);
  await transact([{ put: key, inFeed: true }]);
  expect(lastWriteAt()).toBeGreaterThan(before);
});

it('places a user among the changed ones by the time of the try that succeeds', async () => {
  const tries: string[] = [];
  table.on(TransactWriteCommand).callsFake(async ({ TransactItems }) => {
    const { Key, ExpressionAttributeNames, ExpressionAttributeValues } = TransactItems[0].Update;
    expect(Key).toEqual(userKey('u'));
    expect(Object.values(ExpressionAttributeNames)).toContain('feed_sk');
    tries.push(Object.values(ExpressionAttributeValues).find((value) => String(value).endsWith('Z#u')) as string);
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (tries.length < 3) throw canceled('TransactionConflict');
  });
  await transact([changeUserCounts('u', 1)]);
  expect(tries).toHaveLength(3);
  expect(tries[2]).not.toBe(tries[0]);
});

it.each([
  ['an administrator', () => makeAdmin('u')],
  [
    'whose comments were counted anew',
    () => correctCommentCount({ userId: 'u', counted: 1, changedAt: '', version: 3 }, 2),
  ],
])('places a user %s among the changed ones by the time of the try that succeeds', async (_, change) => {
  const tries: string[] = [];
  table.on(UpdateCommand).callsFake(async ({ Key, ExpressionAttributeValues }) => {
    expect(Key).toEqual(userKey('u'));
    tries.push(Object.values(ExpressionAttributeValues).find((value) => String(value).endsWith('Z#u')) as string);
    await new Promise((resolve) => setTimeout(resolve, 5));
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
    next: { id: `prj_${n}`, slug: `s${n}`, version: 1, updated_at: 'then', tags: [] },
  }) as unknown as ImportStep;

it('an import stores what it can when the table breaks off, and reports the rest', async () => {
  const broken = new Set(['prj_0', 'prj_70']);
  table.on(GetCommand).resolves({});
  table.on(TransactWriteCommand).callsFake(({ TransactItems }) => {
    if (JSON.stringify([...broken].filter((id) => JSON.stringify(TransactItems).includes(`"${id}"`))) !== '[]') {
      throw new Error('socket hang up');
    }
  });
  const outcomes = await writeProjects(Array.from({ length: 200 }, (_, n) => step(n)));
  expect(outcomes.flatMap((outcome, n) => (outcome ? [n] : []))).toEqual([0, 70]);
});

it('an import does not do again what went through unheard', async () => {
  table.on(TransactWriteCommand).rejects(new Error('socket hang up'));
  table.on(GetCommand).resolves({ Item: { version: 1, updated_at: 'then' } });
  expect(await writeProjects([step(1), step(2)])).toEqual([undefined, undefined]);
  expect(table.commandCalls(TransactWriteCommand)).toHaveLength(1);
});
