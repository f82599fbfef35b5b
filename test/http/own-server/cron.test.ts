import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import { inFeed, projectKey, revisionKey, voteKey } from '#data/keys.ts';
import { findItem } from '#data/read.ts';
import { putItem, updateItem } from '#data/write.ts';
import { type Job, jobs } from '#events/jobs.ts';
import { importHandler } from '#local/handlers.ts';
import { lambdaContext } from '#local/lambda-context.ts';
import {
  type Directory,
  dataOf,
  idsOf,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  TIME,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import { CRON_SECRET, callJob, type JobResult, runJob, runOnSchedule } from '#test/support/jobs.ts';
import { longTest } from '#test/support/long-test.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';
import { featureToSwitchOff } from '#test/support/without-feature.ts';

const all: readonly Job[] = jobs;
const named = all.map((job) => ({ name: job.route.path.split('/').at(-1) ?? '', job }));

let server: TestServer;
let directory: Directory;
let owner: Person;

withOwnServer(async (opened) => {
  ({ server, directory } = opened);
  owner = await person(server, { name: 'Olga' });
});

describe('the table of jobs', () => {
  it('has the jobs of the contract, each with GET and POST', () => {
    expect(named.map(({ name }) => name).sort()).toEqual([
      'check-links',
      'collect-dead-letters',
      'expire-promotions',
      'purge-deleted',
      'reconcile-counters',
      'reconcile-payments',
      'refresh-trending',
      'retry-webhooks',
      'roll-up-analytics',
      'snapshot-catalog',
      'weekly-digest',
    ]);
    const handlers = all.map(({ route }) =>
      routes.filter(({ path }) => path === route.path).map(({ method }) => method),
    );
    for (const methods of handlers) expect(methods.toSorted()).toEqual(['GET', 'POST']);
  });
});

describe.each(named)('$name', ({ name, job }) => {
  it.each(['GET', 'POST'])('runs by %s with the secret', async (method) => {
    const response = await callJob(server, name, { method });
    expect(response).toMatchObject({
      status: 200,
      body: { data: { job: name, ran_at: TIME, processed: expect.any(Number) as number, unfinished: false } },
    });
    expect(response.headers.get('cache-control')).toContain('no-store');
  });

  it('returns 401 without the secret or with another one', async () => {
    for (const secret of [null, '', 'wrong', CRON_SECRET.slice(0, -1), `${CRON_SECRET}x`, CRON_SECRET.toUpperCase()]) {
      expect(await callJob(server, name, { secret })).toMatchObject(UNAUTHORIZED);
    }
    const headers = { authorization: `Basic ${CRON_SECRET}`, cookie: `directory_token=${CRON_SECRET}` };
    expect(await server.call('POST', `/api/cron/${name}`, { headers })).toMatchObject(UNAUTHORIZED);
    expect(await server.call('GET', `/api/cron/${name}?secret=${CRON_SECRET}`)).toMatchObject(UNAUTHORIZED);
  });

  it('returns 401 when no secret is configured', async () => {
    const configured = process.env.CRON_SECRET;
    delete process.env.CRON_SECRET;
    try {
      for (const secret of [CRON_SECRET, '', 'undefined']) {
        expect(await callJob(server, name, { secret })).toMatchObject(UNAUTHORIZED);
      }
    } finally {
      process.env.CRON_SECRET = configured;
    }
  });

  it('runs by its schedule with the same result', async () => {
    const requested = await runJob(server, name);
    const result = (await runOnSchedule(job)) as JobResult;
    expect(result).toMatchObject({ job: name, ran_at: TIME, unfinished: false });
    expect(Object.keys(result).sort()).toEqual(Object.keys(requested).sort());
  });

  it('rejects events of other jobs', async () => {
    const handler = await importHandler(job.route.id);
    for (const event of [{ schedule: 'cron.other' }, {}, null, 'text', { 'detail-type': 'projectApproved' }]) {
      await expect(handler(event, lambdaContext(job.route.id, 'test', 30))).rejects.toThrow(
        'The event is not a scheduled run of',
      );
    }
  });

  it('can run concurrently', async () => {
    const runs = await Promise.all([
      runJob(server, name),
      runOnSchedule(job),
      runJob(server, name),
      runOnSchedule(job),
    ]);
    for (const result of runs) expect(result).toMatchObject({ job: name });
  });
});

it('returns 404 for unknown jobs and 405 for unknown methods, with any secret', async () => {
  for (const job of ['nonsense', 'expirePromotions', 'expire_promotions', '', 'expire-promotions/now']) {
    expect(await callJob(server, job)).toMatchObject(NOT_FOUND);
    expect(await callJob(server, job, { secret: 'wrong' })).toMatchObject(NOT_FOUND);
  }
  expect(await callJob(server, 'purge-deleted', { method: 'PUT' })).toMatchObject({
    status: 405,
    body: { code: 'METHOD_NOT_ALLOWED' },
  });
});

describe('purge-deleted', () => {
  const DAY_MS = 86_400_000;
  const deletedDaysAgo = async (days: number) => {
    const project = await directory.live(owner);
    const deleted_at = new Date(Date.now() - days * DAY_MS).toISOString();
    await directory.adminOk('PUT', `/api/admin/projects/${project.id}`, { deleted_at });
    return project;
  };
  const eventsOf = async (id: string): Promise<string[]> => {
    const events = (await server.events()).filter(({ data }) => (data as { project_id?: string }).project_id === id);
    return events.map(({ kind }) => kind);
  };
  const exists = async (id: string) => (await directory.get(`/api/projects/${id}`, directory.admin)).status === 200;

  it('deletes the revisions beyond the newest hundred, but none that waits', async () => {
    const { id } = await directory.live(owner);
    // Two more are those of the submission and the approval.
    const waiting = `rev_${ulid(Date.now() - 2 * DAY_MS)}`;
    const revisions = Array.from({ length: 103 }, () => `rev_${ulid(Date.now() - DAY_MS)}`);
    const stored = { type: 'revision', project_id: id, changes: [], applied: [], cause: 'edited', base_version: 1 };
    await Promise.all(
      [waiting, ...revisions].map((revision) =>
        putItem({
          ...revisionKey(id, revision),
          ...stored,
          id: revision,
          at: new Date().toISOString(),
          etag: '"1.x"',
          state: revision === waiting ? 'pending' : 'applied',
        }),
      ),
    );
    await updateItem(projectKey(id), { set: { version: 110 } }, undefined, (at) => inFeed(at, projectKey(id), 1));
    const path = `/api/projects/${id}/revisions`;
    const listed = async () => {
      const [first, next] = [
        await directory.get(`${path}?limit=100`, owner),
        async (after: string) => directory.get(`${path}?limit=100&after=${after}`, owner),
      ];
      const { nextAfter } = metaOf(first) as unknown as { nextAfter: string };
      return [...idsOf(first), ...idsOf(await next(nextAfter))];
    };
    const kept = [...revisions.toSorted().slice(-98).toReversed(), waiting];
    // Those that are not kept are hidden before the job deletes them.
    expect((await listed()).slice(2)).toEqual(kept);
    expect(await runJob(server, 'purge-deleted')).toMatchObject({ revisions: 5 });
    expect(await runJob(server, 'purge-deleted')).toMatchObject({ revisions: 0 });
    expect((await listed()).slice(2)).toEqual(kept);
  });

  it('purges projects that were deleted 30 days ago once, with their votes and slugs', async () => {
    const old = await directory.live(owner, { slug: unique('old') });
    expect(await directory.as(owner, 'PUT', `/api/projects/${old.id}/upvote`)).toMatchObject({ status: 200 });
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
    await server.until(async () => (await eventsOf(old.id)).filter((kind) => kind === 'projectDeleted').length >= 2);
    expect((await eventsOf(old.id)).filter((kind) => kind === 'projectDeleted')).toHaveLength(2);
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

describe('refresh-trending', () => {
  it('returns the first ten projects of the list sorted by trending', async () => {
    const liked = await directory.live(owner);
    const voters = await Promise.all(Array.from({ length: 3 }, () => person(server)));
    for (const voter of voters) {
      expect(await directory.as(voter, 'PUT', `/api/projects/${liked.id}/upvote`)).toMatchObject({ status: 200 });
    }
    const { processed, trending } = await runJob(server, 'refresh-trending');
    const list = await directory.get('/api/projects?sort=trending&limit=10');
    expect((list.body as { meta: { total: number } }).meta.total).toBe(processed);
    const listed = dataOf<{ id: string; slug: string; name: string; upvote_count: number }[]>(list);
    expect(trending).toEqual(listed.map(({ id, slug, name, upvote_count }) => ({ id, slug, name, upvote_count })));
    expect(trending).toContainEqual(expect.objectContaining({ id: liked.id, upvote_count: 3 }));
  });
});

describe('expire-promotions', () => {
  it('marks an ended promotion and notifies of one that ends soon, once each', async () => {
    const project = await directory.live(owner);
    const grant = async (ends_at: string) => {
      const body = { project_id: project.id, placements: ['catalog'], ends_at };
      const granted = await directory.as(directory.admin, 'POST', '/api/admin/promotions', body);
      expect(granted).toMatchObject({ status: 201 });
      return dataOf<{ id: string }>(granted);
    };
    const soon = await grant(new Date(Date.now() + 86_400_000).toISOString());
    const over = await grant(new Date(Date.now() + 10 * 86_400_000).toISOString());
    const past = { action: 'set_end_date', ends_at: new Date(Date.now() - 1000).toISOString() };
    await directory.adminOk('PUT', `/api/admin/promotions/${over.id}`, past);
    const runs = await Promise.all([runJob(server, 'expire-promotions'), runJob(server, 'expire-promotions')]);
    const sum = (of: (result: JobResult) => unknown) => runs.reduce((total, result) => total + Number(of(result)), 0);
    const mailed = featureToSwitchOff() === 'email' ? 0 : 1;
    expect([sum(({ processed }) => processed), sum(({ told }) => told)]).toEqual([1, mailed]);
    expect(await runJob(server, 'expire-promotions')).toMatchObject({ processed: 0, told: 0 });
    await directory.adminOk('PUT', `/api/admin/promotions/${soon.id}`, { action: 'revoke' });
  });
});
