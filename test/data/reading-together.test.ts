import { BatchGetCommand, DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, it } from 'vitest';
import { findItem, findItems } from '#data/read.ts';

/** What is asked for at the same time is read in one call, on a table that answers as it is told. */

process.env.TABLE_NAME = 'table';

const table = mockClient(DynamoDBDocumentClient);
beforeEach(() => {
  table.reset();
});

const keyOf = (n: number) => ({ pk: `P#${n}`, sk: 'S' });
const everyKey = (count: number) => Array.from({ length: count }, (_, n) => keyOf(n));

const answersAll = () =>
  table.on(BatchGetCommand).callsFake(({ RequestItems }) => ({
    Responses: { table: RequestItems.table.Keys.map((key: object) => ({ ...key, found: true })) },
  }));

const batches = (): number[] =>
  table.commandCalls(BatchGetCommand).map(({ args }) => args[0].input.RequestItems?.table?.Keys?.length ?? 0);

it('one item is read by itself, many in one call, each once', async () => {
  table.on(GetCommand).resolves({ Item: { ...keyOf(1), found: true } });
  answersAll();
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

it('never more than a hundred together, and consistently', async () => {
  answersAll();
  const found = await findItems(everyKey(250));
  expect(found.map((item) => item?.pk)).toEqual(everyKey(250).map(({ pk }) => pk));
  expect(batches()).toEqual([100, 100, 50]);
  for (const { args } of table.commandCalls(BatchGetCommand)) {
    expect(args[0].input.RequestItems?.table?.ConsistentRead).toBe(true);
  }
});

it('what is asked for after an answer is asked anew', async () => {
  table
    .on(GetCommand)
    .resolvesOnce({ Item: { value: 1 } })
    .resolvesOnce({ Item: { value: 2 } });
  expect(await findItem(keyOf(1))).toEqual({ value: 1 });
  expect(await findItem(keyOf(1))).toEqual({ value: 2 });
});

it('asks again for what the table has left out', async () => {
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

it('a key that the table refuses is the failure of who asked for it, and of nobody beside him', async () => {
  const refused = Object.assign(new Error('One of the keys is too long.'), { name: 'ValidationException' });
  table.on(BatchGetCommand).rejects(refused);
  table
    .on(GetCommand)
    .callsFake(async ({ Key }) => (Key.pk === 'P#2' ? Promise.reject(refused) : { Item: { ...Key, found: true } }));
  const asked = await Promise.allSettled([findItem(keyOf(1)), findItem(keyOf(2)), findItem(keyOf(3))]);
  expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(batches()).toEqual([3]);
});

it('a failure is everybody’s who asked, and nobody’s who asks later', async () => {
  table.on(BatchGetCommand).rejectsOnce(new Error('not there'));
  const asked = await Promise.allSettled([findItem(keyOf(1)), findItem(keyOf(2)), findItem(keyOf(1))]);
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  table.on(GetCommand).resolves({ Item: keyOf(1) });
  expect(await findItem(keyOf(1))).toEqual(keyOf(1));
});
