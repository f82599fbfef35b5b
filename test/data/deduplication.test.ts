import { afterAll, beforeAll, expect, it } from 'vitest';
import { deduplicationKey } from '#data/keys.ts';
import { DEDUPLICATION_DAYS } from '#events/subscriptions.ts';
import { stageOverrides } from '#lib/stages.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';

let server: TestServer;
let processOnce: typeof import('#data/deduplication.ts').processOnce;
let AlreadyRunning: typeof import('#data/deduplication.ts').AlreadyRunning;
let findItem: typeof import('#data/read.ts').findItem;
let updateItem: typeof import('#data/write.ts').updateItem;

beforeAll(async () => {
  server = await startTestServer();
  ({ processOnce, AlreadyRunning } = await import('#data/deduplication.ts'));
  ({ findItem } = await import('#data/read.ts'));
  ({ updateItem } = await import('#data/write.ts'));
});

afterAll(async () => {
  await server.stop();
});

const nothing = () => Promise.resolve();
const fails = () => Promise.reject(new Error('not now'));
const epochSeconds = (): number => Math.floor(Date.now() / 1000);

it('processes an event once, and again after a failure', async () => {
  await expect(processOnce('mail.tellSubmitter', 'evt_1', fails)).rejects.toThrow('not now');
  expect(await processOnce('mail.tellSubmitter', 'evt_1', nothing)).toBe(true);
  expect(await processOnce('mail.tellSubmitter', 'evt_1', fails)).toBe(false);
});

it('keeps deduplication records for longer than the archive of the bus', async () => {
  await processOnce('mail.tellSubmitter', 'evt_0', nothing);
  const ttl = Number((await findItem(deduplicationKey('mail.tellSubmitter', 'evt_0')))?.ttl);
  expect((ttl - Date.now() / 1000) / 86_400).toBeCloseTo(DEDUPLICATION_DAYS, 2);
  const longestArchiveDays = Math.max(...Object.values(stageOverrides).map(({ archiveDays = 0 }) => archiveDays));
  expect(longestArchiveDays).toBeLessThan(DEDUPLICATION_DAYS);
});

it('does not release the claim of another run when a timed-out run fails', async () => {
  const timedOut = processOnce('mail.tellSubmitter', 'evt_2', async () => {
    // Simulates the claim of another run after the timeout.
    const until = Math.floor(Date.now() / 1000) + 300;
    await updateItem(deduplicationKey('mail.tellSubmitter', 'evt_2'), { set: { until } });
    throw new Error('not now');
  });
  await expect(timedOut).rejects.toThrow('not now');
  await expect(processOnce('mail.tellSubmitter', 'evt_2', nothing)).rejects.toThrow(AlreadyRunning);
});

it.each([
  ['mail.tellSubmitter', 30],
  ['mail.tellAdmins', 120],
])(
  'claims an event of %s for the timeout of its function, %i seconds, and a margin of 5',
  async (subscriber, timeout) => {
    const earliest = epochSeconds();
    let until = 0;
    await processOnce(subscriber, 'evt_3', async () => {
      until = Number((await findItem(deduplicationKey(subscriber, 'evt_3')))?.until);
    });
    expect(until).toBeGreaterThanOrEqual(earliest + timeout + 5);
    expect(until).toBeLessThanOrEqual(epochSeconds() + timeout + 5);
  },
);
