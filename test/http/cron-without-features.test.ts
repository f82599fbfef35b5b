import { afterAll, beforeAll, expect, it } from 'vitest';
import { features, type Method } from '#contract/route.ts';
import { type Job, jobs } from '#events/jobs.ts';
import { NOT_FOUND } from '#test/support/fixtures.ts';
import { callJob, scheduled } from '#test/support/jobs.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** What a switched-off feature leaves of its jobs. */

const named = (jobs as readonly Job[]).map((job) => ({ name: job.route.path.split('/').at(-1) ?? '', job }));
const methods: readonly Method[] = ['GET', 'POST'];

let world: TestWorld;

beforeAll(async () => {
  world = await startTestWorld({
    env: Object.fromEntries(features.map((feature) => [`FEATURE_${feature.toUpperCase()}`, 'off'])),
  });
});

afterAll(async () => {
  await world.stop();
});

it.each(named.filter(({ job }) => job.route.feature))('$name is 404 for everybody and skips', async ({ name, job }) => {
  for (const method of methods) {
    for (const secret of [null, 'wrong', undefined]) {
      expect(await callJob(world, name, { method, ...(secret !== undefined && { secret }) })).toMatchObject(NOT_FOUND);
    }
  }
  expect(await scheduled(job)).toEqual({ job: name, skipped: `The feature ${job.route.feature} is off.` });
});

it.each(named.filter(({ job }) => !job.route.feature))('$name runs on', async ({ name, job }) => {
  expect(await callJob(world, name)).toMatchObject({ status: 200 });
  expect(await scheduled(job)).toMatchObject({ job: name, processed: 0 });
});
