import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkpointKey, linkKey } from '#data/keys.ts';
import { findItem } from '#data/read.ts';
import { deleteItem } from '#data/write.ts';
import { classifyProbe, type LinkRecord, linkAfter, type Probe } from '#model/link.ts';
import { now } from '#platform/clock.ts';
import { probeOutbound } from '#platform/outbound.ts';
import { checkLinks } from '#services/links/check.ts';
import { Directory, type Person, person } from '#test/support/fixtures.ts';
import { runJob } from '#test/support/jobs.ts';
import { longTest } from '#test/support/long-test.ts';
import { type Receiver, respond, startReceiver } from '#test/support/receiver.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';

vi.mock(import('#platform/clock.ts'), { spy: true });
vi.mock(import('#platform/outbound.ts'), async (importOriginal) => {
  const original = await importOriginal();
  return { ...original, probeOutbound: vi.fn(original.probeOutbound) };
});

const DAY_MS = 86_400_000;
const BUDGET_MS = 60_000;

let server: TestServer;
let directory: Directory;
let owner: Person;
let site: Receiver;
let project: { readonly id: string };

beforeAll(async () => {
  server = await startTestServer({ env: { WEBHOOK_ALLOW_PRIVATE: 'on' } });
  directory = await Directory.create(server);
  owner = await person(server);
  site = await startReceiver();
  project = await directory.live(owner, { url: site.url });
});

beforeEach(async () => {
  site.reset();
  await deleteItem(linkKey(project.id));
});

afterEach(() => {
  vi.mocked(now).mockReset();
  vi.mocked(probeOutbound).mockReset();
});

afterAll(async () => {
  await site.stop();
  await server.stop();
});

const link = async (id = project.id): Promise<LinkRecord> => (await findItem(linkKey(id))) as unknown as LinkRecord;

const advanceClock = (days: number): void => {
  vi.mocked(now).mockImplementation(() => new Date(Date.now() + days * DAY_MS).toISOString());
};

/** Runs the job as of some days from now. */
const inDays = async (days: number, budgetMs = BUDGET_MS) => {
  advanceClock(days);
  return await checkLinks(budgetMs);
};

describe('a site', () => {
  it('is alive when it responds, and is requested once a day', async () => {
    expect(await runJob(server, 'check-links')).toMatchObject({
      processed: 1,
      alive: 1,
      failing: 0,
      dead: 0,
      undecided: 0,
    });
    expect(await link()).toMatchObject({ project_id: project.id, url: site.url, state: 'alive', status: 200 });
    expect(site.received).toHaveLength(1);
    expect(site.received[0]?.headers['user-agent']).toContain('directory-link-check');
    expect(await runJob(server, 'check-links')).toMatchObject({ processed: 0 });
    expect(await inDays(1)).toMatchObject({ processed: 1, alive: 1 });
  });

  it.each([404, 410])('is dead after responding %i on three days', async (status) => {
    site.respondAlways(respond(status));
    for (const [day, state] of ['failing', 'failing', 'dead', 'dead'].entries()) {
      const run = await inDays(day);
      expect([day, run.processed, run.failing, run.dead]).toEqual([
        day,
        1,
        state === 'failing' ? 1 : 0,
        state === 'dead' ? 1 : 0,
      ]);
      expect(await link()).toMatchObject({ state, status });
    }
    site.respondAlways(respond(200));
    expect(await inDays(9)).toMatchObject({ alive: 1 });
    expect(await link()).toMatchObject({ state: 'alive', failed_days: [] });
  });

  it('fails once a day in spite of concurrent runs', async () => {
    site.respondAlways(respond(404));
    await Promise.all([inDays(0), inDays(0), inDays(0)]);
    await inDays(0.9);
    expect((await link()).failed_days.length).toBeLessThanOrEqual(2);
    expect(await link()).toMatchObject({ state: 'failing' });
  });

  it.each([401, 403, 429, 500, 503])('stays alive when it responds %i on any number of days', async (status) => {
    site.respondAlways(respond(status));
    for (const day of [0, 1, 2, 3, 4]) expect(await inDays(day)).toMatchObject({ undecided: 1, dead: 0 });
    expect(await link()).toMatchObject({ state: 'alive', status });
  });

  it('is dead after three days without a DNS name, but stays alive when it does not respond', async () => {
    const other = await directory.live(owner, { url: `${site.url}/other` });
    const probe =
      (noSuchName: boolean) =>
      async ({ url }: { readonly url: string }) =>
        url === site.url
          ? ({ status: null, noSuchName, lookup: noSuchName ? 'failed' : null } as const)
          : ({ status: 200, noSuchName: false, lookup: 'resolved' } as const);
    vi.mocked(probeOutbound).mockImplementation(probe(false));
    for (const day of [0, 1, 2, 3]) await inDays(day);
    expect(await link()).toMatchObject({ state: 'alive', status: null });
    vi.mocked(probeOutbound).mockImplementation(probe(true));
    for (const day of [4, 5, 6]) await inDays(day);
    expect(await link()).toMatchObject({ state: 'dead', status: null });
    await directory.adminOk('DELETE', `/api/admin/projects/${other.id}`);
  });

  it('is requested with GET when HEAD fails, and is alive when it redirects', async () => {
    site.respondNext(respond(405));
    expect(await inDays(0)).toMatchObject({ alive: 1 });
    expect(site.received).toHaveLength(2);
    site.respondNext(respond(301, '', { location: 'http://127.0.0.1:1/' }));
    expect(await inDays(1)).toMatchObject({ alive: 1 });
    expect(await link()).toMatchObject({ state: 'alive', status: 301 });
  });

  it('starts without failures when the project gets another URL', async () => {
    site.respondAlways(respond(404));
    for (const day of [0, 1, 2]) await inDays(day);
    expect(await link()).toMatchObject({ state: 'dead' });
    const url = `${site.url}/moved`;
    expect(await directory.as(owner, 'PUT', `/api/projects/${project.id}`, { url })).toMatchObject({ status: 200 });
    await inDays(3);
    expect(await link()).toMatchObject({ state: 'failing', url });
    const restored = await directory.as(owner, 'PUT', `/api/projects/${project.id}`, { url: site.url });
    expect(restored).toMatchObject({ status: 200 });
  });
});

describe('the job', () => {
  it('requests URLs of live and pending projects, and no internal addresses', async () => {
    const pending = await directory.submit(owner, { url: `${site.url}/pending` });
    const rejected = await directory.project('rejected', owner, { url: `${site.url}/rejected` });
    const inside = await directory.live(owner, { url: 'http://169.254.169.254/latest/meta-data' });
    expect(await inDays(20)).toMatchObject({ processed: 3, alive: 2, undecided: 1 });
    expect(await link(pending.id)).toMatchObject({ state: 'alive', final_url: `${site.url}/pending` });
    expect(await link(rejected.id)).toBeUndefined();
    await directory.adminOk('DELETE', `/api/admin/projects/${pending.id}`);
    expect(await link(inside.id)).toMatchObject({ state: 'alive', status: null });
    await directory.adminOk('DELETE', `/api/admin/projects/${inside.id}`);
    expect(await link(inside.id)).toBeUndefined();
  });

  it('stores where redirects lead, and follows only a few', async () => {
    site.respondAlways(respond(301, '', { location: '/elsewhere?x=1' }));
    await inDays(25);
    // One probe, and a few more for the redirects, which have no end.
    expect(site.received.length).toBeLessThan(8);
    expect(await link()).toMatchObject({
      state: 'alive',
      status: 301,
      final_url: new URL('/elsewhere?x=1', site.url).href,
    });
  });

  longTest('changes nothing in runs that cannot resolve any name', async () => {
    const original = await vi.importActual<{ probeOutbound: typeof probeOutbound }>('#platform/outbound.ts');
    const made = await Promise.all(
      Array.from({ length: 3 }, (_, n) => directory.live(owner, { url: `https://links-${n}.example.com/` })),
    );
    // The address of the site needs no lookup, and is not reached without a network either.
    const withoutNetwork = (code: string) => (request: Parameters<typeof probeOutbound>[0]) =>
      request.url.startsWith(site.url)
        ? Promise.resolve({ status: null, noSuchName: false, lookup: null } as const)
        : original.probeOutbound(request, { resolve: () => Promise.reject(Object.assign(new Error('DNS'), { code })) });
    const siteOnly = (request: Parameters<typeof probeOutbound>[0]) =>
      request.url.startsWith(site.url) ? original.probeOutbound(request) : withoutNetwork('ENOTFOUND')(request);
    vi.mocked(probeOutbound).mockImplementation(siteOnly);
    await inDays(30);
    const before = await Promise.all(made.map(({ id }) => link(id)));
    for (const [day, code] of ['ENOTFOUND', 'EAI_AGAIN', 'ENOTFOUND', 'ENOTFOUND'].entries()) {
      vi.mocked(probeOutbound).mockImplementation(withoutNetwork(code));
      expect(await inDays(31 + day)).toEqual({
        processed: 4,
        ...{ alive: 0, failing: 0, dead: 0, undecided: 4 },
        network_failure: true,
        unfinished: false,
      });
    }
    expect(await Promise.all(made.map(({ id }) => link(id)))).toEqual(before);
    expect(await findItem(checkpointKey('check-links'))).toBeUndefined();
    // One host that is reached shows that the others are missing.
    vi.mocked(probeOutbound).mockImplementation(siteOnly);
    expect(await inDays(36)).toMatchObject({ processed: 4, alive: 1, network_failure: false });
    for (const { id } of made) {
      expect(await link(id)).toMatchObject({ state: 'failing' });
      await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
    }
  });

  longTest('stops when its time is up and continues in the next run', async () => {
    const made = await Promise.all(
      Array.from({ length: 25 }, (_, n) => directory.live(owner, { url: `${site.url}/many-${n}` })),
    );
    const requested: string[] = [];
    vi.mocked(probeOutbound).mockImplementation(async ({ url }) => {
      requested.push(url);
      await wait(110);
      return { status: 200, noSuchName: false, lookup: null };
    });
    let runs = 0;
    for (let unfinished = true; unfinished && runs < 50; runs += 1) ({ unfinished } = await inDays(40, 1000));
    expect(runs).toBeGreaterThan(1);
    expect(requested).toHaveLength(made.length + 1);
    expect(new Set(requested).size).toBe(requested.length);
    expect(await findItem(checkpointKey('check-links'))).toBeUndefined();
  });
});

describe('the outcome of a probe', () => {
  it('is undecided for failures that may be temporary or caused by the client', () => {
    const classify = (status: number | null, noSuchName = false) => classifyProbe({ status, noSuchName });
    expect(new Set([200, 204, 301, 308].map((status) => classify(status)))).toEqual(new Set(['reachable']));
    const undecided = [400, 401, 403, 405, 429, 451, 500, 503, null];
    expect(undecided.map((status) => classify(status))).toEqual(undecided.map(() => 'undecided'));
    expect([classify(404), classify(410), classify(null, true)]).toEqual(['missing', 'missing', 'missing']);
  });

  it('marks a link as dead on the third day without the host name', () => {
    const check = (day: number, probe: Probe, previous?: LinkRecord) =>
      linkAfter(previous, { id: 'prj_1', url: 'https://a.example' }, probe, `2026-01-0${day}T12:00:00.000Z`);
    const missing = { status: null, noSuchName: true };
    const first = check(1, missing);
    const second = check(2, missing, first);
    expect([first.state, second.state, check(3, missing, second).state]).toEqual(['failing', 'failing', 'dead']);
    expect(check(2, missing, second)).toMatchObject({ state: 'failing', failed_days: ['2026-01-01', '2026-01-02'] });
    expect(check(3, { status: null, noSuchName: false }, second)).toMatchObject({ state: 'failing' });
  });
});
