import { afterAll, beforeAll, expect, it } from 'vitest';
import { features, type Method } from '#contract/route.ts';
import { type Job, jobs } from '#events/jobs.ts';
import { NOT_FOUND } from '#test/support/fixtures.ts';
import { callJob, runOnSchedule } from '#test/support/jobs.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';

/** Jobs with every feature switched off. */

const named = (jobs as readonly Job[]).map((job) => ({ name: job.route.path.split('/').at(-1) ?? '', job }));
const methods: readonly Method[] = ['GET', 'POST'];

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({
    env: Object.fromEntries(features.map((feature) => [`FEATURE_${feature.toUpperCase()}`, 'off'])),
  });
});

afterAll(async () => {
  await server.stop();
});

it.each(named.filter(({ job }) => job.route.feature))(
  '$name returns 404 to every caller and is skipped by its schedule',
  async ({ name, job }) => {
    for (const method of methods) {
      for (const secret of [null, 'wrong', undefined]) {
        expect(await callJob(server, name, { method, ...(secret !== undefined && { secret }) })).toMatchObject(
          NOT_FOUND,
        );
      }
    }
    expect(await runOnSchedule(job)).toEqual({ job: name, skipped: `The feature ${job.route.feature} is off.` });
  },
);

it.each(named.filter(({ job }) => !job.route.feature))('$name still runs', async ({ name, job }) => {
  expect(await callJob(server, name)).toMatchObject({ status: 200 });
  expect(await runOnSchedule(job)).toMatchObject({ job: name, processed: 0 });
});
