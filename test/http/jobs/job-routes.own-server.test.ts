import { ulid } from 'ulid';
import { describe, expect, it, vi } from 'vitest';
import { inFeed, projectKey, revisionKey, voteKey } from '#data/keys.ts';
import { findItem } from '#data/read.ts';
import { putItem, updateItem } from '#data/write.ts';
import { type Job, jobs } from '#events/jobs.ts';
import { importHandler } from '#local/handlers.ts';
import { lambdaContext } from '#local/lambda-context.ts';
import { kindsAbout } from '#test/support/events.ts';
import { dataOf, idsOf, metaOf, person, success, TIME, UNAUTHORIZED, unique } from '#test/support/fixtures.ts';
import { CRON_SECRET, callJob, type JobResult, runJob, runOnSchedule } from '#test/support/jobs.ts';
import { longTest } from '#test/support/long-test.ts';
import { ownDirectory } from '#test/support/with-directory.ts';
import { featureToSwitchOff } from '#test/support/without-feature.ts';

const all: readonly Job[] = jobs;
const named = all.map((job) => ({ name: job.route.path.split('/').at(-1) ?? '', job }));

const { server, directory } = await ownDirectory();
const owner = await person(server, { name: 'Olga' });

describe.each(named)('the job $name', ({ name, job }) => {
  it.each(['GET', 'POST'])('runs by %s with the secret', async (method) => {
    const response = await callJob(server, name, { method });
    expect(response).toMatchObject(
      success({ job: name, ran_at: TIME, processed: expect.any(Number) as number, unfinished: false }),
    );
    expect(response.headers.get('cache-control')).toContain('no-store');
  });

  it('runs by its schedule with the same result, and concurrently', async () => {
    const requests = [runJob(server, name), runOnSchedule(job), runJob(server, name), runOnSchedule(job)];
    const [requested, ...others] = (await Promise.all(requests)) as JobResult[];
    for (const result of others) {
      expect(result).toMatchObject({ job: name, ran_at: TIME });
      expect(Object.keys(result).sort()).toEqual(Object.keys(requested ?? {}).sort());
    }
  });

  it('rejects the events of other jobs', async () => {
    const handler = await importHandler(job.route.id);
    for (const event of [{ schedule: 'cron.other' }, {}, null, 'text', { 'detail-type': 'projectApproved' }]) {
      await expect(handler(event, lambdaContext(job.route.id, 'test', 30))).rejects.toThrow(
        'The event is not a scheduled run of',
      );
    }
  });
});

it('a job returns 401 to similar secrets, to secrets in other places, and when none is configured', async () => {
  for (const secret of ['', CRON_SECRET.slice(0, -1), `${CRON_SECRET}x`, CRON_SECRET.toUpperCase()]) {
    expect(await callJob(server, 'purge-deleted', { secret })).toMatchObject(UNAUTHORIZED);
  }
  const headers = { authorization: `Basic ${CRON_SECRET}`, cookie: `directory_token=${CRON_SECRET}` };
  const path = '/api/cron/purge-deleted';
  expect(await server.call('POST', path, { headers })).toMatchObject(UNAUTHORIZED);
  expect(await server.call('GET', `${path}?secret=${CRON_SECRET}`)).toMatchObject(UNAUTHORIZED);
  vi.stubEnv('CRON_SECRET', undefined);
  for (const secret of [CRON_SECRET, '', 'undefined']) {
    expect(await callJob(server, 'purge-deleted', { secret })).toMatchObject(UNAUTHORIZED);
  }
});

describe('purge-deleted', () => {
  const DAY_MS = 86_400_000;
  const deletedDaysAgo = async (days: number) => {
    const project = await directory.live(owner);
    const deleted_at = new Date(Date.now() - days * DAY_MS).toISOString();
    await directory.adminOk('PUT', `/api/admin/projects/${project.id}`, { deleted_at });
    return project;
  };
  const exists = async (id: string) => (await directory.get(`/api/projects/${id}`, directory.admin)).status === 200;

  longTest('deletes the revisions of a project beyond the newest hundred, but no pending one', async () => {
    const { id } = await directory.live(owner);
    // Two more are those of the submission and the approval.
    const pending = `rev_${ulid(Date.now() - 2 * DAY_MS)}`;
    const revisions = Array.from({ length: 103 }, () => `rev_${ulid(Date.now() - DAY_MS)}`);
    const stored = { type: 'revision', project_id: id, changes: '[]', applied: '[]', cause: 'edited', base_version: 1 };
    await Promise.all(
      [pending, ...revisions].map((revision) =>
        putItem({
          ...revisionKey(id, revision),
          ...stored,
          id: revision,
          at: new Date().toISOString(),
          etag: '"1.x"',
          state: revision === pending ? 'pending' : 'applied',
        }),
      ),
    );
    await updateItem(projectKey(id), { set: { version: 110 } }, undefined, (at) => inFeed(at, projectKey(id), 1));
    const path = `/api/projects/${id}/revisions`;
    const listed = async () => {
      const first = await directory.get(`${path}?limit=100`, owner);
      const { nextAfter } = metaOf(first) as unknown as { nextAfter: string };
      return [...idsOf(first), ...idsOf(await directory.get(`${path}?limit=100&after=${nextAfter}`, owner))];
    };
    const kept = [...revisions.toSorted().slice(-98).toReversed(), pending];
    // The others are hidden before the job deletes them.
    expect((await listed()).slice(2)).toEqual(kept);
    expect(await runJob(server, 'purge-deleted')).toMatchObject({ revisions: 5 });
    expect(await runJob(server, 'purge-deleted')).toMatchObject({ revisions: 0 });
    expect((await listed()).slice(2)).toEqual(kept);
  });

  it('purges projects that were deleted 30 days ago once, with their votes and slugs', async () => {
    const old = await directory.live(owner, { slug: unique('old') });
    await directory.ok(owner, 'PUT', `/api/projects/${old.id}/upvote`);
    const deleted_at = new Date(Date.now() - 31 * DAY_MS).toISOString();
    await directory.adminOk('PUT', `/api/admin/projects/${old.id}`, { deleted_at });
    const recent = await deletedDaysAgo(29);
    const open = await directory.live(owner);
    const bySlug = async () => (await directory.get(`/api/projects/${old.slug}`, directory.admin)).body;
    expect(await bySlug()).toMatchObject({ data: { id: old.id } });

    const runs = await Promise.all([runJob(server, 'purge-deleted'), runJob(server, 'purge-deleted')]);
    expect(runs.reduce((sum, { processed }) => sum + processed, 0)).toBe(1);
    expect(await runJob(server, 'purge-deleted')).toMatchObject({ processed: 0 });
    expect(await exists(old.id)).toBe(false);
    expect(await bySlug()).toMatchObject({ code: 'NOT_FOUND' });
    expect(await exists(recent.id)).toBe(true);
    expect(await exists(open.id)).toBe(true);
    await server.until(async () => (await findItem(voteKey(old.id, owner.id))) === undefined);
    // One event of the deletion and one of the purge.
    const deletions = async () => (await kindsAbout(server, old.id)).filter((kind) => kind === 'projectDeleted');
    await server.until(async () => (await deletions()).length >= 2);
    expect(await deletions()).toHaveLength(2);
    const again = await directory.submit(owner, { slug: old.slug });
    expect(again.slug).toBe(old.slug);
    expect(await bySlug()).toMatchObject({ data: { id: again.id } });
  });

  longTest('keeps projects that are restored concurrently', async () => {
    const projects = await Promise.all(Array.from({ length: 6 }, () => deletedDaysAgo(40)));
    const restored = await Promise.all([
      runJob(server, 'purge-deleted'),
      ...projects.map(({ id }) =>
        directory.as(directory.admin, 'PUT', `/api/admin/projects/${id}`, { deleted_at: null }),
      ),
    ]);
    const [result, ...responses] = restored as [JobResult, ...{ status: number }[]];
    let kept = 0;
    for (const [position, { id }] of projects.entries()) {
      const wasRestored = responses[position]?.status === 200;
      if (wasRestored) kept += 1;
      expect([id, await exists(id)]).toEqual([id, wasRestored]);
    }
    expect(result.processed).toBe(projects.length - kept);
  });
});

it('refresh-trending returns the first ten projects of the list sorted by trending', async () => {
  const liked = await directory.live(owner);
  const voters = await Promise.all(Array.from({ length: 3 }, () => person(server)));
  for (const voter of voters) {
    await directory.ok(voter, 'PUT', `/api/projects/${liked.id}/upvote`);
  }
  const { processed, trending } = await runJob(server, 'refresh-trending');
  const list = await directory.get('/api/projects?sort=trending&limit=10');
  expect((list.body as { meta: { total: number } }).meta.total).toBe(processed);
  const listed = dataOf<{ id: string; slug: string; name: string; upvote_count: number }[]>(list);
  expect(trending).toEqual(listed.map(({ id, slug, name, upvote_count }) => ({ id, slug, name, upvote_count })));
  expect(trending).toContainEqual(expect.objectContaining({ id: liked.id, upvote_count: 3 }));
});

it('expire-promotions marks an ended promotion and notifies of one that ends soon, once each', async () => {
  const project = await directory.live(owner);
  const grant = async (ends_at: string) => {
    const body = { project_id: project.id, placements: ['catalog'], ends_at };
    return dataOf<{ id: string }>(await directory.adminOk('POST', '/api/admin/promotions', body, 201));
  };
  const soon = await grant(new Date(Date.now() + 86_400_000).toISOString());
  const over = await grant(new Date(Date.now() + 10 * 86_400_000).toISOString());
  const past = { action: 'set_end_date', ends_at: new Date(Date.now() - 1000).toISOString() };
  await directory.adminOk('PUT', `/api/admin/promotions/${over.id}`, past);
  const runs = await Promise.all([runJob(server, 'expire-promotions'), runJob(server, 'expire-promotions')]);
  const sum = (of: (result: JobResult) => unknown) => runs.reduce((total, result) => total + Number(of(result)), 0);
  const mailed = featureToSwitchOff() === 'email' ? 0 : 1;
  expect([sum(({ processed }) => processed), sum(({ notified }) => notified)]).toEqual([1, mailed]);
  expect(await runJob(server, 'expire-promotions')).toMatchObject({ processed: 0, notified: 0 });
  await directory.adminOk('PUT', `/api/admin/promotions/${soon.id}`, { action: 'revoke' });
});
