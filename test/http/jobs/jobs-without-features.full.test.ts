import { expect, it } from 'vitest';
import { features } from '#contract/route.ts';
import { type Job, jobs } from '#events/jobs.ts';
import { callJob, runOnSchedule } from '#test/support/jobs.ts';
import { ownServer } from '#test/support/with-directory.ts';

const named = (jobs as readonly Job[]).map((job) => ({ name: job.route.path.split('/').at(-1) ?? '', job }));

const server = await ownServer({
  env: Object.fromEntries(features.map((feature) => [`FEATURE_${feature.toUpperCase()}`, 'off'])),
});

it.each(named.filter(({ job }) => job.route.feature))(
  'the schedule of $name skips the job while its feature is off',
  async ({ name, job }) => {
    expect(await runOnSchedule(job)).toEqual({ job: name, skipped: `The feature ${job.route.feature} is off.` });
  },
);

it.each(named.filter(({ job }) => !job.route.feature))(
  '$name runs while every feature is off',
  async ({ name, job }) => {
    expect(await callJob(server, name)).toMatchObject({ status: 200 });
    expect(await runOnSchedule(job)).toMatchObject({ job: name, processed: 0 });
  },
);
