import { describe, expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import { voteKey } from '#data/keys.ts';
import { findItem } from '#data/read.ts';
import { type Job, jobs } from '#events/jobs.ts';
import { importDoor } from '#local/doors.ts';
import { lambdaContext } from '#local/lambda-context.ts';
import {
  type Directory,
  dataOf,
  NOT_FOUND,
  type Person,
  person,
  TIME,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import { callJob, ranJob, SECRET, scheduled, type Told } from '#test/support/jobs.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** Jobs: who may run them, how they are run, and that running them twice does no harm. */

const all: readonly Job[] = jobs;
const named = all.map((job) => ({ name: job.route.path.split('/').at(-1) ?? '', job }));

let world: TestWorld;
let directory: Directory;
let owner: Person;

withDirectory(async (opened) => {
  ({ world, directory } = opened);
  owner = await person(world, { name: 'Olga' });
});

describe('the table of jobs', () => {
  it('has the jobs of the contract, each with the two methods', () => {
    expect(named.map(({ name }) => name).sort()).toEqual([
      'check-links',
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
    const doors = all.map(({ route }) => routes.filter(({ path }) => path === route.path).map(({ method }) => method));
    for (const methods of doors) expect(methods.toSorted()).toEqual(['GET', 'POST']);
  });
});

describe.each(named)('$name', ({ name, job }) => {
  it.each(['GET', 'POST'])('is run by %s with the secret', async (method) => {
    const answer = await callJob(world, name, { method });
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { job: name, ran_at: TIME, processed: expect.any(Number) as number, unfinished: false } },
    });
    expect(answer.headers.get('cache-control')).toContain('no-store');
  });

  it('is 401 without it, and with anything else', async () => {
    for (const secret of [null, '', 'wrong', SECRET.slice(0, -1), `${SECRET}x`, SECRET.toUpperCase()]) {
      expect(await callJob(world, name, { secret })).toMatchObject(UNAUTHORIZED);
    }
    const headers = { authorization: `Basic ${SECRET}`, cookie: `directory_token=${SECRET}` };
    expect(await world.call('POST', `/api/cron/${name}`, { headers })).toMatchObject(UNAUTHORIZED);
    expect(await world.call('GET', `/api/cron/${name}?secret=${SECRET}`)).toMatchObject(UNAUTHORIZED);
  });

  it('is 401 for everybody where no secret is configured', async () => {
    const { CRON_SECRET } = process.env;
    delete process.env.CRON_SECRET;
    try {
      for (const secret of [SECRET, '', 'undefined']) {
        expect(await callJob(world, name, { secret })).toMatchObject(UNAUTHORIZED);
      }
    } finally {
      process.env.CRON_SECRET = CRON_SECRET;
    }
  });

  it('is run by its schedule, and tells the same', async () => {
    const told = (await scheduled(job)) as Told;
    expect(told).toMatchObject({ job: name, ran_at: TIME, unfinished: false });
    expect(Object.keys(told).sort()).toEqual(Object.keys(await ranJob(world, name)).sort());
  });

  it('does not mistake the run of another job for its own', async () => {
    const handler = await importDoor(job.route.id);
    for (const event of [{ schedule: 'cron.other' }, {}, null, 'text', { 'detail-type': 'projectApproved' }]) {
      await expect(handler(event, lambdaContext(job.route.id, 'test', 30))).rejects.toThrow('This is no run of');
    }
  });

  it('may run several times at once', async () => {
    const runs = await Promise.all([ranJob(world, name), scheduled(job), ranJob(world, name), scheduled(job)]);
    for (const told of runs) expect(told).toMatchObject({ job: name });
  });
});

it('answers 404 to jobs that do not exist, whatever is presented', async () => {
  for (const job of ['nonsense', 'expirePromotions', 'expire_promotions', '', 'expire-promotions/now']) {
    expect(await callJob(world, job)).toMatchObject(NOT_FOUND);
    expect(await callJob(world, job, { secret: 'wrong' })).toMatchObject(NOT_FOUND);
  }
  expect(await callJob(world, 'purge-deleted', { method: 'PUT' })).toMatchObject(NOT_FOUND);
});

describe('purge-deleted', () => {
  const DAY_MS = 86_400_000;
  const deletedDaysAgo = async (days: number) => {
    const project = await directory.live(owner);
    const deleted_at = new Date(Date.now() - days * DAY_MS).toISOString();
    await directory.done('PUT', `/api/admin/projects/${project.id}`, { deleted_at });
    return project;
  };
  const eventsOf = async (id: string): Promise<string[]> => {
    const events = (await world.events()).filter(({ data }) => (data as { project_id?: string }).project_id === id);
    return events.map(({ kind }) => kind);
  };
  const isThere = async (id: string) => (await directory.get(`/api/projects/${id}`, directory.admin)).status === 200;

  it('removes for good what was deleted 30 days ago, once, with all that hangs on it', async () => {
    const old = await directory.live(owner, { slug: unique('old') });
    await directory.as(owner, 'PUT', `/api/projects/${old.id}/upvote`);
    const deleted_at = new Date(Date.now() - 31 * DAY_MS).toISOString();
    await directory.done('PUT', `/api/admin/projects/${old.id}`, { deleted_at });
    const recent = await deletedDaysAgo(29);
    const open = await directory.live(owner);
    const bySlug = async () => (await directory.get(`/api/projects/${old.slug}`, directory.admin)).body;
    expect(await bySlug()).toMatchObject({ data: { id: old.id } });

    const runs = await Promise.all([ranJob(world, 'purge-deleted'), ranJob(world, 'purge-deleted')]);
    expect(runs.reduce((sum, { processed }) => sum + processed, 0)).toBe(1);
    expect(await ranJob(world, 'purge-deleted')).toMatchObject({ processed: 0 });
    expect(await isThere(old.id)).toBe(false);
    expect(await bySlug()).toMatchObject({ code: 'NOT_FOUND' });
    expect(await isThere(recent.id)).toBe(true);
    expect(await isThere(open.id)).toBe(true);
    await world.until(async () => (await findItem(voteKey(old.id, owner.id))) === undefined);
    // Deleted, then removed for good: each told once.
    await world.until(async () => (await eventsOf(old.id)).filter((kind) => kind === 'projectDeleted').length >= 2);
    expect((await eventsOf(old.id)).filter((kind) => kind === 'projectDeleted')).toHaveLength(2);
    const again = await directory.submit(owner, { slug: old.slug });
    expect(again.slug).toBe(old.slug);
    expect(await bySlug()).toMatchObject({ data: { id: again.id } });
  });

  it('leaves alone what is given back at the same moment', async () => {
    const projects = await Promise.all(Array.from({ length: 6 }, () => deletedDaysAgo(40)));
    const restored = await Promise.all([
      ranJob(world, 'purge-deleted'),
      ...projects.map(({ id }) =>
        directory.as(directory.admin, 'PUT', `/api/admin/projects/${id}`, { deleted_at: null }),
      ),
    ]);
    const [told, ...answers] = restored as [Told, ...{ status: number }[]];
    let kept = 0;
    for (const [position, { id }] of projects.entries()) {
      const wasGivenBack = answers[position]?.status === 200;
      if (wasGivenBack) kept += 1;
      expect([id, await isThere(id)]).toEqual([id, wasGivenBack]);
    }
    expect(told.processed).toBe(projects.length - kept);
  });
});

describe('refresh-trending', () => {
  it('tells the first ten of the list that is sorted so', async () => {
    const liked = await directory.live(owner);
    const voters = await Promise.all(Array.from({ length: 3 }, () => person(world)));
    await Promise.all(voters.map((voter) => directory.as(voter, 'PUT', `/api/projects/${liked.id}/upvote`)));
    const { processed, trending } = await ranJob(world, 'refresh-trending');
    const list = await directory.get('/api/projects?sort=trending&limit=10');
    expect((list.body as { meta: { total: number } }).meta.total).toBe(processed);
    const listed = dataOf<{ id: string; slug: string; name: string; upvote_count: number }[]>(list);
    expect(trending).toEqual(listed.map(({ id, slug, name, upvote_count }) => ({ id, slug, name, upvote_count })));
    expect(trending).toContainEqual(expect.objectContaining({ id: liked.id, upvote_count: 3 }));
  });
});

describe('expire-promotions', () => {
  it('notes an end and tells of one to come, each once', async () => {
    const project = await directory.live(owner);
    const grant = async (ends_at: string) =>
      dataOf<{ id: string }>(
        await directory.as(directory.admin, 'POST', '/api/admin/promotions', {
          project_id: project.id,
          placements: ['catalog'],
          ends_at,
        }),
      );
    const soon = await grant(new Date(Date.now() + 86_400_000).toISOString());
    const over = await grant(new Date(Date.now() + 10 * 86_400_000).toISOString());
    const past = { action: 'set_end_date', ends_at: new Date(Date.now() - 1000).toISOString() };
    await directory.done('PUT', `/api/admin/promotions/${over.id}`, past);
    const runs = await Promise.all([ranJob(world, 'expire-promotions'), ranJob(world, 'expire-promotions')]);
    const sum = (of: (told: Told) => unknown) => runs.reduce((total, told) => total + Number(of(told)), 0);
    expect([sum(({ processed }) => processed), sum(({ told }) => told)]).toEqual([1, 1]);
    expect(await ranJob(world, 'expire-promotions')).toMatchObject({ processed: 0, told: 0 });
    await directory.done('PUT', `/api/admin/promotions/${soon.id}`, { action: 'revoke' });
  });
});
