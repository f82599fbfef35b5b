import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** Pages of collections, on the real engine: which items, and how many of them are read out. */

let world: TestWorld;
let data: typeof import('#data/read.ts');

const partition = 'PAGED';
const names = Array.from({ length: 45 }, (_, n) => `N#${String(n).padStart(2, '0')}`);
const reversed = names.toReversed();

beforeAll(async () => {
  world = await startTestWorld();
  data = await import('#data/read.ts');
  const { putItem } = await import('#data/write.ts');
  for (const sk of [...names, 'M#before', 'O#behind']) {
    await putItem({ pk: partition, sk, collection_pk: `OF#${partition}`, collection_sk: sk });
  }
});

afterAll(async () => {
  await world.stop();
});

let read = 0;
let evaluated = 0;
beforeEach(async () => {
  read = 0;
  evaluated = 0;
  const { dynamo } = await import('#platform/dynamo.ts');
  const client = dynamo() as unknown as { send: (command: unknown) => Promise<unknown> };
  const send = client.send.bind(client);
  vi.spyOn(client, 'send').mockImplementation(async (command: unknown) => {
    const answer = (await send(command)) as { Items?: unknown[]; ScannedCount?: number };
    if (command instanceof QueryCommand) {
      read += answer.Items?.length ?? 0;
      evaluated += answer.ScannedCount ?? 0;
    }
    return answer;
  });
});

const keysOf = (items: readonly Readonly<Record<string, unknown>>[]) => items.map(({ sk }) => sk);

it.each([
  ['the table', { partition }],
  ['an index', { partition: `OF#${partition}`, index: 'collection' }],
] as const)(
  'every page of %s is what it should be, in both orders, whether the total is known or not',
  async (_, of) => {
    for (const count of [1, 7, 20, 45, 60]) {
      for (const skip of [0, 1, 7, 20, 22, 38, 44, 45, 46, 90]) {
        for (const total of [undefined, 45]) {
          const range = { ...of, prefix: 'N#' };
          expect(keysOf(await data.pageOfCollection(range, skip, count, total))).toEqual(
            names.slice(skip, skip + count),
          );
          const newestFirst = await data.pageOfCollection({ ...range, newestFirst: true }, skip, count, total);
          expect(keysOf(newestFirst)).toEqual(reversed.slice(skip, skip + count));
        }
      }
    }
  },
);

it('reads out no more than the page and its end, and passes over from the nearer end', async () => {
  const range = { partition, prefix: 'N#', newestFirst: true };
  expect(await data.pageOfCollection(range, 30, 5)).toHaveLength(5);
  expect(read).toBeLessThanOrEqual(6);
  expect(evaluated).toBeLessThanOrEqual(36);
  read = 0;
  evaluated = 0;
  expect(keysOf(await data.pageOfCollection(range, 40, 5, 45))).toEqual(reversed.slice(40));
  expect(read).toBeLessThanOrEqual(6);
  expect(evaluated).toBeLessThanOrEqual(6);
});

it('shows the newest on the first page, however few there were a moment ago', async () => {
  const range = { partition, prefix: 'N#', newestFirst: true };
  expect(keysOf(await data.pageOfCollection(range, 0, 5, 3))).toEqual(reversed.slice(0, 5));
});

it('counts a collection of the table and of an index', async () => {
  expect(await data.countCollection(partition, 'N#')).toBe(45);
  expect(await data.countCollection(`OF#${partition}`, undefined, 'collection')).toBe(47);
  expect(await data.countCollection('NOTHING')).toBe(0);
});
