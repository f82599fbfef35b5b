import { expect, it } from 'vitest';
import type { Field } from '#contract/custom-fields.ts';
import type { Project } from '#contract/projects.ts';
import { seedMarkKey } from '#data/keys.ts';
import { deleteItem } from '#data/write.ts';
import { seed } from '#local/seed.ts';
import { dataOf } from '#test/support/fixtures.ts';
import { runJob } from '#test/support/jobs.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** What the first start of a directory shows. */

const { server, directory } = await ownDirectory();
await seed();

interface Listing {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly logo_url: string | null;
  readonly screenshots: readonly string[];
  readonly long_description: string | null;
  readonly upvote_count: number;
  readonly ratings_count: number;
  readonly comments_count: number;
  readonly published_at: string;
  readonly fields?: Project['fields'];
}

const admin = async <T>(path: string): Promise<T> => dataOf<T>(await directory.adminOk('GET', path));
const listings = async (): Promise<Listing[]> =>
  dataOf(await directory.ok(undefined, 'GET', '/api/projects?limit=100'));

it('the sample listings have a logo, screenshots and a text of their own, as drawings that this server answers', async () => {
  const all = await listings();
  expect(all.length).toBeGreaterThanOrEqual(50);
  const bodies = new Set<string>();
  for (const { slug, logo_url } of all) {
    const { screenshots, long_description } = dataOf<Listing>(
      await directory.ok(undefined, 'GET', `/api/projects/${slug}`),
    );
    expect(screenshots).toHaveLength(2);
    expect(long_description).toContain('## At a glance');
    for (const url of [logo_url, ...screenshots]) {
      const response = await fetch(`http://localhost:${server.server.port}${new URL(url ?? '').pathname}`);
      expect([url, response.status, response.headers.get('content-type')]).toEqual([url, 200, 'image/svg+xml']);
      const text = await response.text();
      expect(text).toMatch(/^<svg .+<\/svg>$/s);
      expect(text).not.toMatch(/<script|href|url\(/);
      bodies.add(text);
    }
  }
  expect(bodies.size).toBe(all.length * 3);
});

it.each([
  '/_local/samples/blender/screen-3.svg',
  '/_local/samples/Blender/logo.svg',
  '/_local/samples/blender/logo.png',
])('there is no drawing at %s', async (path) => {
  expect((await fetch(`http://localhost:${server.server.port}${path}`)).status).toBe(404);
});

it('the counters of sample listings and users are those of their records', async () => {
  const all = await listings();
  for (const counter of ['upvote_count', 'ratings_count', 'comments_count'] as const) {
    expect([counter, all.filter((one) => one[counter] > 0).length > 10]).toEqual([counter, true]);
  }
  expect(await runJob(server, 'reconcile-counters')).toMatchObject({ repaired: 0, drift: [] });
});

it('the sample listings were published over 90 days', async () => {
  const days = new Set((await listings()).map(({ published_at }) => published_at.slice(0, 10)));
  expect(days.size).toBeGreaterThan(40);
});

it('the listings show five fields of different types, with values of each', async () => {
  const fields = dataOf<Field[]>(await directory.get('/api/fields'));
  expect(fields.map(({ key, type }) => [key, type])).toEqual([
    ['licence', 'select'],
    ['platforms', 'multi_select'],
    ['self_hosted', 'boolean'],
    ['first_release', 'date'],
    ['source_code', 'url'],
  ]);
  const all = await listings();
  for (const { slug, fields: values } of all) {
    expect([slug, values]).toMatchObject([
      slug,
      { licence: expect.any(String), platforms: expect.any(Array), self_hosted: expect.any(Boolean) },
    ]);
    expect([slug, values?.source_code]).toEqual([slug, expect.stringMatching(/^https:/)]);
  }
  expect(all.filter(({ fields: values }) => values?.first_release !== undefined).length).toBeGreaterThan(10);
});

it('a search with a typo finds a sample listing', async () => {
  const found = await directory.ok(undefined, 'GET', '/api/projects?q=docment%20sharing&match=fuzzy&sort=relevance');
  expect(dataOf<Listing[]>(found).map(({ slug }) => slug)).toEqual(['cryptpad']);
});

it('moderators find reports, submissions and an edit that wait', async () => {
  const summary = await admin<Record<string, number>>('/api/admin/summary');
  expect(summary).toMatchObject({ reports_open: 3, revisions_pending: 1 });
  expect(summary.pending).toBeGreaterThan(0);
});

it('each placement has a promotion', async () => {
  for (const placement of ['banner', 'catalog', 'detail']) {
    expect(await admin<object[]>(`/api/promotions?placement=${placement}`)).toHaveLength(1);
  }
});

it('the reports have 30 days of visits and searches, and the days agree with the listings', async () => {
  const { totals, traffic, top_projects, countries } = await admin<{
    totals: Record<string, number>;
    traffic: { pageviews: number; submissions: number }[];
    top_projects: { id: string; views: number }[];
    countries: object[];
  }>('/api/admin/analytics?range=30d');
  expect(traffic.filter(({ pageviews }) => pageviews > 0).length).toBeGreaterThanOrEqual(29);
  expect(totals.visitors).toBeLessThan(totals.pageviews ?? 0);
  expect(top_projects.length).toBeGreaterThan(5);
  expect(countries.length).toBeGreaterThan(3);
  const searches = await admin<object[]>('/api/admin/analytics/searches?range=30d');
  expect(searches.length).toBeGreaterThan(5);
});

it('each collection has listings', async () => {
  const collections = dataOf<{ slug: string; project_count: number }[]>(
    await directory.ok(undefined, 'GET', '/api/collections'),
  );
  expect(collections.map(({ project_count }) => project_count)).toEqual([6, 6, 6]);
});

it('the directory says what it is', async () => {
  const { site } = dataOf<{ site: { tagline: string; texts: { about: string } } }>(
    await directory.get('/api/settings'),
  );
  expect(site.tagline).toBe('Software worth knowing');
  expect(site.texts.about).toContain('you decide what is published');
});

it('a start after an interrupted one adds nothing twice', async () => {
  const before = await listings();
  await deleteItem(seedMarkKey);
  await seed();
  expect(await listings()).toEqual(before);
  expect(dataOf(await directory.ok(undefined, 'GET', '/api/collections'))).toHaveLength(3);
  expect(await admin<object[]>('/api/admin/fields')).toHaveLength(5);
  expect(await admin<object>('/api/admin/summary')).toMatchObject({ reports_open: 3, revisions_pending: 1 });
  expect(await runJob(server, 'reconcile-counters')).toMatchObject({ repaired: 0, drift: [] });
});
