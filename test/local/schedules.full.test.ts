import { expect, it, vi } from 'vitest';
import { type Job, jobs } from '#events/jobs.ts';
import { startSchedules } from '#local/schedules.ts';
import { startTestServer } from '#test/support/server.ts';

/** Schedules in real time: the first runs follow seconds after the start. */

it('an overdue job runs once after the start of the server', async () => {
  const [first] = jobs;
  const daily: Job = { ...first, schedule: 'cron(40 2 * * ? *)', localSeconds: undefined as never };
  const name = `schedule ${daily.route.id}`;
  const startedAt = Date.now();
  const checkpoints = new Map([[name, String(startedAt - 3 * 86_400_000)]]);
  let runs = 0;
  const schedules = startSchedules({
    jobs: [daily],
    importHandler: async () => async () => {
      runs += 1;
    },
    checkpoints: { get: (key) => checkpoints.get(key), set: (key, value) => void checkpoints.set(key, value) },
  });
  await vi.waitFor(() => expect(runs).toBe(1), 60_000);
  await schedules.stop();
  expect(Number(checkpoints.get(name))).toBeGreaterThanOrEqual(startedAt);
});

it('what is due for publication is public soon after the start of the server, and later within 15 seconds', async () => {
  const publications = jobs.find(({ route }) => route.id === 'cron.publishScheduled');
  expect(publications).toMatchObject({ schedule: 'rate(1 minute)', localSeconds: 15 });
  const startedAt = performance.now();
  const runs: number[] = [];
  const schedules = startSchedules({
    jobs: [publications as Job],
    importHandler: async () => async () => {
      runs.push(performance.now() - startedAt);
    },
    checkpoints: { get: () => undefined, set: () => undefined },
  });
  await vi.waitFor(() => expect(runs).toHaveLength(2), 60_000);
  await schedules.stop();
  expect(runs[0]).toBeLessThan(15_000);
});

it('a local server with schedules runs its jobs', async () => {
  const server = await startTestServer({ schedules: true });
  try {
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0';
    const body = { type: 'pageview', path: '/' };
    await server.call('POST', '/api/analytics/track', { body, headers: { 'user-agent': agent } });
    const token = await server.token({ email: 'root@example.com', admin: true });
    const pageviews = async () => {
      const { body: report } = await server.call('GET', '/api/admin/analytics', { token });
      return (report as { data: { totals: { pageviews: number } } }).data.totals.pageviews;
    };
    await server.until(async () => (await pageviews()) === 1);
  } finally {
    await server.stop();
  }
});
