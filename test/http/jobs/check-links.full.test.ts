import { beforeEach, describe, expect, it } from 'vitest';
import { checkpointKey, linkKey } from '#data/keys.ts';
import { classifyProbe, type LinkRecord } from '#data/links.ts';
import { findItem } from '#data/read.ts';
import { deleteItem } from '#data/write.ts';
import type { Resolve } from '#platform/outbound.ts';
import { checkLinks } from '#services/jobs/check-links.ts';
import { runAsHandler } from '#test/support/aws-calls.ts';
import { person } from '#test/support/fixtures.ts';
import { runJob } from '#test/support/jobs.ts';
import { longTest } from '#test/support/long-test.ts';
import { respond } from '#test/support/receiver.ts';
import { withClockAhead } from '#test/support/virtual-time.ts';
import { ownDirectory, ownReceiver } from '#test/support/with-directory.ts';

const DAY_MS = 86_400_000;
const BUDGET_MS = 60_000;
/** Longer than any test. */
const LIMITS = { listingMs: BUDGET_MS, batchMs: BUDGET_MS };

const { server, directory } = await ownDirectory({ env: { WEBHOOK_ALLOW_PRIVATE: 'on' } });
const owner = await person(server);
const site = await ownReceiver();
const slow = await ownReceiver();
const project = await directory.live(owner, { url: site.url });

beforeEach(async () => {
  site.reset();
  await deleteItem(linkKey(project.id));
});

const link = async (id = project.id): Promise<LinkRecord> => (await findItem(linkKey(id))) as unknown as LinkRecord;

const inDays = (days: number, budgetMs = BUDGET_MS, options?: Parameters<typeof checkLinks>[1]) =>
  withClockAhead(days * DAY_MS, () => runAsHandler('cron.checkLinks', () => checkLinks(budgetMs, options)));

const inDaysResolving = (days: number, resolve: Resolve) => inDays(days, BUDGET_MS, { ...LIMITS, resolve });

const failingWith =
  (code: string): Resolve =>
  () =>
    Promise.reject(Object.assign(new Error('DNS'), { code }));

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
    // After a clock that was years ahead was set back, too.
    expect(await inDays(1461)).toMatchObject({ processed: 1 });
    expect(await runJob(server, 'check-links')).toMatchObject({ processed: 1 });
    expect(await runJob(server, 'check-links')).toMatchObject({ processed: 0 });
  });

  it('is dead after responding 404 on three days, and alive when it responds 200 again', async () => {
    site.respondAlways(respond(404));
    for (const [day, state] of ['failing', 'failing', 'dead', 'dead'].entries()) {
      const run = await inDays(day);
      expect([day, run.processed, run.failing, run.dead]).toEqual([
        day,
        1,
        state === 'failing' ? 1 : 0,
        state === 'dead' ? 1 : 0,
      ]);
      expect(await link()).toMatchObject({ state, status: 404 });
    }
    site.respondAlways(respond(200));
    expect(await inDays(9)).toMatchObject({ alive: 1 });
    expect(await link()).toMatchObject({ state: 'alive', failed_days: [] });
  });

  it('that responds 404 fails once a day in spite of concurrent runs', async () => {
    site.respondAlways(respond(404));
    await Promise.all([1, 2, 3].map(() => checkLinks(BUDGET_MS)));
    await inDays(0.9);
    expect((await link()).failed_days.length).toBeLessThanOrEqual(2);
    expect(await link()).toMatchObject({ state: 'failing' });
  });

  it('stays alive when it responds 503 on any number of days', async () => {
    site.respondAlways(respond(503));
    for (const day of [0, 1, 2, 3, 4]) expect(await inDays(day)).toMatchObject({ undecided: 1, dead: 0 });
    expect(await link()).toMatchObject({ state: 'alive', status: 503 });
  });

  it('is dead after three days without a DNS name, but stays alive when it does not respond', async () => {
    // Nothing listens there.
    const { id } = await directory.live(owner, { url: 'http://name.example.com:1/' });
    const loopback: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    for (const day of [0, 1, 2, 3]) await inDaysResolving(day, loopback);
    expect(await link(id)).toMatchObject({ state: 'alive', status: null });
    for (const day of [4, 5, 6]) await inDaysResolving(day, failingWith('ENOTFOUND'));
    expect(await link(id)).toMatchObject({ state: 'dead', status: null });
    await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
  });

  it('is requested with GET when HEAD fails, and is alive when it redirects', async () => {
    site.respondNext(respond(405));
    expect(await inDays(0)).toMatchObject({ alive: 1 });
    expect(site.received).toHaveLength(2);
    site.respondNext(respond(301, '', { location: 'http://127.0.0.1:1/' }));
    expect(await inDays(1)).toMatchObject({ alive: 1 });
    expect(await link()).toMatchObject({ state: 'alive', status: 301 });
  });

  it('of another URL of the same project starts without failures', async () => {
    site.respondAlways(respond(404));
    for (const day of [0, 1, 2]) await inDays(day);
    expect(await link()).toMatchObject({ state: 'dead' });
    const url = `${site.url}/moved`;
    await directory.ok(owner, 'PUT', `/api/projects/${project.id}`, { url });
    // At once, although the former URL was requested on the same day.
    await inDays(2);
    expect(await link()).toMatchObject({ state: 'failing', url });
    await directory.ok(owner, 'PUT', `/api/projects/${project.id}`, { url: site.url });
  });
});

describe('the link check', () => {
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

  longTest('changes nothing in a run that cannot resolve any host name', async () => {
    const made = await Promise.all(
      Array.from({ length: 3 }, (_, n) => directory.live(owner, { url: `https://links-${n}.example.com/` })),
    );
    await inDaysResolving(30, failingWith('ENOTFOUND'));
    const before = await Promise.all(made.map(({ id }) => link(id)));
    // The address of the site needs no lookup, and is not reached without a network either.
    site.respondAlways((response) => void response.destroy());
    for (const [day, code] of ['ENOTFOUND', 'EAI_AGAIN', 'ENOTFOUND', 'ENOTFOUND'].entries()) {
      expect(await inDaysResolving(31 + day, failingWith(code))).toEqual({
        processed: 4,
        ...{ alive: 0, failing: 0, dead: 0, undecided: 4 },
        network_failure: true,
        unfinished: false,
      });
    }
    expect(await Promise.all(made.map(({ id }) => link(id)))).toEqual(before);
    expect(await findItem(checkpointKey('check-links'))).toBeUndefined();
    // One host that is reached shows that the others are missing.
    site.respondAlways(respond(200));
    expect(await inDaysResolving(36, failingWith('ENOTFOUND'))).toMatchObject({
      processed: 4,
      alive: 1,
      network_failure: false,
    });
    for (const { id } of made) {
      expect(await link(id)).toMatchObject({ state: 'failing' });
      await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
    }
  });

  it('on a slow host does not keep the check from others: at most two requests at once, each and all of them in a limited time', async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, n) => directory.live(owner, { url: `${slow.url}/${n}` })),
    );
    let running = 0;
    let most = 0;
    // It never responds.
    slow.respondAlways((response) => {
      running += 1;
      most = Math.max(most, running);
      response.on('close', () => {
        running -= 1;
      });
    });
    const from = performance.now();
    expect(await inDays(50, BUDGET_MS, { listingMs: 200, batchMs: 300 })).toMatchObject({
      alive: 1,
      unfinished: false,
    });
    expect(performance.now() - from).toBeLessThan(4000);
    expect(most).toBe(2);
    expect(slow.received.length).toBeLessThan(made.length);
    for (const { id } of made) await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
  });

  it('is not followed through redirects while its listing is pending', async () => {
    const { id } = await directory.submit(owner, { url: `${site.url}/pending` });
    site.respondAlways(respond(302, '', { location: `${site.url}/next` }));
    await inDays(55);
    // Of the pending one only the first request; the live one is followed.
    expect(site.received.filter(({ path }) => path.endsWith('/next'))).toHaveLength(4);
    expect(await link(id)).toMatchObject({ status: 302, final_url: `${site.url}/next` });
    await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
  });

  longTest('stops when its time is up and continues in the next run', async () => {
    const made = await Promise.all(
      Array.from({ length: 25 }, (_, n) => directory.live(owner, { url: `${site.url}/many-${n}` })),
    );
    site.respondAlways((response) => void setTimeout(() => response.writeHead(200).end(), 110));
    let runs = 0;
    for (let unfinished = true; unfinished && runs < 50; runs += 1) ({ unfinished } = await inDays(40, 10_000));
    expect(runs).toBeGreaterThan(1);
    expect(site.received).toHaveLength(made.length + 1);
    expect(new Set(site.received.map(({ path }) => path)).size).toBe(site.received.length);
    expect(await findItem(checkpointKey('check-links'))).toBeUndefined();
  });
});

it('the outcome of a probe is undecided for failures that may be temporary or caused by the client', () => {
  const classify = (status: number | null, noSuchName = false) => classifyProbe({ status, noSuchName });
  expect(new Set([200, 204, 301, 308].map((status) => classify(status)))).toEqual(new Set(['reachable']));
  const undecided = [400, 401, 403, 405, 429, 451, 500, 503, null];
  expect(undecided.map((status) => classify(status))).toEqual(undecided.map(() => 'undecided'));
  expect([classify(404), classify(410), classify(null, true)]).toEqual(['missing', 'missing', 'missing']);
});
