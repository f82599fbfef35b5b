import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { removeItems } from '#data/write.ts';
import { dynamo } from '#platform/dynamo.ts';
import { trackPorts } from '#ports/analytics.ts';
import { agents, projectReport, rolledUp, siteReport, track, tracked, wholeTable } from '#test/support/analytics.ts';
import {
  type Directory,
  FORBIDDEN,
  INVALID,
  invalidAt,
  NOT_FOUND,
  type Person,
  person,
  type Submitted,
  UNAUTHORIZED,
} from '#test/support/fixtures.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** Counting visits without following visitors, and what is told of it. */

let world: TestWorld;
let directory: Directory;
let owner: Person;
let project: Submitted;

withDirectory(async (opened) => {
  ({ world, directory } = opened);
  owner = await person(world);
  project = await directory.live(owner);
});

/** Takes everything that was ever counted away, so that every test counts from nothing. */
const forgetFigures = async (): Promise<void> => {
  const own = (await wholeTable()).filter(
    ({ pk, sk }) =>
      /^(?:ANALYTICS|TRACKED#|VISITORS#)/.test(String(pk)) ||
      (String(pk).startsWith('PROJECT#') && String(sk).startsWith('DAY#')),
  );
  await removeItems(own.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })));
};

beforeEach(forgetFigures);

const today = () => new Date().toISOString().slice(0, 10);
const nothing = { pageviews: 0, visitors: 0, project_views: 0, outbound_clicks: 0 };
const pageview = (more: Record<string, unknown> = {}) => ({ type: 'pageview', path: '/', ...more });
const viewOf = (id: string, more: Record<string, unknown> = {}) => ({
  type: 'project_view',
  path: `/projects/${id}`,
  project_id: id,
  ...more,
});

describe('tracking', () => {
  it('takes one event or several, without a login', async () => {
    expect(await track(world, pageview())).toMatchObject({ status: 202, body: { data: { accepted: 1 } } });
    expect(await tracked(world, { events: [pageview(), viewOf(project.id)] })).toBe(2);
    const every = ['pageview', 'outbound_click', 'submission_started', 'custom'].map((type) => ({
      type,
      path: '/x?y=1#z',
      referrer: '',
      name: 'signup',
      duration_ms: 1200,
      project_id: project.slug,
    }));
    expect(await tracked(world, { events: every })).toBe(4);
    expect(await tracked(world, { events: Array(50).fill(pageview()) })).toBe(50);
  });

  it.each([
    ['no type', { path: '/' }, invalidAt('type')],
    ['an unknown type', { type: 'purchase', path: '/' }, invalidAt('type')],
    ['no path', { type: 'pageview' }, invalidAt('path')],
    ['an empty path', pageview({ path: ' ' }), invalidAt('path')],
    ['too long a path', pageview({ path: `/${'x'.repeat(2048)}` }), invalidAt('path')],
    ['a view of no project', { type: 'project_view', path: '/' }, invalidAt('project_id')],
    ['a referrer that is no text', pageview({ referrer: 1 }), invalidAt('referrer')],
    ['too long a name', { type: 'custom', path: '/', name: 'x'.repeat(101) }, invalidAt('name')],
    ['a negative duration', pageview({ duration_ms: -1 }), invalidAt('duration_ms')],
    ['half a millisecond', pageview({ duration_ms: 0.5 }), invalidAt('duration_ms')],
    ['no events', { events: [] }, invalidAt('events')],
    ['51 events', { events: Array(51).fill(pageview()) }, invalidAt('events')],
    ['a bad one among good ones', { events: [pageview(), { type: 'pageview' }] }, invalidAt('events', 1, 'path')],
    [
      'a view of no project among others',
      { events: [{ type: 'project_view', path: '/' }] },
      invalidAt('events', 0, 'project_id'),
    ],
    ['no body', undefined, INVALID],
  ])('refuses %s and counts nothing of it', async (_, body, refusal) => {
    expect(await track(world, body)).toMatchObject(refusal);
    await rolledUp();
    expect((await siteReport(directory)).totals).toEqual(nothing);
  });

  it('costs one small write, however many events a request brings', async () => {
    await tracked(world, pageview());
    await rolledUp();
    const send = vi.spyOn(dynamo(), 'send');
    try {
      await tracked(world, { events: Array.from({ length: 50 }, (_, n) => pageview({ path: `/${n}` })) });
      // What else is written in this time is the rate limiter's and the roll-up's.
      const puts = send.mock.calls.map(([command]) => command).filter((command) => command instanceof PutCommand);
      expect(puts.map(({ input }) => input.Item?.type)).toEqual(['tracked']);
      expect(JSON.stringify(puts[0]?.input.Item).length).toBeLessThan(1000);
    } finally {
      send.mockRestore();
    }
  });

  it('does not count bots', async () => {
    expect(await tracked(world, pageview(), { agent: agents.googlebot })).toBe(0);
    expect(await tracked(world, { events: [pageview(), pageview()] }, { agent: 'curl/8.5.0' })).toBe(0);
    await rolledUp();
    expect((await siteReport(directory)).totals).toEqual(nothing);
  });

  it.each<Record<string, string>>([{ 'sec-gpc': '1' }, { dnt: '1' }])(
    'counts the view and not the visitor with %o',
    async (headers) => {
      await tracked(world, { events: [pageview(), viewOf(project.id)] }, { headers });
      await rolledUp();
      expect((await siteReport(directory)).totals).toMatchObject({ pageviews: 1, project_views: 1, visitors: 0 });
      expect((await projectReport(directory, project.id, owner)).totals).toMatchObject({
        project_views: 1,
        visitors: 0,
      });
      expect((await wholeTable()).filter(({ type }) => type === 'visitor')).toEqual([]);
    },
  );

  it('counts visitors of a day exactly, by address and user agent', async () => {
    const visits = [
      { address: '198.51.100.1', agent: agents.chrome },
      { address: '198.51.100.1', agent: agents.chrome },
      { address: '198.51.100.1', agent: agents.firefox },
      { address: '198.51.100.2', agent: agents.chrome },
      // One household has a whole network of addresses.
      { address: '2001:db8:1:2::a', agent: agents.chrome },
      { address: '2001:db8:1:2::b', agent: agents.chrome },
      { address: '2001:db8:1:3::a', agent: agents.chrome },
    ];
    for (const visit of visits) {
      await tracked(world, { events: [pageview(), viewOf(project.id)] }, visit);
      await rolledUp();
    }
    expect((await siteReport(directory)).totals).toEqual({
      pageviews: 7,
      visitors: 5,
      project_views: 7,
      outbound_clicks: 0,
    });
    expect((await projectReport(directory, project.id, owner)).totals).toMatchObject({ visitors: 5 });
  });

  it('alone raises the views of a project, in reads and in lists', async () => {
    const viewed = await directory.live(owner);
    await directory.read(viewed.id);
    await tracked(world, { events: [viewOf(viewed.id), viewOf(viewed.slug), viewOf(viewed.id)] });
    await rolledUp();
    expect((await directory.read(viewed.id)).views_count).toBe(3);
    const { body } = await directory.get('/api/projects?limit=1');
    expect(body).toMatchObject({ data: [{ id: viewed.id, views_count: 3 }] });
  });

  it('counts no view of a project that is not live or does not exist', async () => {
    const pending = await directory.submit(owner);
    await tracked(world, { events: [viewOf(pending.id), viewOf('prj_00000000000000000000000000'), viewOf('no-such')] });
    await rolledUp();
    expect((await siteReport(directory)).totals.project_views).toBe(0);
    expect((await directory.read(pending.id, owner)).views_count).toBe(0);
  });
});

describe('the report', () => {
  it('has exactly the decided shape, with zeroes where nothing was', async () => {
    const answer = await directory.done('GET', '/api/admin/analytics?range=7d');
    const { body } = answer as { body: { data: { traffic: { date: string }[] } } };
    const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
    expect(body).toEqual({
      data: {
        range: '7d',
        groupBy: 'day',
        totals: { pageviews: 0, visitors: 0, project_views: 0, outbound_clicks: 0 },
        traffic: [6, 5, 4, 3, 2, 1, 0].map((back) => ({ date: day(back), pageviews: 0, visitors: 0 })),
        top_projects: [],
        countries: [],
        browsers: [],
        devices: [],
        referrers: [],
        // Projects that other tests have submitted are still being counted.
        funnel: {
          visitors: 0,
          submission_started: 0,
          submitted: expect.any(Number) as number,
          paid: 0,
          approved: expect.any(Number) as number,
          conversion: 0,
        },
      },
    });
  });

  it('takes every range and grouping, 30 days by day unless told otherwise', async () => {
    await tracked(world, pageview());
    await rolledUp();
    const lengths = { '7d': 7, '30d': 30, '90d': 90, all: 1 };
    for (const [range, length] of Object.entries(lengths)) {
      expect((await siteReport(directory, `?range=${range}`)).traffic).toHaveLength(length);
      for (const groupBy of ['week', 'month']) {
        const { traffic } = await siteReport(directory, `?range=${range}&groupBy=${groupBy}`);
        expect(traffic.reduce((sum, { pageviews }) => sum + pageviews, 0)).toBe(1);
        for (const { date } of traffic) {
          if (groupBy === 'week') expect(new Date(date).getUTCDay()).toBe(1);
          else expect(date).toMatch(/-01$/);
        }
      }
    }
    expect(await siteReport(directory)).toMatchObject({ range: '30d', groupBy: 'day' });
    expect((await siteReport(directory)).traffic.at(-1)).toEqual({ date: today(), pageviews: 1, visitors: 1 });
  });

  it('refuses other ranges and groupings', async () => {
    expect(await directory.get('/api/admin/analytics?range=1d', directory.admin)).toMatchObject(invalidAt('range'));
    expect(await directory.get('/api/admin/analytics?groupBy=year', directory.admin)).toMatchObject(
      invalidAt('groupBy'),
    );
  });

  it('is for administrators', async () => {
    expect(await directory.get('/api/admin/analytics')).toMatchObject(FORBIDDEN);
    expect(await directory.get('/api/admin/analytics', owner)).toMatchObject(FORBIDDEN);
  });

  it('tells countries, browsers, devices and referring hosts', async () => {
    const from = (country: string, agent: string) => ({ agent, headers: { 'cloudfront-viewer-country': country } });
    await tracked(
      world,
      pageview({ referrer: 'https://www.Example.org/search?q=me@example.com' }),
      from('CH', agents.chrome),
    );
    await tracked(world, pageview({ referrer: 'https://example.org/' }), from('CH', agents.iphone));
    await tracked(world, viewOf(project.id, { referrer: 'android-app://com.app' }), from('FR', agents.firefox));
    await tracked(world, pageview({ referrer: 'nonsense' }), from('Atlantis', agents.ipad));
    await tracked(world, pageview(), { agent: 'JaneDoe/1.0 (Phone of Jane) Mobile' });
    await rolledUp();
    const report = await siteReport(directory);
    expect(report.countries).toEqual([
      { name: 'CH', count: 2 },
      { name: 'Unknown', count: 2 },
      { name: 'FR', count: 1 },
    ]);
    expect(report.browsers).toEqual([
      { name: 'Safari', count: 2 },
      { name: 'Chrome', count: 1 },
      { name: 'Firefox', count: 1 },
      { name: 'Unknown', count: 1 },
    ]);
    expect(report.devices).toEqual([
      { name: 'desktop', count: 2 },
      { name: 'mobile', count: 2 },
      { name: 'tablet', count: 1 },
    ]);
    expect(report.referrers).toEqual([{ name: 'example.org', count: 2 }]);
  });

  it('does not call the site itself a referrer', async () => {
    const headers = { origin: 'https://listings.example.com' };
    await tracked(world, pageview({ referrer: 'https://www.listings.example.com/about' }), { headers });
    await rolledUp();
    expect((await siteReport(directory)).referrers).toEqual([]);
  });

  it('lists the most viewed projects, without those that are gone', async () => {
    const [first, second, gone] = [
      await directory.live(owner),
      await directory.live(owner),
      await directory.live(owner),
    ];
    const views = [second.id, second.id, gone.id, gone.id, gone.id, first.id].map((id) => viewOf(id));
    await tracked(world, { events: views });
    await rolledUp();
    await directory.done('DELETE', `/api/admin/projects/${gone.id}`);
    const { top_projects, totals } = await siteReport(directory);
    expect(top_projects.map(({ id, slug, views: count }) => [id, slug, count])).toEqual([
      [second.id, second.slug, 2],
      [first.id, first.slug, 1],
    ]);
    expect(totals.project_views).toBe(6);
    // What was counted of it goes with it.
    await world.until(async () =>
      (await wholeTable()).every(({ pk, sk }) => pk !== `PROJECT#${gone.id}` || sk === 'TOMBSTONE'),
    );
  });
});

describe('the report of a project', () => {
  it('is for its owner and administrators', async () => {
    const stranger = await person(world);
    const path = `/api/analytics/projects/${project.id}`;
    expect(await directory.get(path)).toMatchObject(UNAUTHORIZED);
    expect(await directory.get(`${path}?range=nonsense`, stranger)).toMatchObject(FORBIDDEN);
    expect(await directory.get('/api/analytics/projects/no-such', owner)).toMatchObject(NOT_FOUND);
    const pending = await directory.submit(owner);
    expect(await directory.get(`/api/analytics/projects/${pending.id}`, stranger)).toMatchObject(NOT_FOUND);
    expect(await directory.get(`/api/analytics/projects/${pending.slug}`, owner)).toMatchObject({ status: 200 });
    expect(await directory.get(path, directory.admin)).toMatchObject({ status: 200 });
    const deleted = await directory.project('deleted', owner);
    expect(await directory.get(`/api/analytics/projects/${deleted.id}`, owner)).toMatchObject(NOT_FOUND);
    expect(await directory.get(`${path}?range=nonsense`, owner)).toMatchObject(invalidAt('range'));
  });

  it('tells the same of one project alone', async () => {
    const other = await directory.live(owner);
    const headers = { 'cloudfront-viewer-country': 'CH' };
    await tracked(
      world,
      { events: [pageview({ project_id: other.id }), viewOf(other.id, { referrer: 'https://a.example/' })] },
      { headers },
    );
    await tracked(
      world,
      { events: [viewOf(other.id), { ...viewOf(other.id), type: 'outbound_click' }, viewOf(project.id)] },
      { agent: agents.iphone },
    );
    await rolledUp();
    const report = await projectReport(directory, other.slug, owner, '?range=7d&groupBy=month');
    const { name, slug, id } = await directory.read(other.id);
    expect(report).toMatchObject({
      range: '7d',
      groupBy: 'month',
      totals: { pageviews: 2, visitors: 2, project_views: 2, outbound_clicks: 1 },
      top_projects: [{ id, name, slug, views: 2 }],
      countries: [
        { name: 'CH', count: 1 },
        { name: 'Unknown', count: 1 },
      ],
      browsers: [
        { name: 'Chrome', count: 1 },
        { name: 'Safari', count: 1 },
      ],
      devices: [
        { name: 'desktop', count: 1 },
        { name: 'mobile', count: 1 },
      ],
      referrers: [{ name: 'a.example', count: 1 }],
    });
    expect(report.traffic.at(-1)).toEqual({ date: `${today().slice(0, 7)}-01`, pageviews: 2, visitors: 2 });
  });
});

describe('the salt', () => {
  it('makes somebody another on the next day', async () => {
    const signs = ['203.0.113.9', agents.chrome];
    const [first, again, next] = [
      await trackPorts.visitorOf('2026-01-01', signs),
      await trackPorts.visitorOf('2026-01-01', signs),
      await trackPorts.visitorOf('2026-01-02', signs),
    ];
    expect(first).toBe(again);
    expect(next).not.toBe(first);
    // Known to the table and not to one process alone.
    expect(await trackPorts.visitorOf('2026-01-01', signs)).toBe(first);
  });
});
