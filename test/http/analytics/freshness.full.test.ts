import { beforeEach, expect, it } from 'vitest';
import { jobs } from '#events/jobs.ts';
import { siteReport, trackAccepted } from '#test/support/analytics.ts';
import { TIME } from '#test/support/fixtures.ts';
import { runJob, runOnSchedule } from '#test/support/jobs.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

// Without schedules: each test starts the roll-up itself.
const { server, directory } = await ownDirectory();

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

it('the roll-up is scheduled every minute when deployed, and every 5 seconds on a single machine', () => {
  // The contract promises figures at most two minutes old, and 10 seconds old on a single machine.
  expect(job).toMatchObject({ schedule: 'rate(1 minute)', localSeconds: 5 });
  expect(job).not.toHaveProperty('deployedOnly');
  expect(job).not.toHaveProperty('flexibleMinutes');
});

it.each([
  ['by its schedule', () => runOnSchedule(job)],
  ['over HTTP', () => runJob(server, 'roll-up-analytics')],
] as const)(
  'a roll-up that runs %s adds all tracked events to the report, which does not change before',
  async (_, run) => {
    expect(await pageviews()).toBe(before);
    const waiting = (await waitingItems()).length;
    expect(waiting).toBeGreaterThan(0);
    expect(await run()).toEqual({
      job: 'roll-up-analytics',
      ran_at: TIME,
      processed: waiting * EVENTS.length,
      unfinished: false,
    });
    expect((await siteReport(directory)).totals).toMatchObject({ pageviews: before + waiting, visitors: 1 });
    expect(await waitingItems()).toEqual([]);
  },
);
