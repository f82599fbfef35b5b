import { afterAll, beforeAll, expect, it } from 'vitest';
import { receiptKey } from '#data/keys.ts';
import { REMEMBERED_DAYS } from '#events/memory.ts';
import { stageOverrides } from '#lib/stages.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** What is done once per event, on the real engine. */

let world: TestWorld;
let once: typeof import('#data/receipts.ts').once;
let AlreadyRunning: typeof import('#data/receipts.ts').AlreadyRunning;
let findItem: typeof import('#data/read.ts').findItem;
let updateItem: typeof import('#data/write.ts').updateItem;

beforeAll(async () => {
  world = await startTestWorld();
  ({ once, AlreadyRunning } = await import('#data/receipts.ts'));
  ({ findItem } = await import('#data/read.ts'));
  ({ updateItem } = await import('#data/write.ts'));
});

afterAll(async () => {
  await world.stop();
});

const nothing = () => Promise.resolve();
const fails = () => Promise.reject(new Error('not now'));
const secondsLeft = async (subscriber: string, event: string): Promise<number> =>
  Number((await findItem(receiptKey(subscriber, event)))?.until) - Date.now() / 1000;

it('is done once, and again after it failed', async () => {
  await expect(once('mail.tellSubmitter', 'evt_1', fails)).rejects.toThrow('not now');
  expect(await once('mail.tellSubmitter', 'evt_1', nothing)).toBe(true);
  expect(await once('mail.tellSubmitter', 'evt_1', fails)).toBe(false);
});

it('is remembered for longer than the archive of the bus can bring it again', async () => {
  await once('mail.tellSubmitter', 'evt_0', nothing);
  const ttl = Number((await findItem(receiptKey('mail.tellSubmitter', 'evt_0')))?.ttl);
  expect((ttl - Date.now() / 1000) / 86_400).toBeCloseTo(REMEMBERED_DAYS, 2);
  const longest = Math.max(...Object.values(stageOverrides).map(({ archiveDays = 0 }) => archiveDays));
  expect(longest).toBeLessThan(REMEMBERED_DAYS);
});

it('a run that overstays and fails does not let go of what its successor holds', async () => {
  const overstaying = once('mail.tellSubmitter', 'evt_2', async () => {
    // Its time is up, and another one has begun in its place.
    const until = Math.floor(Date.now() / 1000) + 300;
    await updateItem(receiptKey('mail.tellSubmitter', 'evt_2'), { set: { until } });
    throw new Error('not now');
  });
  await expect(overstaying).rejects.toThrow('not now');
  await expect(once('mail.tellSubmitter', 'evt_2', nothing)).rejects.toThrow(AlreadyRunning);
});

it('gives a run as long as its function may take', async () => {
  const lefts: number[] = [];
  for (const subscriber of ['mail.tellSubmitter', 'mail.tellAdmins']) {
    await once(subscriber, 'evt_3', async () => {
      lefts.push(await secondsLeft(subscriber, 'evt_3'));
    });
  }
  expect(lefts[0]).toBeGreaterThan(30);
  expect(lefts[0]).toBeLessThanOrEqual(36);
  expect(lefts[1]).toBeGreaterThan(120);
});
