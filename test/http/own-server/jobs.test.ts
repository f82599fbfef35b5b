import { beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '#contract/audit.ts';
import { refreshTrending } from '#contract/cron.ts';
import type { Job } from '#contract/jobs.ts';
import type { Feature, Route } from '#contract/route.ts';
import { beginRun } from '#data/jobs.ts';
import { jobs } from '#events/jobs.ts';
import { job } from '#http/job.ts';
import { importHandler } from '#local/handlers.ts';
import { lambdaContext } from '#local/lambda-context.ts';
import { jobNameOf } from '#model/job.ts';
import { now, secondsFromNow } from '#platform/clock.ts';
import { type Directory, dataOf, NOT_FOUND, TIME } from '#test/support/fixtures.ts';
import { callJob, runJob } from '#test/support/jobs.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';
import { featureToSwitchOff } from '#test/support/without-feature.ts';

const JOBS = '/api/admin/jobs';

const env = { FEATURE_ANALYTICS: 'off' };

let server: TestServer;
let directory: Directory;
let before: readonly Job[];

withOwnServer(
  (opened) => {
    ({ server, directory } = opened);
  },
  { env },
);

/** The names of the jobs of a feature. */
const jobsOf = (feature: Feature | undefined): string[] =>
  (jobs as readonly { readonly route: Route }[])
    .filter(({ route }) => feature !== undefined && route.feature === feature)
    .map(({ route }) => jobNameOf(route));

const allJobs = async (): Promise<Job[]> => dataOf(await directory.adminOk('GET', JOBS));

const jobNamed = async (name: string): Promise<Job> => {
  const found = (await allJobs()).find((one) => one.name === name);
  if (!found) throw new Error(`There is no job ${name}.`);
  return found;
};

const request = (name: string) => directory.as(directory.admin, 'POST', `${JOBS}/${name}/run`);

const countFailedJobs = async (): Promise<number> =>
  dataOf<{ jobs_failed: number }>(await directory.adminOk('GET', '/api/admin/summary')).jobs_failed;

/** Leaves a run in progress, as a process does that died. @param seconds until it counts as interrupted. */
const begin = (name: string, seconds: number): Promise<void> =>
  beginRun(name, { run_id: 'killed', started_at: now(), until: secondsFromNow(seconds) }, false);

beforeAll(async () => {
  before = await allJobs();
});

describe('the list of jobs', () => {
  it('has every job by name, with its schedule and the time of its next run', () => {
    expect(before.map(({ name }) => name)).toEqual(before.map(({ name }) => name).toSorted());
    expect(before.find(({ name }) => name === 'purge-deleted')).toEqual({
      name: 'purge-deleted',
      schedule: 'cron(40 2 * * ? *)',
      last_run: null,
      next_run_at: expect.stringMatching(/T02:40:00\.000Z$/),
      is_enabled: true,
      is_running: false,
    });
  });

  it('says which jobs do not run: their feature is off, or they are not scheduled on this machine', () => {
    const disabled = before.filter(({ is_enabled }) => !is_enabled);
    const names = ['check-links', 'roll-up-analytics', ...jobsOf(featureToSwitchOff(env))].toSorted();
    expect(disabled.map(({ name, next_run_at }) => [name, next_run_at])).toEqual(names.map((name) => [name, null]));
  });

  it('has the last run by HTTP and by schedule, and counts the next one from the latter', async () => {
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
});

describe('a requested run', () => {
  it('is accepted at once, runs in the background, and is audited', async () => {
    const response = await request('purge-deleted');
    expect(response).toMatchObject({ status: 202, body: { data: { name: 'purge-deleted', requested_at: TIME } } });
    await server.until(async () => (await jobNamed('purge-deleted')).last_run);
    const { last_run, is_running } = await jobNamed('purge-deleted');
    expect([last_run?.ok, last_run?.summary, is_running]).toEqual([true, 'processed 0', false]);
    const audit = await directory.adminOk('GET', '/api/admin/audit?subject=job:purge-deleted');
    expect(dataOf<AuditEntry[]>(audit)).toMatchObject([{ action: 'jobs.run', actor_id: directory.admin.id }]);
  });

  it('is refused with IN_PROGRESS while one runs, until the lock of a killed run expires', async () => {
    await begin('snapshot-catalog', 600);
    expect(await request('snapshot-catalog')).toMatchObject({ status: 409, body: { code: 'IN_PROGRESS' } });
    expect(await jobNamed('snapshot-catalog')).toMatchObject({ is_running: true, last_run: null });

    await begin('snapshot-catalog', -1);
    const killed = { ok: false, summary: 'The run did not end in time.' };
    expect(await jobNamed('snapshot-catalog')).toMatchObject({ is_running: false, last_run: killed });
    expect(await countFailedJobs()).toBe(1);
    expect(await request('snapshot-catalog')).toMatchObject({ status: 202 });
    await server.until(async () => (await jobNamed('snapshot-catalog')).last_run?.ok);
    expect(await countFailedJobs()).toBe(0);
  });

  it('is refused for jobs that do not exist and for those whose feature is off', async () => {
    for (const name of ['nonsense', 'purgeDeleted', 'cron.purgeDeleted']) {
      expect(await request(name)).toMatchObject(NOT_FOUND);
    }
    expect(await request('roll-up-analytics')).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
  });
});

describe('a failed run', () => {
  const failing = job(refreshTrending, () => Promise.reject(new RangeError('personal data')));
  const context = () => lambdaContext('cron.refreshTrending', 'the-request', 30);

  it('is listed with its reason, without the message of the error, and counted until the next run', async () => {
    await expect(failing({ schedule: 'cron.refreshTrending' }, context())).rejects.toThrow('failed: RangeError');
    expect((await jobNamed('refresh-trending')).last_run).toMatchObject({
      ok: false,
      summary: 'RangeError; see the log of request the-request.',
    });
    expect(await countFailedJobs()).toBe(1);
    await runJob(server, 'refresh-trending');
    expect((await jobNamed('refresh-trending')).last_run).toMatchObject({ ok: true });
    expect(await countFailedJobs()).toBe(0);
  });

  it('is not repeated by the bus when an administrator requested it', async () => {
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
});
