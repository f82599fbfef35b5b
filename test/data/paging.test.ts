import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as data from '#data/read.ts';
import { putItem } from '#data/write.ts';
import { interceptTable } from '#test/support/table-calls.ts';
import { withBareTable } from '#test/support/with-bare-table.ts';

withBareTable();

const partition = 'PAGED';
const names = Array.from({ length: 45 }, (_, n) => `N#${String(n).padStart(2, '0')}`);
const reversed = names.toReversed();

beforeAll(async () => {
  for (const sk of [...names, 'M#before', 'O#behind']) {
    await putItem({ pk: partition, sk, collection_pk: `OF#${partition}`, collection_sk: sk });
  }
});

let read = 0;
let evaluated = 0;
let limits: unknown[] = [];
beforeEach(() => {
  read = 0;
  evaluated = 0;
  limits = [];
  interceptTable(async ({ operation, input }, send) => {
    const response = await send();
    if (operation === 'Query') {
      const { Items = [], ScannedCount = 0 } = response as { Items?: unknown[]; ScannedCount?: number };
      read += Items.length;
      evaluated += ScannedCount;
      limits.push(input.Limit);
    }
    return response;
  });
});

const keysOf = (items: readonly Readonly<Record<string, unknown>>[]) => items.map(({ sk }) => sk);

it.each([
  ['the table', { partition }],
  ['an index', { partition: `OF#${partition}`, index: 'collection' }],
] as const)(
  'every page of %s has the expected items, in both orders, with and without a known total',
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

it('reading a page transfers at most one item more than the page, and skips from the nearer end', async () => {
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

it('the first page has the newest items even if the total is outdated', async () => {
  const range = { partition, prefix: 'N#', newestFirst: true };
  expect(keysOf(await data.pageOfCollection(range, 0, 5, 3))).toEqual(reversed.slice(0, 5));
});

it('the items of a collection are counted, of the table and of an index', async () => {
  expect(await data.countCollection(partition, 'N#')).toBe(45);
  expect(await data.countCollection(`OF#${partition}`, undefined, 'collection')).toBe(47);
  expect(await data.countCollection('NOTHING')).toBe(0);
});

it('no query of a collection is without a limit: the embedded engine would read the rest of the collection for each page', async () => {
  const range = { partition, prefix: 'N#' };
  await data.wholeCollection(range);
  await data.countCollection(partition);
  await data.pageOfCollection(range, 40, 5);
  await data.firstOfCollection(range, 5000);
  expect(limits).toHaveLength(5);
  for (const limit of limits) expect(limit).toBeLessThanOrEqual(2000);
});

describe('the items of several partitions', () => {
  const parts = ['MERGED', 'MERGED#1', 'MERGED#2', 'MERGED#3'];
  const keys = Array.from({ length: 40 }, (_, n) => `N#${String(n).padStart(2, '0')}`);

  beforeAll(async () => {
    // None in the third, most in the first.
    for (const [n, sk] of keys.entries()) await putItem({ pk: parts[[0, 0, 1, 0, 3][n % 5] as number], sk });
  });

  const merged = async (range: object, count: number): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const { sk } of data.itemsOfPartitions(parts, range, count)) {
      found.push(sk);
      if (found.length === count) break;
    }
    return found;
  };

  it.each([1, 3, 7, 40, 100])(
    'the items of several partitions are in the order of their sort keys when %i are wanted',
    async (count) => {
      expect(await merged({}, count)).toEqual(keys.slice(0, count));
      expect(await merged({ newestFirst: true }, count)).toEqual(keys.toReversed().slice(0, count));
      expect(await merged({ newestFirst: true, before: 'N#20' }, count)).toEqual(
        keys.slice(0, 20).toReversed().slice(0, count),
      );
    },
  );

  it('the items of several partitions are read in proportion to how many are wanted', async () => {
    await merged({}, 8);
    expect(read).toBeLessThanOrEqual(18);
  });
});
