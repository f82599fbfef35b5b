import { beforeEach, describe, expect, it } from 'vitest';
import type { AnalyticsReport } from '#contract/analytics.ts';
import { visitorHash } from '#data/analytics.ts';
import { deleteItems } from '#data/write.ts';
import { agents, projectReport, rollUpAll, siteReport, track, trackAccepted } from '#test/support/analytics.ts';
import { dataOf, FORBIDDEN, INVALID, invalidAt, NOT_FOUND, person, success } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { atHour, beginAtHour } from '#test/support/virtual-time.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

// Views are counted once an hour.
beginAtHour(9);

const { server, directory } = await ownDirectory();
const owner = await person(server);
const project = await directory.live(owner);

/** Deletes all figures and tracked events, so that every test counts from zero. */
const deleteFigures = async (): Promise<void> => {
  const own = (await scanTable(server)).filter(
    ({ pk, sk }) =>
      /^(?:ANALYTICS|TRACKED#|VISITORS#)/.test(String(pk)) ||
      (String(pk).startsWith('PROJECT#') && String(sk).startsWith('DAY#')),
  );
  await deleteItems(own.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })));
};

beforeEach(deleteFigures);

const today = () => new Date().toISOString().slice(0, 10);
const zeroes = { pageviews: 0, visitors: 0, project_views: 0, outbound_clicks: 0 };
const pageview = (more: Record<string, unknown> = {}) => ({ type: 'pageview', path: '/', ...more });
const viewOf = (id: string, more: Record<string, unknown> = {}) => ({
  type: 'project_view',
  path: `/projects/${id}`,
  project_id: id,
  ...more,
});

describe('the tracking route', () => {
  it('accepts one event or several, without a login', async () => {
    const response = await track(server, pageview());
    expect(response).toMatchObject(success({ accepted: 1 }, 202));
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(await trackAccepted(server, { events: [pageview(), viewOf(project.id)] })).toBe(2);
    const every = ['pageview', 'outbound_click', 'submission_started', 'custom'].map((type) => ({
      type,
      path: '/x?y=1#z',
      referrer: '',
      name: 'signup',
      duration_ms: 1200,
      project_id: project.slug,
    }));
    expect(await trackAccepted(server, { events: every })).toBe(4);
    expect(await trackAccepted(server, { events: Array(50).fill(pageview()) })).toBe(50);
  });

  it.each([
    ['a project view without a project', { type: 'project_view', path: '/' }, invalidAt('project_id')],
    [
      'one invalid event among valid ones',
      { events: [pageview(), { type: 'pageview' }] },
      invalidAt('events', 1, 'path'),
    ],
    [
      'a project view without a project in a list',
      { events: [{ type: 'project_view', path: '/' }] },
      invalidAt('events', 0, 'project_id'),
    ],
    ['no body', undefined, INVALID],
  ])('rejects %s and counts nothing', async (_, body, rejection) => {
    expect(await track(server, body)).toMatchObject(rejection);
    expect((await scanTable(server)).filter(({ type }) => type === 'tracked')).toEqual([]);
  });

  it('writes one small item per request, regardless of the number of events', async () => {
    await trackAccepted(server, pageview());
    await rollUpAll();
    await trackAccepted(server, { events: Array.from({ length: 50 }, (_, n) => pageview({ path: `/${n}` })) });
    const written = (await scanTable(server)).filter(({ type }) => type === 'tracked');
    expect(written).toHaveLength(1);
    expect(JSON.stringify(written[0]).length).toBeLessThan(1000);
  });

  it('does not count bots', async () => {
    expect(await trackAccepted(server, pageview(), { agent: agents.googlebot })).toBe(0);
    expect(await trackAccepted(server, { events: [pageview(), pageview()] }, { agent: 'curl/8.5.0' })).toBe(0);
    await rollUpAll();
    expect((await siteReport(directory)).totals).toEqual(zeroes);
  });

  it.each<Record<string, string>>([{ 'sec-gpc': '1' }, { dnt: '1' }])(
    'counts views but not the visitor with the header %o',
    async (headers) => {
      // The view counts once an hour without the header too.
      for (const n of [1, 2]) {
        await trackAccepted(server, { events: [pageview(), viewOf(project.id)] }, { headers });
        if (n === 1) await rollUpAll();
      }
      await rollUpAll();
      expect((await siteReport(directory)).totals).toMatchObject({ pageviews: 2, project_views: 1, visitors: 0 });
      expect((await projectReport(directory, project.id, owner)).totals).toMatchObject({
        project_views: 1,
        visitors: 0,
      });
      // The same visitor without the header is counted, and cannot be linked to the hash that deduplicates.
      await trackAccepted(server, { events: [pageview(), viewOf(project.id)] });
      await rollUpAll();
      expect((await siteReport(directory)).totals).toMatchObject({ project_views: 2, visitors: 1 });
      const hashes = (await scanTable(server)).flatMap(({ type, visitor }) => (type === 'visitor' ? [visitor] : []));
      expect(new Set(hashes).size).toBe(2);
    },
  );

  it('counts the distinct visitors of a day by address and user agent', async () => {
    const visits = [
      { address: '198.51.100.1', agent: agents.chrome },
      { address: '198.51.100.1', agent: agents.chrome },
      { address: '198.51.100.1', agent: agents.firefox },
      { address: '198.51.100.2', agent: agents.chrome },
      // The addresses of an IPv6 /64 network belong to one household.
      { address: '2001:db8:1:2::a', agent: agents.chrome },
      { address: '2001:db8:1:2::b', agent: agents.chrome },
      { address: '2001:db8:1:3::a', agent: agents.chrome },
    ];
    for (const visit of visits) {
      await trackAccepted(server, { events: [pageview(), viewOf(project.id)] }, visit);
      await rollUpAll();
    }
    const totals = { pageviews: 7, visitors: 5, project_views: 5, outbound_clicks: 0 };
    expect((await siteReport(directory)).totals).toEqual(totals);
    expect((await projectReport(directory, project.id, owner)).totals).toMatchObject({ visitors: 5 });
  });

  it('increments the views of a project, which are the same in reads and in lists', async () => {
    const viewed = await directory.live(owner);
    await directory.read(viewed.id);
    for (const address of ['198.51.100.7', '198.51.100.8', '198.51.100.9']) {
      await trackAccepted(server, { events: [viewOf(viewed.id), viewOf(viewed.slug)] }, { address });
    }
    await rollUpAll();
    expect((await directory.read(viewed.id)).views_count).toBe(3);
    const { body } = await directory.get('/api/projects?limit=1');
    expect(body).toMatchObject({ data: [{ id: viewed.id, views_count: 3 }] });
  });

  longTest('counts a view once per visitor, project and hour, and every page view and outbound click', async () => {
    const [viewed, other] = [await directory.live(owner), await directory.live(owner)];
    const click = { type: 'outbound_click', path: '/', project_id: viewed.id };
    const visit = (from: Parameters<typeof track>[2] = {}) =>
      trackAccepted(
        server,
        { events: [pageview(), viewOf(viewed.id, { referrer: 'https://a.example/' }), viewOf(viewed.slug), click] },
        from,
      );
    const counted = async () => {
      await rollUpAll();
      const { totals, top_projects, countries, referrers } = await siteReport(directory);
      const { views_count } = await directory.read(viewed.id);
      const own = (await projectReport(directory, viewed.id, owner)).totals;
      expect([totals.project_views, own.project_views, top_projects[0]?.views]).toEqual(Array(3).fill(views_count));
      expect(countries[0]?.count).toBe(totals.pageviews + totals.project_views);
      expect(referrers).toEqual([{ name: 'a.example', count: views_count }]);
      return [views_count, totals.pageviews, own.outbound_clicks, own.visitors];
    };
    await visit();
    await visit();
    expect(await counted()).toEqual([1, 2, 2, 1]);
    // The hour goes on after a roll-up.
    await visit();
    expect(await counted()).toEqual([1, 3, 3, 1]);
    await visit({ agent: agents.firefox });
    expect(await counted()).toEqual([2, 4, 4, 2]);
    await atHour(10, visit);
    await atHour(0, () => Promise.all([visit(), visit()]));
    expect(await counted()).toEqual([4, 7, 7, 2]);
    // A late request of an hour that was counted.
    await visit();
    expect(await counted()).toEqual([4, 8, 8, 2]);
    await trackAccepted(server, viewOf(other.id));
    await rollUpAll();
    expect((await siteReport(directory)).totals.project_views).toBe(5);
  });

  it('does not count views of projects that are not live or do not exist', async () => {
    const pending = await directory.submit(owner);
    await trackAccepted(server, {
      events: [viewOf(pending.id), viewOf('prj_00000000000000000000000000'), viewOf('no-such')],
    });
    await rollUpAll();
    expect((await siteReport(directory)).totals.project_views).toBe(0);
    expect((await directory.read(pending.id, owner)).views_count).toBe(0);
  });
});

describe('the report of the site', () => {
  it('returns every field, with zeroes for days without events', async () => {
    const { body } = await directory.adminOk('GET', '/api/admin/analytics?range=7d');
    const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
    expect(body).toEqual({
      data: {
        range: '7d',
        from: day(6),
        to: day(0),
        groupBy: 'day',
        totals: zeroes,
        traffic: [6, 5, 4, 3, 2, 1, 0].map((back) => ({
          date: day(back),
          pageviews: 0,
          visitors: 0,
          submissions: expect.any(Number) as number,
        })),
        top_projects: [],
        ...{ countries: [], browsers: [], devices: [], referrers: [] },
        // Submissions of other tests may still be counted.
        funnel: {
          ...{ visitors: 0, submission_started: 0, paid: 0, conversion: 0 },
          ...{ submitted: expect.any(Number) as number, approved: expect.any(Number) as number },
        },
      },
    });
  });

  it('accepts every range and grouping; the default is 30 days by day', async () => {
    await trackAccepted(server, pageview());
    await rollUpAll();
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
    expect((await siteReport(directory)).traffic.at(-1)).toMatchObject({ date: today(), pageviews: 1, visitors: 1 });
  });

  it('takes a first and a last day in place of a range, for the site and for a project', async () => {
    const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
    await trackAccepted(server, { events: [pageview(), viewOf(project.id)] });
    await rollUpAll();
    const own = `/api/analytics/projects/${project.id}`;
    for (const path of ['/api/admin/analytics', own]) {
      const report = async (query: string) =>
        dataOf<AnalyticsReport>(await directory.adminOk('GET', `${path}?${query}`));
      const three = await report(`from=${day(2)}&to=${day(0)}`);
      expect(three).toMatchObject({ range: null, from: day(2), to: day(0), totals: { project_views: 1, visitors: 1 } });
      expect(three.traffic.map(({ date }) => date)).toEqual([day(2), day(1), day(0)]);
      expect(await report(`from=${day(2)}`)).toEqual(three);
      const past = await report(`from=${day(9)}&to=${day(1)}&groupBy=month`);
      expect(past).toMatchObject({ groupBy: 'month', totals: zeroes, top_projects: [] });
      expect((await report(`from=${day(0)}&to=${day(0)}`)).traffic).toMatchObject([{ date: day(0), visitors: 1 }]);
      expect((await report('from=2020-01-01&to=2022-12-30')).traffic).toHaveLength(1095);
      expect((await report('from=2999-12-31&to=2999-12-31')).traffic).toHaveLength(1);
    }
  });

  it.each([
    ['from=2026-01-02&to=2026-01-01', 'to'],
    ['from=2999-01-01', 'from'],
    ['to=2026-01-01', 'from'],
    ['from=2026-01-01&to=2026-01-02&range=7d', 'range'],
    ['from=2020-01-01&to=2022-12-31', 'to'],
    ['from=2026-02-30&to=2026-03-01', 'from'],
    ['from=2026-01-01&to=tomorrow', 'to'],
    ['from=2026-01-01T00:00:00Z&to=2026-01-02', 'from'],
    ['from=0000-01-01&to=0000-01-02', 'from'],
  ])('rejects the query %s', async (query, field) => {
    for (const path of ['/api/admin/analytics', `/api/analytics/projects/${project.id}`]) {
      expect(await directory.get(`${path}?${query}`, directory.admin)).toMatchObject(invalidAt(field));
    }
  });

  it('lists countries, browsers, devices and referring hosts', async () => {
    const from = (country: string, agent: string) => ({ agent, headers: { 'cloudfront-viewer-country': country } });
    const search = pageview({ referrer: 'https://www.Example.org/search?q=me@example.com' });
    await trackAccepted(server, search, from('CH', agents.chrome));
    await trackAccepted(server, pageview({ referrer: 'https://example.org/' }), from('CH', agents.iphone));
    await trackAccepted(server, viewOf(project.id, { referrer: 'android-app://com.app' }), from('FR', agents.firefox));
    await trackAccepted(server, pageview({ referrer: 'nonsense' }), from('Atlantis', agents.ipad));
    await trackAccepted(server, pageview(), { agent: 'JaneDoe/1.0 (Phone of Jane) Mobile' });
    await rollUpAll();
    const report = await siteReport(directory);
    const countsOf = (name: 'countries' | 'browsers' | 'devices' | 'referrers') =>
      report[name].map((one) => `${one.name} ${one.count}`);
    expect(countsOf('countries')).toEqual(['CH 2', 'Unknown 2', 'FR 1']);
    expect(countsOf('browsers')).toEqual(['Safari 2', 'Chrome 1', 'Firefox 1', 'Unknown 1']);
    expect(countsOf('devices')).toEqual(['desktop 2', 'mobile 2', 'tablet 1']);
    expect(countsOf('referrers')).toEqual(['example.org 2']);
  });

  it('does not list the site itself as a referrer', async () => {
    const headers = { origin: 'https://listings.example.com' };
    await trackAccepted(server, pageview({ referrer: 'https://www.listings.example.com/about' }), { headers });
    await rollUpAll();
    expect((await siteReport(directory)).referrers).toEqual([]);
  });

  longTest('lists the most viewed projects, without deleted ones', async () => {
    const first = await directory.live(owner);
    const second = await directory.live(owner);
    const deleted = await directory.live(owner);
    const views = [[second, deleted, first], [second, deleted], [deleted]];
    for (const [n, viewed] of views.entries()) {
      await trackAccepted(server, { events: viewed.map(({ id }) => viewOf(id)) }, { address: `198.51.100.${n + 1}` });
    }
    await rollUpAll();
    await directory.adminOk('DELETE', `/api/admin/projects/${deleted.id}`);
    const { top_projects, totals } = await siteReport(directory);
    expect(top_projects.map(({ id, slug, views: count }) => [id, slug, count])).toEqual([
      [second.id, second.slug, 2],
      [first.id, first.slug, 1],
    ]);
    expect(totals.project_views).toBe(6);
    // The figures of the project are deleted with it.
    await server.until(async () =>
      (await scanTable(server)).every(({ pk, type }) => pk !== `PROJECT#${deleted.id}` || type === 'projectRemoved'),
    );
  });
});

describe('the report of a project', () => {
  it('is restricted to the owner and administrators', async () => {
    const stranger = await person(server);
    const path = `/api/analytics/projects/${project.id}`;
    expect(await directory.get(`${path}?range=nonsense`, stranger)).toMatchObject(FORBIDDEN);
    expect(await directory.get('/api/analytics/projects/no-such', owner)).toMatchObject(NOT_FOUND);
    const pending = await directory.submit(owner);
    expect(await directory.get(`/api/analytics/projects/${pending.id}`, stranger)).toMatchObject(NOT_FOUND);
    await directory.ok(owner, 'GET', `/api/analytics/projects/${pending.slug}`);
    await directory.adminOk('GET', path);
    const deleted = await directory.project('deleted', owner);
    expect(await directory.get(`/api/analytics/projects/${deleted.id}`, owner)).toMatchObject(NOT_FOUND);
    expect(await directory.get(`${path}?range=nonsense`, owner)).toMatchObject(invalidAt('range'));
  });

  it('contains the figures of this project only', async () => {
    const other = await directory.live(owner);
    const headers = { 'cloudfront-viewer-country': 'CH' };
    await trackAccepted(
      server,
      { events: [pageview({ project_id: other.id }), viewOf(other.id, { referrer: 'https://a.example/' })] },
      { headers },
    );
    await trackAccepted(
      server,
      { events: [viewOf(other.id), { ...viewOf(other.id), type: 'outbound_click' }, viewOf(project.id)] },
      { agent: agents.iphone },
    );
    await rollUpAll();
    const report = await projectReport(directory, other.slug, owner, '?range=7d&groupBy=month');
    const { name, slug, id } = await directory.read(other.id);
    const each = (...names: string[]) => names.map((one) => ({ name: one, count: 1 }));
    expect(report).toMatchObject({
      range: '7d',
      groupBy: 'month',
      totals: { pageviews: 2, visitors: 2, project_views: 2, outbound_clicks: 1 },
      top_projects: [{ id, name, slug, views: 2 }],
      countries: each('CH', 'Unknown'),
      browsers: each('Chrome', 'Safari'),
      devices: each('desktop', 'mobile'),
      referrers: each('a.example'),
    });
    const month = { date: `${today().slice(0, 7)}-01`, pageviews: 2, visitors: 2 };
    expect(report.traffic.at(-1)).toMatchObject(month);
  });
});

it('the hash of a visitor is stable within a day and different on the next', async () => {
  const signs = ['203.0.113.9', agents.chrome];
  const first = await visitorHash('2026-01-01', signs);
  expect(await visitorHash('2026-01-01', signs)).toBe(first);
  expect(await visitorHash('2026-01-02', signs)).not.toBe(first);
  // This process now caches another salt: the first one is read from the table.
  expect(await visitorHash('2026-01-01', signs)).toBe(first);
});
