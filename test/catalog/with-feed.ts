import { afterAll, afterEach, beforeAll } from 'vitest';
import { type BareTable, startBareTable } from '#test/support/bare-table.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';
import { RequestBarrier } from './consistency/request-barrier.ts';

interface Feed {
  readonly table: BareTable;
  /** Between this process and the table; it forwards all requests again after each test. */
  readonly barrier: RequestBarrier;
  readonly time: VirtualTime;
}

/** Starts a table for the tests of this file, which read its feed at a time that they set. */
export const withFeed = (prepare: (feed: Feed) => void, variables: Readonly<Record<string, string>> = {}): void => {
  let feed: Feed;

  beforeAll(async () => {
    const table = await startBareTable(variables);
    feed = { table, barrier: new RequestBarrier(), time: new VirtualTime('2026-03-01T00:00:00.000Z') };
    prepare(feed);
  });

  afterEach(() => {
    feed.barrier.closed = false;
    feed.barrier.tamper = undefined;
  });

  afterAll(async () => {
    feed.time.restore();
    feed.barrier.restore();
    await feed.table.stop();
  });
};
