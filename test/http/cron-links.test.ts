import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bookmarkKey, linkKey } from '#data/keys.ts';
import { findItem } from '#data/read.ts';
import { removeItem } from '#data/write.ts';
import { checkLinks } from '#domain/links/check.ts';
import { type LinkRecord, verdictOf } from '#domain/links/link.ts';
import { linkPorts } from '#ports/links.ts';
import { Directory, type Person, person } from '#test/support/fixtures.ts';
import { ranJob } from '#test/support/jobs.ts';
import { answer, type Receiver, startReceiver } from '#test/support/receiver.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';

/** Whether the sites of projects are there: asked for really, over as many days as it takes. */

const DAY_MS = 86_400_000;
const BUDGET_MS = 60_000;

let world: TestWorld;
let directory: Directory;
let owner: Person;
let site: Receiver;
let project: { readonly id: string };

beforeAll(async () => {
  world = await startTestWorld({ env: { WEBHOOK_ALLOW_PRIVATE: 'on' } });
  directory = await Directory.open(world);
  owner = await person(world);
  site = await startReceiver();
  project = await directory.live(owner, { url: site.url });
});

beforeEach(async () => {
  site.forget();
  await removeItem(linkKey(project.id));
});

afterAll(async () => {
  await site.stop();
  await world.stop();
});

const link = async (id = project.id): Promise<LinkRecord> => (await findItem(linkKey(id))) as unknown as LinkRecord;

/** Runs the job as it runs some days from now. */
const inDays = (days: number, more: Partial<typeof linkPorts> = {}) =>
  checkLinks({ ...linkPorts, now: () => new Date(Date.now() + days * DAY_MS).toISOString(), ...more }, BUDGET_MS);

describe('a site', () => {
  it('that answers is alive, and is asked once a day', async () => {
    expect(await ranJob(world, 'check-links')).toMatchObject({
      processed: 1,
      alive: 1,
      failing: 0,
      dead: 0,
      undecided: 0,
    });
    expect(await link()).toMatchObject({ project_id: project.id, url: site.url, state: 'alive', status: 200 });
    expect(site.received).toHaveLength(1);
    expect(site.received[0]?.headers['user-agent']).toContain('directory-link-check');
    expect(await ranJob(world, 'check-links')).toMatchObject({ processed: 0 });
    expect(await inDays(1)).toMatchObject({ processed: 1, alive: 1 });
  });

  it.each([404, 410])('that answers %i is dead on the third day, not before', async (status) => {
    site.always(answer(status));
    for (const [day, state] of ['failing', 'failing', 'dead', 'dead'].entries()) {
      const told = await inDays(day);
      expect([day, told.processed, told.failing, told.dead]).toEqual([
        day,
        1,
        state === 'failing' ? 1 : 0,
        state === 'dead' ? 1 : 0,
      ]);
      expect(await link()).toMatchObject({ state, status });
    }
    // It has come back.
    site.always(answer(200));
    expect(await inDays(9)).toMatchObject({ alive: 1 });
    expect(await link()).toMatchObject({ state: 'alive', failed_days: [] });
  });

  it('that is asked several times a day at once has failed on one day', async () => {
    site.always(answer(404));
    await Promise.all([inDays(0), inDays(0), inDays(0)]);
    await inDays(0.9);
    expect((await link()).failed_days.length).toBeLessThanOrEqual(2);
    expect(await link()).toMatchObject({ state: 'failing' });
  });

  it.each([401, 403, 429, 500, 503])('that answers %i is not dead, however often', async (status) => {
    site.always(answer(status));
    for (const day of [0, 1, 2, 3, 4]) expect(await inDays(day)).toMatchObject({ undecided: 1, dead: 0 });
    expect(await link()).toMatchObject({ state: 'alive', status });
  });

  it('whose name does not exist is dead after three days; one that nobody can tell about is not', async () => {
    const probe = (noSuchName: boolean) => ({ probe: async () => ({ status: null, noSuchName }) });
    for (const day of [0, 1, 2, 3]) await inDays(day, probe(false));
    expect(await link()).toMatchObject({ state: 'alive', status: null });
    for (const day of [4, 5, 6]) await inDays(day, probe(true));
    expect(await link()).toMatchObject({ state: 'dead', status: null });
  });

  it('that knows no HEAD is asked with GET, and redirects count as answers', async () => {
    site.next(answer(405));
    expect(await inDays(0)).toMatchObject({ alive: 1 });
    expect(site.received).toHaveLength(2);
    site.next(answer(301, '', { location: 'http://127.0.0.1:1/' }));
    expect(await inDays(1)).toMatchObject({ alive: 1 });
    expect(await link()).toMatchObject({ state: 'alive', status: 301 });
  });

  it('with another address begins anew', async () => {
    site.always(answer(404));
    for (const day of [0, 1, 2]) await inDays(day);
    expect(await link()).toMatchObject({ state: 'dead' });
    const url = `${site.url}/moved`;
    await directory.as(owner, 'PUT', `/api/projects/${project.id}`, { url });
    await inDays(3);
    expect(await link()).toMatchObject({ state: 'failing', url });
    await directory.as(owner, 'PUT', `/api/projects/${project.id}`, { url: site.url });
  });
});

describe('what is asked for', () => {
  it('is what is live, and nothing inside', async () => {
    const pending = await directory.submit(owner, { url: `${site.url}/pending` });
    const inside = await directory.live(owner, { url: 'http://169.254.169.254/latest/meta-data' });
    expect(await inDays(20)).toMatchObject({ processed: 2, alive: 1, undecided: 1 });
    expect(await link(pending.id)).toBeUndefined();
    expect(await link(inside.id)).toMatchObject({ state: 'alive', status: null });
    await directory.done('DELETE', `/api/admin/projects/${inside.id}`);
    expect(await link(inside.id)).toBeUndefined();
  });

  it('is a bounded number a run, and the next run goes on', async () => {
    const made = await Promise.all(
      Array.from({ length: 25 }, (_, n) => directory.live(owner, { url: `${site.url}/many-${n}` })),
    );
    const asked: string[] = [];
    const slow = {
      probe: async (url: string) => {
        asked.push(url);
        await new Promise((resolve) => setTimeout(resolve, 40));
        return { status: 200, noSuchName: false };
      },
    };
    const ports = { ...linkPorts, now: () => new Date(Date.now() + 40 * DAY_MS).toISOString(), ...slow };
    let runs = 0;
    for (let unfinished = true; unfinished && runs < 50; runs += 1) ({ unfinished } = await checkLinks(ports, 100));
    expect(runs).toBeGreaterThan(1);
    expect(asked).toHaveLength(made.length + 1);
    expect(new Set(asked).size).toBe(asked.length);
    expect(await findItem(bookmarkKey('check-links'))).toBeUndefined();
  });
});

it('nothing follows from answers that may be meant for this visitor only', () => {
  const of = (status: number | null, noSuchName = false) => verdictOf({ status, noSuchName });
  expect([200, 204, 301, 308].map((status) => of(status))).toEqual(['there', 'there', 'there', 'there']);
  expect([400, 401, 403, 405, 429, 451, 500, 503, null].every((status) => of(status) === 'undecided')).toBe(true);
  expect([of(404), of(410), of(null, true)]).toEqual(['gone', 'gone', 'gone']);
});
