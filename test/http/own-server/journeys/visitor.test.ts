import { expect, it } from 'vitest';
import type { Category } from '#contract/categories.ts';
import { agents } from '#test/support/analytics.ts';
import { type Directory, dataOf, idsOf, metaOf, NOT_FOUND, person, type SeenProject } from '#test/support/fixtures.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

/** An anonymous visitor who looks for a restaurant. */

const CRON_SECRET = 'the-secret-of-this-test';

let server: TestServer;
let directory: Directory;

withOwnServer(
  async (opened) => {
    ({ server, directory } = opened);
    const owner = await person(server);
    const places = await directory.addCategory({ name: 'Restaurants', sphere: 'Food' });
    const markets = await directory.addCategory({ name: 'Markets', sphere: 'Food' });
    const zurich = { address_city: 'Zürich', address_country: 'Switzerland' };
    for (const [name, fields] of Object.entries({
      'Café Odeon': { categories: [places.slug], latitude: 47.367, longitude: 8.545, pricing_type: 'paid', ...zurich },
      'Zum Kropf': {
        categories: [places.slug],
        latitude: 47.37,
        longitude: 8.54,
        pricing_type: 'paid',
        tags: ['beer'],
      },
      'Bürkliplatz Market': { categories: [markets.slug], latitude: 47.366, longitude: 8.541, ...zurich },
      'Kaffeehaus Sperl': { categories: [places.slug], latitude: 48.2, longitude: 16.36, pricing_type: 'paid' },
      'Cooking at Home': {},
    })) {
      await directory.live(owner, { name, ...fields });
    }
    // Not live, so not listed.
    await directory.submit(owner, { name: 'Café Not Yet Open', categories: [places.slug] });
  },
  { env: { CRON_SECRET } },
);

const get = (path: string, headers: Record<string, string> = {}) => directory.get(path, undefined, headers);
const namesOf = (response: { body: unknown }) => dataOf<SeenProject[]>(response).map(({ name }) => name);

it('an anonymous visitor can browse, filter and read, and is counted without being identified', async () => {
  // The front page: settings and categories.
  expect(dataOf(await get('/api/settings'))).toMatchObject({ layout: { card: { showLogo: true } } });
  const categories = dataOf<Category[]>(await get('/api/categories'));
  expect(categories.map(({ name, project_count }) => [name, project_count])).toEqual(
    expect.arrayContaining([
      ['Markets', 1],
      ['Restaurants', 3],
    ]),
  );

  // All pages, newest first.
  const listed: string[] = [];
  for (let page = 1, hasMore = true; hasMore; page += 1) {
    const response = await get(`/api/projects?limit=2&page=${page}`);
    expect(metaOf(response)).toMatchObject({ total: 5, page, pageSize: 2 });
    listed.push(...namesOf(response));
    hasMore = metaOf(response).hasMore;
  }
  expect(listed).toEqual(['Cooking at Home', 'Kaffeehaus Sperl', 'Bürkliplatz Market', 'Zum Kropf', 'Café Odeon']);

  // A sphere with facet counts, then filtered by pricing and sorted by name.
  const food = await get('/api/projects?sphere=Food&facets=pricing,category');
  expect(metaOf(food)).toMatchObject({
    total: 4,
    facets: {
      pricing: [
        { value: 'paid', count: 3 },
        { value: 'free', count: 1 },
      ],
    },
  });
  expect(namesOf(await get('/api/projects?sphere=Food&pricing=paid&sort=name'))).toEqual([
    'Café Odeon',
    'Kaffeehaus Sperl',
    'Zum Kropf',
  ]);

  // The search ignores accents and case, and includes tags.
  expect(namesOf(await get('/api/projects?q=CAFE'))).toEqual(['Café Odeon']);
  expect(namesOf(await get('/api/projects?q=beer'))).toEqual(['Zum Kropf']);

  // The map feed, and the list around a location.
  const { items } = (await get('/api/projects/map')).body as { items: { name: string; address_city: string }[] };
  expect(items.map(({ name }) => name).toSorted()).toEqual([
    'Bürkliplatz Market',
    'Café Odeon',
    'Kaffeehaus Sperl',
    'Zum Kropf',
  ]);
  expect(namesOf(await get('/api/projects?near=47.3667,8.545&radius_km=5&category=restaurants&sort=name'))).toEqual([
    'Café Odeon',
    'Zum Kropf',
  ]);

  // A project by slug; a conditional request returns 304.
  const first = await get('/api/projects/cafe-odeon');
  const odeon = dataOf<SeenProject>(first);
  expect(odeon).toMatchObject({ name: 'Café Odeon', status: 'live', views_count: 0 });
  expect(odeon).not.toHaveProperty('viewer');
  const again = await get('/api/projects/cafe-odeon', { 'if-none-match': first.headers.get('etag') ?? '' });
  expect([again.status, again.body]).toEqual([304, undefined]);
  expect(idsOf(await get(`/api/projects/${odeon.id}/comments`))).toEqual([]);
  expect(await get('/api/projects/cafe-not-yet-open')).toMatchObject(NOT_FOUND);

  // Views and outbound clicks are counted without identifying the visitor.
  const events = [
    { type: 'pageview', path: '/cafe-odeon' },
    { type: 'project_view', path: '/cafe-odeon', project_id: odeon.id, referrer: 'https://search.example/?q=secret' },
    { type: 'outbound_click', path: '/cafe-odeon', project_id: odeon.id },
  ];
  const counted = await server.call('POST', '/api/analytics/track', {
    body: { events },
    headers: { 'user-agent': agents.iphone },
  });
  expect(counted).toMatchObject({ status: 202, body: { data: { accepted: 3 } } });
  expect(counted.headers.get('set-cookie')).toBeNull();
  expect(await server.call('POST', '/api/cron/roll-up-analytics', { token: CRON_SECRET })).toMatchObject({
    status: 200,
  });
  await server.until(async () => (await directory.read('cafe-odeon')).views_count === 1);
  const report = dataOf(await directory.adminOk('GET', '/api/admin/analytics?range=7d'));
  expect(report).toMatchObject({
    totals: { pageviews: 1, visitors: 1, project_views: 1, outbound_clicks: 1 },
    top_projects: [{ slug: 'cafe-odeon', views: 1 }],
    devices: [{ name: 'mobile' }],
    referrers: [{ name: 'search.example', count: 1 }],
  });
  expect(JSON.stringify(report)).not.toContain('secret');
});
