import { expect, it } from 'vitest';
import { siteReport, tracked } from '#test/support/analytics.ts';
import type { Directory } from '#test/support/fixtures.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** On one machine numbers are at most 10 seconds old, and nobody has to ask for it. */

let world: TestWorld;
let directory: Directory;

withDirectory(
  (opened) => {
    ({ world, directory } = opened);
  },
  { schedules: true },
);

it('shows in the report within 10 seconds what was tracked', async () => {
  await tracked(world, { type: 'pageview', path: '/' });
  await world.until(async () => (await siteReport(directory)).totals.pageviews === 1, 10_000);
  expect((await siteReport(directory)).totals).toMatchObject({ pageviews: 1, visitors: 1 });
}, 20_000);

it('is rolled up by the job on request, too', async () => {
  await tracked(world, {
    events: [
      { type: 'pageview', path: '/' },
      { type: 'custom', path: '/', name: 'signup' },
    ],
  });
  const answer = await world.call('POST', '/api/cron/roll-up-analytics', { token: 'local-cron-secret' });
  expect(answer).toMatchObject({ status: 200, body: { data: { job: 'roll-up-analytics', unfinished: false } } });
  expect((await siteReport(directory)).totals.pageviews).toBe(2);
});
