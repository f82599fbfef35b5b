import { beforeEach, expect, it, vi } from 'vitest';
import type { SearchedQuery } from '#contract/analytics.ts';
import { searchDayKey } from '#data/keys.ts';
import { deleteItem } from '#data/write.ts';
import { listSearches, popularQueries } from '#services/analytics/searches.ts';
import { agents, rollUpAll, siteReport, track, trackAccepted } from '#test/support/analytics.ts';
import { dataOf, invalidAt, person } from '#test/support/fixtures.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** What visitors search for: what is stored of it, and its report. Each test begins without queries. */

const { server, directory } = await ownDirectory();
const { id: project_id } = await directory.live(await person(server));

const search = (q: string, results = 3) => ({ type: 'search', path: '/search', q, results });
const click = (q: string, position: number) => ({ type: 'search_click', path: '/search', q, position, project_id });

interface Searches {
  readonly data: SearchedQuery[];
  readonly meta: { readonly total: number; readonly totals: Readonly<Record<string, number>> };
}

const report = async (query = ''): Promise<Searches> =>
  (await directory.adminOk('GET', `/api/admin/analytics/searches?limit=100${query}`)).body as Searches;

const rowOf = async (q: string) => (await report()).data.find((one) => one.q === q);

const storedDays = async () => (await scanTable(server)).filter(({ type }) => type === 'searches');

beforeEach(async () => {
  await rollUpAll();
  for (const { sk } of await storedDays()) await deleteItem(searchDayKey(String(sk)));
});

it.each([
  ['a search without a query', { type: 'search', path: '/', results: 1 }, 'q'],
  ['a search without the number of its results', { type: 'search', path: '/', q: 'a' }, 'results'],
  ['a search of blanks', search('  '), 'q'],
  ['a search of 201 characters', search('a'.repeat(201)), 'q'],
  ['a negative number of results', search('a', -1), 'results'],
  ['a fraction of results', search('a', 0.5), 'results'],
  ['a click without a query', { ...click('a', 1), q: undefined }, 'q'],
  ['a click without a project', { ...click('a', 1), project_id: undefined }, 'project_id'],
  ['a click without a position', { ...click('a', 1), position: undefined }, 'position'],
  ['a click at the position 0', click('a', 0), 'position'],
])('the tracking route rejects %s', async (_, body, field) => {
  expect(await track(server, body)).toMatchObject(invalidAt(field));
  expect(await track(server, { events: [body] })).toMatchObject(invalidAt('events', 0, field));
});

it('searches are counted with their visitors, those without results, and the clicks with their average position', async () => {
  const visits = [
    { events: [search('Crêpes  Zürich'), search('crepes zurich', 0), click('CREPES zurich', 1)] },
    { events: [search('crepes zurich'), click('crepes zurich', 4)], agent: agents.firefox },
    { events: [search('crepes zurich')], agent: agents.iphone, headers: { 'sec-gpc': '1' } },
    { events: [search('crepes zurich')], agent: agents.googlebot },
  ];
  for (const { events, ...from } of visits) await track(server, { events }, from);
  await rollUpAll();
  // The same visitor again, after a roll-up.
  await trackAccepted(server, { events: [search('crepes zurich'), click('crepes zurich', 2)] });
  await rollUpAll();
  const figures = { searches: 5, visitors: 2, no_results: 1, clicks: 3, average_position: 2.33 };
  expect(await rowOf('crepes zurich')).toEqual({ q: 'crepes zurich', ...figures });
  // No view of the project, and no outbound click.
  expect((await siteReport(directory)).totals).toMatchObject({ project_views: 0, outbound_clicks: 0 });
});

it.each([
  ['a mail address', 'Jane.Doe@example.org'],
  ['a mail address with a full-width sign', 'jane＠example.org'],
  ['an address', 'https://intranet.example/secret'],
  ['a telephone number', '+43 660 - 123 45 67'],
  ['seven digits of another script', '٠١٢٣٤٥٦'],
])('nothing is stored of a query that contains %s', async (_, q) => {
  await trackAccepted(server, search(q));
  expect(JSON.stringify(await scanTable(server))).not.toContain(q.slice(0, 10));
  await rollUpAll();
  expect(await rowOf('(removed)')).toMatchObject({ searches: 1 });
});

it('six digits and a short number with a word are stored', async () => {
  await trackAccepted(server, { events: [search('123456'), search('24 7 service 365 99')] });
  await rollUpAll();
  expect((await report()).data.map(({ q }) => q)).toEqual(expect.arrayContaining(['123456', '24 7 service 365 99']));
});

it('a query is stored with 60 characters at most, none of which is cut in half', async () => {
  await trackAccepted(server, search('😀'.repeat(70)));
  await rollUpAll();
  expect(await rowOf('😀'.repeat(60))).toMatchObject({ searches: 1 });
});

it('the report lists the most frequent first, by pages, with totals of all entries', async () => {
  const events = ['once', 'often', 'often', 'often', 'twice', 'twice'].map((q) => search(q));
  await trackAccepted(server, { events });
  await rollUpAll();
  const { data, meta } = await report();
  expect(data.map(({ q }) => q)).toEqual(['often', 'twice', 'once']);
  const counts = data.map(({ searches }) => searches);
  expect(counts).toEqual(counts.toSorted((one, other) => other - one));
  expect(meta.totals.searches).toBe(counts.reduce((sum, one) => sum + one, 0));
  const second = (await directory.adminOk('GET', '/api/admin/analytics/searches?limit=1&page=2')).body as Searches;
  expect(second.data).toEqual(data.slice(1, 2));
  expect(second.meta).toMatchObject({ total: data.length, page: 2, totals: meta.totals });
});

it('the report is limited to queries that found nothing, or whose results had no click', async () => {
  const events = [
    search('never', 0),
    search('sometimes', 0),
    search('sometimes'),
    search('clicked'),
    click('clicked', 1),
  ];
  await trackAccepted(server, { events });
  await rollUpAll();
  const only = async (name: string) => (await report(`&only=${name}`)).data.map(({ q }) => q);
  const [none, unclicked] = [await only('no_results'), await only('no_clicks')];
  expect(none).toContain('never');
  expect(none).not.toContain('sometimes');
  expect(unclicked).toContain('sometimes');
  for (const q of ['never', 'clicked']) expect(unclicked).not.toContain(q);
});

it.each([
  ['only=all', 'only'],
  ['range=8d', 'range'],
  ['to=2026-01-01', 'from'],
  ['from=2026-01-02&to=2026-01-01', 'to'],
  ['page=0', 'page'],
  ['limit=101', 'limit'],
])('the report rejects the query %s', async (query, field) => {
  const response = await directory.get(`/api/admin/analytics/searches?${query}`, directory.admin);
  expect(response).toMatchObject(invalidAt(field));
});

it('of a day the 500 most frequent queries are kept, the others as one', async () => {
  await trackAccepted(server, { events: [search('frequent'), search('frequent')] });
  const queries = Array.from({ length: 600 }, (_, n) => `word number ${String(n).padStart(3, 'x')}`);
  for (let n = 0; n < queries.length; n += 50) {
    await trackAccepted(server, { events: queries.slice(n, n + 50).map((q) => search(q)) });
  }
  await rollUpAll();
  const days = await storedDays();
  expect(days).toHaveLength(1);
  const stored = JSON.parse(String(days[0]?.queries)) as [q: string, searches: number][];
  expect(stored).toHaveLength(501);
  expect(stored.at(-1)?.[0]).toBe('Other');
  expect(stored.map(([q]) => q)).toContain('frequent');
  const { data, meta } = await report('&page=6');
  expect([data.at(-1)?.q, meta.total]).toEqual(['Other', 501]);
  const all = stored.reduce((sum, [, searches]) => sum + searches, 0);
  expect(meta.totals.searches).toBe(all);
});

it('the queries of a day are deleted after 90 days, and are not reported from then on', async () => {
  await trackAccepted(server, search('old'));
  await rollUpAll();
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const at = Date.now();
    // Not over HTTP: the token of the administrator has ended by then.
    const totalOf = async (range: '90d' | 'all') => (await listSearches({ range, page: 1, limit: 1 })).meta.total;
    vi.setSystemTime(at + 89 * 86_400_000);
    expect(await totalOf('90d')).toBeGreaterThan(0);
    vi.setSystemTime(at + 90 * 86_400_000);
    expect(await totalOf('all')).toBe(0);
  } finally {
    vi.useRealTimers();
  }
  const [day] = await storedDays();
  const end = Date.parse(`${String(day?.sk)}T24:00:00Z`) / 1000;
  expect(day?.ttl).toBe(end + 90 * 86_400);
});

it('a query is suggested to others when five visitors made it and it found something', async () => {
  const queries = ['of five', 'of four', 'without results', 'me@example.org'];
  for (const n of [1, 2, 3, 4, 5]) {
    const events = queries.flatMap((q) =>
      q === 'of four' && n === 5 ? [] : [search(q, q === 'without results' ? 0 : 1)],
    );
    await trackAccepted(server, { events }, { address: `198.51.100.${n}` });
  }
  await rollUpAll();
  const popular = await popularQueries();
  expect(popular).toContain('of five');
  for (const q of ['of four', 'without results', '(removed)', 'Other']) expect(popular).not.toContain(q);
  const suggested = async (q: string) =>
    dataOf<{ queries: string[] }>(await directory.get(`/api/search/suggest?q=${q}`)).queries;
  expect(await suggested('of%20fi')).toEqual(['of five']);
  expect(await suggested('five')).toEqual([]);
});
