import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { BatchGetCommand, DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { findItem, findItems } from '#data/read.ts';
import { CALLS_FOLDER, readCalls, runAsHandler } from '#test/support/aws-calls.ts';

Object.assign(process.env, { TABLE_NAME: 'table', AWS_REGION: 'us-east-1' });

const table = mockClient(DynamoDBDocumentClient);
afterAll(() => table.restore());
beforeEach(() => {
  table.reset();
});

const keyOf = (n: number) => ({ pk: `P#${n}`, sk: 'S' });
const everyKey = (count: number) => Array.from({ length: count }, (_, n) => keyOf(n));

const returnAllItems = () =>
  table.on(BatchGetCommand).callsFake(({ RequestItems }) => ({
    Responses: { table: RequestItems.table.Keys.map((key: object) => ({ ...key, found: true })) },
  }));

const batches = (): number[] =>
  table.commandCalls(BatchGetCommand).map(({ args }) => args[0].input.RequestItems?.table?.Keys?.length ?? 0);

it('the table reader reads a single item with GetItem and several with one BatchGetItem, each once', async () => {
  table.on(GetCommand).resolves({ Item: { ...keyOf(1), found: true } });
  returnAllItems();
  expect(await findItem(keyOf(1))).toMatchObject({ found: true });
  expect(batches()).toEqual([]);
  const [pair, one, same] = await Promise.all([
    findItems([keyOf(1), keyOf(2)]),
    findItem(keyOf(3)),
    findItem(keyOf(1)),
  ]);
  expect([pair[0], pair[1], one, same].map((item) => item?.pk)).toEqual(['P#1', 'P#2', 'P#3', 'P#1']);
  expect(batches()).toEqual([3]);
});

it('the table reader reads at most 100 items per batch, with consistent reads', async () => {
  returnAllItems();
  const found = await findItems(everyKey(250));
  expect(found.map((item) => item?.pk)).toEqual(everyKey(250).map(({ pk }) => pk));
  expect(batches()).toEqual([100, 100, 50]);
  for (const { args } of table.commandCalls(BatchGetCommand)) {
    expect(args[0].input.RequestItems?.table?.ConsistentRead).toBe(true);
  }
});

it('the table reader reads an item again after the previous read has finished', async () => {
  table
    .on(GetCommand)
    .resolvesOnce({ Item: { value: 1 } })
    .resolvesOnce({ Item: { value: 2 } });
  expect(await findItem(keyOf(1))).toEqual({ value: 1 });
  expect(await findItem(keyOf(1))).toEqual({ value: 2 });
});

it('the table reader retries unprocessed keys', async () => {
  table
    .on(BatchGetCommand)
    .resolvesOnce({
      Responses: { table: [keyOf(0)] },
      UnprocessedKeys: { table: { Keys: [keyOf(1)] } },
    })
    .resolves({ Responses: { table: [keyOf(1)] } });
  expect((await findItems(everyKey(2))).map((item) => item?.pk)).toEqual(['P#0', 'P#1']);
  expect(batches()).toEqual([2, 1]);
});

it('the table reader rejects only the read of an invalid key, not the others of its batch', async () => {
  const invalid = Object.assign(new Error('One of the keys is too long.'), { name: 'ValidationException' });
  table.on(BatchGetCommand).rejects(invalid);
  table
    .on(GetCommand)
    .callsFake(async ({ Key }) => (Key.pk === 'P#2' ? Promise.reject(invalid) : { Item: { ...Key, found: true } }));
  const reads = await Promise.allSettled([findItem(keyOf(1)), findItem(keyOf(2)), findItem(keyOf(3))]);
  expect(reads.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(batches()).toEqual([3]);
});

it('the table reader rejects all reads of a failed batch, and none afterwards', async () => {
  table.on(BatchGetCommand).rejectsOnce(new Error('not there'));
  const reads = await Promise.allSettled([findItem(keyOf(1)), findItem(keyOf(2)), findItem(keyOf(1))]);
  expect(reads.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  table.on(GetCommand).resolves({ Item: keyOf(1) });
  expect(await findItem(keyOf(1))).toEqual(keyOf(1));
});

it('reads of several handlers in one batch are recorded as what each would call on its own', async () => {
  table.onAnyCommand().resolves({ Responses: {} });
  const folder = mkdtempSync(join(tmpdir(), 'recorded-reads-'));
  vi.stubEnv(CALLS_FOLDER, folder);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await Promise.all([
    runAsHandler('projects.read', () => findItem({ pk: 'PROJECT#prj_1', sk: 'PROJECT' })),
    runAsHandler('users.list', () =>
      findItems([
        { pk: 'USER#usr_1', sk: 'USER' },
        { pk: 'COUNTS', sk: 'USER' },
      ]),
    ),
  ]);
  // Recorded at the end of this iteration of the event loop.
  await immediate();
  expect(table.calls()).toHaveLength(1);
  const recorded = [...readCalls(folder)].map(([handler, calls]) => [
    handler,
    ...calls.map(({ action, leadingKey }) => `${action} ${leadingKey}`),
  ]);
  expect(recorded).toEqual([
    ['projects.read', 'dynamodb:GetItem PROJECT#'],
    ['users.list', 'dynamodb:BatchGetItem USER#', 'dynamodb:BatchGetItem COUNTS'],
  ]);
});
