import { beforeEach, expect, it } from 'vitest';
import { jobs } from '#events/jobs.ts';
import { siteReport, trackAccepted } from '#test/support/analytics.ts';
import { type Directory, TIME } from '#test/support/fixtures.ts';
import { runJob, runOnSchedule } from '#test/support/jobs.ts';
import { scanTable } from '#test/support/scan-table.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

let server: TestServer;
let directory: Directory;

// Without schedules: each test starts the roll-up itself.
withOwnServer((opened) => {
  ({ server, directory } = opened);
});

const job = jobs.find(({ route }) => route.id === 'cron.rollUpAnalytics');
if (!job) throw new Error('The roll-up is not scheduled.');

const EVENTS = [
  { type: 'pageview', path: '/' },
  { type: 'custom', path: '/', name: 'signup' },
];

const pageviews = async () => (await siteReport(directory)).totals.pageviews;
const waitingItems = async () => (await scanTable(server)).filter(({ type }) => type === 'tracked');

let before = 0;
beforeEach(async () => {
  before = await pageviews();
  await trackAccepted(server, { events: EVENTS });
});

it('is scheduled every minute when deployed, and every 5 seconds on a single machine', () => {
  // The contract promises figures at most two minutes old, and 10 seconds old on a single machine.
  expect(job).toMatchObject({ schedule: 'rate(1 minute)', localSeconds: 5 });
  expect(job).not.toHaveProperty('deployedOnly');
  expect(job).not.toHaveProperty('flexibleMinutes');
});

it('does not change the report before a run', async () => {
  expect(await pageviews()).toBe(before);
  expect(await waitingItems()).not.toEqual([]);
});

it('adds all waiting events to the report in a scheduled run', async () => {
  const waiting = (await waitingItems()).length;
  expect(waiting).toBeGreaterThan(0);
  const summary = await runOnSchedule(job);
  expect(summary).toEqual({
    job: 'roll-up-analytics',
    ran_at: TIME,
    processed: waiting * EVENTS.length,
    unfinished: false,
  });
  expect((await siteReport(directory)).totals).toMatchObject({ pageviews: before + waiting, visitors: 1 });
  expect(await waitingItems()).toEqual([]);
});

it('adds all waiting events to the report in a run over HTTP', async () => {
  expect(await runJob(server, 'roll-up-analytics')).toMatchObject({ processed: EVENTS.length, unfinished: false });
  expect(await pageviews()).toBe(before + 1);
  expect(await waitingItems()).toEqual([]);
});
