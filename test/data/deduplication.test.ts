import { expect, it } from 'vitest';
import { AlreadyRunning, processOnce } from '#data/deduplication.ts';
import { deduplicationKey } from '#data/keys.ts';
import { findItem } from '#data/read.ts';
import { updateItem } from '#data/write.ts';
import { DEDUPLICATION_DAYS } from '#events/subscriptions.ts';
import { stageOverrides } from '#lib/stages.ts';
import { withClockAhead, YEARS_AHEAD_MS } from '#test/support/virtual-time.ts';
import { withBareTable } from '#test/support/with-bare-table.ts';

withBareTable();

const nothing = () => Promise.resolve();
const fails = () => Promise.reject(new Error('not now'));
const epochSeconds = (): number => Math.floor(Date.now() / 1000);

it('an event is processed once, and again after a failure', async () => {
  await expect(processOnce('mail.notifySubmitter', 'evt_1', fails)).rejects.toThrow('not now');
  expect(await processOnce('mail.notifySubmitter', 'evt_1', nothing)).toBe(true);
  expect(await processOnce('mail.notifySubmitter', 'evt_1', fails)).toBe(false);
});

it('deduplication records are kept for longer than the archive of the bus', async () => {
  await processOnce('mail.notifySubmitter', 'evt_0', nothing);
  const ttl = Number((await findItem(deduplicationKey('mail.notifySubmitter', 'evt_0')))?.ttl);
  expect((ttl - Date.now() / 1000) / 86_400).toBeCloseTo(DEDUPLICATION_DAYS, 2);
  const longestArchiveDays = Math.max(...Object.values(stageOverrides).map(({ archiveDays = 0 }) => archiveDays));
  expect(longestArchiveDays).toBeLessThan(DEDUPLICATION_DAYS);
});

it('a timed-out run that fails does not release the claim of another run', async () => {
  const timedOut = processOnce('mail.notifySubmitter', 'evt_2', async () => {
    // Simulates the claim of another run after the timeout.
    const until = Math.floor(Date.now() / 1000) + 300;
    await updateItem(deduplicationKey('mail.notifySubmitter', 'evt_2'), { set: { until } });
    throw new Error('not now');
  });
  await expect(timedOut).rejects.toThrow('not now');
  await expect(processOnce('mail.notifySubmitter', 'evt_2', nothing)).rejects.toThrow(AlreadyRunning);
});

it('an event is processed whose run died before the clock was set back', async () => {
  const key = deduplicationKey('mail.notifySubmitter', 'evt_5');
  const until = await withClockAhead(YEARS_AHEAD_MS, async () => epochSeconds());
  await updateItem(key, { set: { type: 'deduplication', state: 'running', until } });
  expect(await processOnce('mail.notifySubmitter', 'evt_5', nothing)).toBe(true);
  expect(await processOnce('mail.notifySubmitter', 'evt_5', fails)).toBe(false);
});

it.each([
  ['mail.notifySubmitter', 30],
  ['mail.notifyAdmins', 120],
])(
  'an event of %s is claimed for the timeout of its function, %i seconds, and a margin of 5',
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
