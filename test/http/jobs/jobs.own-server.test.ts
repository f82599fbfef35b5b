import { expect, it } from 'vitest';
import type { AuditEntry } from '#contract/audit.ts';
import { type Job, refreshTrending } from '#contract/jobs.ts';
import { type Feature, neededFeatures, type Route } from '#contract/route.ts';
import { insertTracked } from '#data/analytics.ts';
import { beginRun } from '#data/jobs.ts';
import { jobs } from '#events/jobs.ts';
import { job } from '#http/job.ts';
import { importHandler } from '#local/handlers.ts';
import { lambdaContext } from '#local/lambda-context.ts';
import { dayOf } from '#model/days.ts';
import { jobNameOf } from '#model/job.ts';
import { now, secondsFromNow } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { dataOf, NOT_FOUND, person, success, TIME } from '#test/support/fixtures.ts';
import { callJob, runJob } from '#test/support/jobs.ts';
import { ownDirectory } from '#test/support/with-directory.ts';
import { featureToSwitchOff } from '#test/support/without-feature.ts';

const JOBS = '/api/admin/jobs';

const env = { FEATURE_ANALYTICS: 'off' };

const { server, directory } = await ownDirectory({ env });

const jobsOf = (feature: Feature | undefined): string[] =>
  (jobs as readonly { readonly route: Route }[])
    .filter(({ route: { feature: own } }) => own && feature && (own === feature || neededFeatures[own] === feature))
    .map(({ route }) => jobNameOf(route));

const allJobs = async (): Promise<Job[]> => dataOf(await directory.adminOk('GET', JOBS));

const jobNamed = async (name: string): Promise<Job> => {
  const found = (await allJobs()).find((one) => one.name === name);
  if (!found) throw new Error(`There is no job ${name}.`);
  return found;
};

const request = (name: string) => directory.asAdmin('POST', `${JOBS}/${name}/run`);

const countFailedJobs = async (): Promise<number> =>
  dataOf<{ jobs_failed: number }>(await directory.adminOk('GET', '/api/admin/summary')).jobs_failed;

/** Leaves a run in progress, as a process does that died. @param seconds until it counts as interrupted. */
const begin = (name: string, seconds: number): Promise<unknown> =>
  beginRun(name, { run_id: 'killed', started_at: now(), until: secondsFromNow(seconds) }, false);

const before = await allJobs();

it('expire-promotions counts what was tracked before analytics was switched off', async () => {
  const { id } = await directory.live(await person(server));
  await insertTracked({
    id: newId('trk'),
    day: dayOf(now()),
    hour: 1,
    visitor: 'a visitor',
    counted: true,
    country: 'Unknown',
    browser: 'Firefox',
    device: 'desktop',
    lines: [{ type: 'project_view', project: id, referrer: null, count: 1 }],
    done: 0,
  });
  await runJob(server, 'expire-promotions');
  expect(await directory.read(id)).toMatchObject({ views_count: 1 });
});

it('the list of jobs has every job by name, with its schedule and the time of its next run', () => {
  expect(before.map(({ name }) => name)).toEqual(before.map(({ name }) => name).toSorted());
  expect(before.find(({ name }) => name === 'purge-deleted')).toEqual({
    name: 'purge-deleted',
    schedule: 'cron(40 2 * * ? *)',
    last_run: null,
    recent_runs: [],
    next_run_at: expect.stringMatching(/T02:40:00\.000Z$/),
    is_enabled: true,
    off: null,
    is_running: false,
  });
});

it('the list of jobs says which jobs do not run: their feature is off, or they are not scheduled on this machine', () => {
  const disabled = before.filter(({ is_enabled }) => !is_enabled);
  const names = ['check-links', 'roll-up-analytics', ...jobsOf(featureToSwitchOff(env))].toSorted();
  expect(disabled.map(({ name, next_run_at }) => [name, next_run_at])).toEqual(names.map((name) => [name, null]));
  const offOf = new Map(disabled.map(({ name, off }) => [name, off]));
  expect(offOf.get('check-links')).toEqual({ reason: 'deployed_only', variable: null });
  expect(offOf.get('roll-up-analytics')).toEqual({ reason: 'feature', variable: 'FEATURE_ANALYTICS' });
});

it('the list of jobs has the last run by HTTP and by schedule, and counts the next one from the latter', async () => {
  await runJob(server, 'expire-promotions');
  const first = await jobNamed('expire-promotions');
  expect(first.last_run).toEqual({ at: TIME, took_ms: expect.any(Number), ok: true, summary: 'processed 0' });
  const run = await importHandler('cron.expirePromotions');
  await run({ schedule: 'cron.expirePromotions' }, lambdaContext('cron.expirePromotions', 'test', 30));
  const second = await jobNamed('expire-promotions');
  const at = Date.parse(second.last_run?.at ?? '');
  expect(at).toBeGreaterThan(Date.parse(first.last_run?.at ?? ''));
  expect(Date.parse(second.next_run_at ?? '')).toBe(at + 5 * 60_000);
});

it('a requested run of a job is accepted at once, runs in the background, and is audited', async () => {
  expect(await request('purge-deleted')).toMatchObject(success({ name: 'purge-deleted', requested_at: TIME }, 202));
  await server.until(async () => (await jobNamed('purge-deleted')).last_run);
  const { last_run, is_running } = await jobNamed('purge-deleted');
  expect([last_run?.ok, last_run?.summary, is_running]).toEqual([true, 'processed 0', false]);
  const audit = await directory.adminOk('GET', '/api/admin/audit?subject=job:purge-deleted');
  expect(dataOf<AuditEntry[]>(audit)).toMatchObject([{ action: 'jobs.run', actor_id: directory.admin.id }]);
});

it('a requested run of a job is refused with IN_PROGRESS while one runs, until the lock of a killed run expires', async () => {
  await begin('snapshot-catalog', 600);
  expect(await request('snapshot-catalog')).toMatchObject({ status: 409, body: { code: 'IN_PROGRESS' } });
  expect(await jobNamed('snapshot-catalog')).toMatchObject({ is_running: true, last_run: null });

  await begin('snapshot-catalog', -1);
  const killed = { ok: false, summary: 'The run did not end in time.' };
  expect(await jobNamed('snapshot-catalog')).toMatchObject({ is_running: false, last_run: killed });
  expect((await jobNamed('snapshot-catalog')).recent_runs).toMatchObject([killed]);
  expect(await countFailedJobs()).toBe(1);
  expect(await request('snapshot-catalog')).toMatchObject({ status: 202 });
  await server.until(async () => (await jobNamed('snapshot-catalog')).last_run?.ok);
  expect(await countFailedJobs()).toBe(0);
});

it('a requested run of a job is refused for jobs that do not exist and for those whose feature is off', async () => {
  for (const name of ['nonsense', 'purgeDeleted', 'cron.purgeDeleted']) {
    expect(await request(name)).toMatchObject(NOT_FOUND);
  }
  expect(await request('roll-up-analytics')).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
});

const failing = job(refreshTrending, () => Promise.reject(new RangeError('personal data')));
const context = () => lambdaContext('cron.refreshTrending', 'the-request', 30);

it('a failed run of a job is listed with its reason, without the message of the error, and counted until the next run', async () => {
  await expect(failing({ schedule: 'cron.refreshTrending' }, context())).rejects.toThrow('failed: RangeError');
  expect((await jobNamed('refresh-trending')).last_run).toMatchObject({
    ok: false,
    summary: 'RangeError; see the log of request the-request.',
  });
  expect(await countFailedJobs()).toBe(1);
  await runJob(server, 'refresh-trending');
  const { last_run, recent_runs } = await jobNamed('refresh-trending');
  expect(last_run).toMatchObject({ ok: true });
  expect(recent_runs.slice(0, 2)).toEqual([last_run, expect.objectContaining({ ok: false })]);
  expect(await countFailedJobs()).toBe(0);
});

it('a failed run of a job is not repeated by the bus when an administrator requested it', async () => {
  const detail = {
    id: 'evt_01JD00000000000000000000AA',
    kind: 'jobDue',
    occurred_at: now(),
    actor_id: null,
    data: { job: 'refresh-trending' },
  };
  expect(await failing({ 'detail-type': 'jobDue', detail }, context())).toMatchObject({ job: 'refresh-trending' });
  expect((await jobNamed('refresh-trending')).last_run).toMatchObject({ ok: false });
  const other = { ...detail, data: { job: 'purge-deleted' } };
  await expect(failing({ 'detail-type': 'jobDue', detail: other }, context())).rejects.toThrow('not a requested run');
  expect(await callJob(server, 'refresh-trending')).toMatchObject({ status: 200 });
});

it('the list of jobs has the newest ten runs of a job, newest first', async () => {
  for (let run = 0; run < 11; run += 1) await runJob(server, 'refresh-trending');
  const { last_run, recent_runs } = await jobNamed('refresh-trending');
  expect(recent_runs).toHaveLength(10);
  expect(recent_runs[0]).toEqual(last_run);
  expect(recent_runs.map(({ at }) => at)).toEqual(
    recent_runs
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  );
});
