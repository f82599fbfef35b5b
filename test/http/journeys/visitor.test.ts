import { expect, it } from 'vitest';
import type { Category } from '#contract/categories.ts';
import { agents } from '#test/support/analytics.ts';
import { type Directory, dataOf, idsOf, metaOf, NOT_FOUND, person, type SeenProject } from '#test/support/fixtures.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** The visitor: somebody without an account who looks for a place to eat. */

const CRON_SECRET = 'the-secret-of-this-test';

let world: TestWorld;
let directory: Directory;

withDirectory(
  async (opened) => {
    ({ world, directory } = opened);
    const owner = await person(world);
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
    // What is not live is nobody's to find.
    await directory.submit(owner, { name: 'Café Not Yet Open', categories: [places.slug] });
  },
  { env: { CRON_SECRET } },
);

const ask = (path: string, headers: Record<string, string> = {}) => directory.get(path, undefined, headers);
const namesOf = (answer: { body: unknown }) => dataOf<SeenProject[]>(answer).map(({ name }) => name);

it('browses, narrows down, reads, and is counted without being known', async () => {
  // The front page: how it looks, what there is, and how it is sorted into groups.
  expect(dataOf(await ask('/api/settings'))).toMatchObject({ layout: { card: { showLogo: true } } });
  const categories = dataOf<Category[]>(await ask('/api/categories'));
  expect(categories.map(({ name, project_count }) => [name, project_count])).toEqual(
    expect.arrayContaining([
      ['Markets', 1],
      ['Restaurants', 3],
    ]),
  );

  // A walk through all of it, page by page, newest first.
  const walked: string[] = [];
  for (let page = 1, hasMore = true; hasMore; page += 1) {
    const answer = await ask(`/api/projects?limit=2&page=${page}`);
    expect(metaOf(answer)).toMatchObject({ total: 5, page, pageSize: 2 });
    walked.push(...namesOf(answer));
    hasMore = metaOf(answer).hasMore;
  }
  expect(walked).toEqual(['Cooking at Home', 'Kaffeehaus Sperl', 'Bürkliplatz Market', 'Zum Kropf', 'Café Odeon']);

  // Only food, with the counts that the filters beside the list show; then only what costs something, by name.
  const food = await ask('/api/projects?sphere=Food&facets=pricing,category');
  expect(metaOf(food)).toMatchObject({
    total: 4,
    facets: {
      pricing: [
        { value: 'paid', count: 3 },
        { value: 'free', count: 1 },
      ],
    },
  });
  expect(namesOf(await ask('/api/projects?sphere=Food&pricing=paid&sort=name'))).toEqual([
    'Café Odeon',
    'Kaffeehaus Sperl',
    'Zum Kropf',
  ]);

  // The search minds neither accents nor case, and finds tags.
  expect(namesOf(await ask('/api/projects?q=CAFE'))).toEqual(['Café Odeon']);
  expect(namesOf(await ask('/api/projects?q=beer'))).toEqual(['Zum Kropf']);

  // What is near, on the map and in the list.
  const { items } = (await ask('/api/projects/map')).body as { items: { name: string; address_city: string }[] };
  expect(items.map(({ name }) => name).toSorted()).toEqual([
    'Bürkliplatz Market',
    'Café Odeon',
    'Kaffeehaus Sperl',
    'Zum Kropf',
  ]);
  expect(namesOf(await ask('/api/projects?near=47.3667,8.545&radius_km=5&category=restaurants&sort=name'))).toEqual([
    'Café Odeon',
    'Zum Kropf',
  ]);

  // One of them, by its readable address; coming back, nothing needs to be sent again.
  const first = await ask('/api/projects/cafe-odeon');
  const odeon = dataOf<SeenProject>(first);
  expect(odeon).toMatchObject({ name: 'Café Odeon', status: 'live', views_count: 0 });
  expect(odeon).not.toHaveProperty('viewer');
  const again = await ask('/api/projects/cafe-odeon', { 'if-none-match': first.headers.get('etag') ?? '' });
  expect([again.status, again.body]).toEqual([304, undefined]);
  expect(idsOf(await ask(`/api/projects/${odeon.id}/comments`))).toEqual([]);
  expect(await ask('/api/projects/cafe-not-yet-open')).toMatchObject(NOT_FOUND);

  // The page counts the view, the way out too, and learns nothing of who it was.
  const events = [
    { type: 'pageview', path: '/cafe-odeon' },
    { type: 'project_view', path: '/cafe-odeon', project_id: odeon.id, referrer: 'https://search.example/?q=secret' },
    { type: 'outbound_click', path: '/cafe-odeon', project_id: odeon.id },
  ];
  const counted = await world.call('POST', '/api/analytics/track', {
    body: { events },
    headers: { 'user-agent': agents.iphone },
  });
  expect(counted).toMatchObject({ status: 202, body: { data: { accepted: 3 } } });
  expect(counted.headers.get('set-cookie')).toBeNull();
  await world.call('POST', '/api/cron/roll-up-analytics', { token: CRON_SECRET });
  await world.until(async () => (await directory.read('cafe-odeon')).views_count === 1);
  const report = dataOf(await directory.done('GET', '/api/admin/analytics?range=7d'));
  expect(report).toMatchObject({
    totals: { pageviews: 1, visitors: 1, project_views: 1, outbound_clicks: 1 },
    top_projects: [{ slug: 'cafe-odeon', views: 1 }],
    devices: [{ name: 'mobile' }],
    referrers: [{ name: 'search.example', count: 1 }],
  });
  expect(JSON.stringify(report)).not.toContain('secret');
});
