import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Category } from '#contract/categories.ts';
import type { Project } from '#contract/projects.ts';
import type { SiteSettings } from '#contract/settings.ts';
import { openStage, type Stage } from '#test/conformance/stage.ts';
import { dataOf, INVALID, idsOf, metaOf, NOT_FOUND } from '#test/support/fixtures.ts';

/** Public reads: properties that hold for any data. The tests change nothing. */

/** The maximum number of pages to follow; a directory may have thousands. */
const PAGES_MAX = 5;

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage.close());

const get = (path: string, headers: Record<string, string> = {}) => stage.client.call('GET', path, { headers });
const list = async (query: string) => {
  const response = await get(`/api/projects?${query}`);
  expect(response.status).toBe(200);
  return response;
};
const first = async (): Promise<Project> => {
  const [project] = dataOf<Project[]>(await list('limit=1'));
  if (!project) throw new Error('The directory is empty: the suite needs a live project to read.');
  return project;
};

it('the list returns every project once when following the cursor', async () => {
  const seen: string[] = [];
  let cursor: string | null | undefined;
  for (let pages = 0; pages < PAGES_MAX && cursor !== null; pages += 1) {
    const response = await list(`limit=20${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
    seen.push(...idsOf(response));
    cursor = metaOf(response).nextCursor;
  }
  expect(new Set(seen).size).toBe(seen.length);
  // Others may change the data meanwhile; at most one project may be missing.
  if (cursor === null) expect(seen.length).toBeGreaterThanOrEqual(metaOf(await list('limit=1')).total - 1);
});

it('the list has page numbers, and an empty page beyond the last one', async () => {
  const { total } = metaOf(await list('limit=1'));
  const pages = Math.max(1, Math.ceil(total / 7));
  expect(metaOf(await list('limit=7&page=1'))).toMatchObject({ page: 1, pageSize: 7, hasMore: pages > 1 });
  const beyond = await list(`limit=7&page=${pages + 100}`);
  expect([dataOf<unknown[]>(beyond), metaOf(beyond).hasMore]).toEqual([[], false]);
});

const isDescending = (values: readonly number[]): boolean =>
  values.every((one, at) => at === 0 || one <= (values[at - 1] ?? one));
const published = ({ published_at, created_at }: Project): number => Date.parse(published_at ?? created_at);
const measures: Readonly<Record<string, (project: Project) => number>> = {
  newest: published,
  oldest: (project) => -published(project),
  upvotes: ({ upvote_count }) => upvote_count,
  rating: ({ average_rating }) => average_rating,
  views: ({ views_count }) => views_count,
  weighted_rating: ({ weighted_rating }) => weighted_rating,
};

it('the list supports every sort key of the settings, in the order of numeric keys', async () => {
  const { sort_keys: keys, sort_aliases: aliases } = dataOf<SiteSettings>(await get('/api/settings'));
  expect(keys).toEqual(expect.arrayContaining(Object.keys(measures)));
  for (const key of [...keys, ...Object.keys(aliases)]) {
    const projects = dataOf<Project[]>(await list(`limit=100&sort=${key}`));
    const measure = measures[key];
    if (measure) expect([key, isDescending(projects.map(measure))]).toEqual([key, true]);
  }
});

it('the list has facet counts that match the filtered totals', async () => {
  const response = await list('limit=1&facets=pricing,category,sphere,tag');
  const { total, facets } = metaOf(response);
  expect((facets?.pricing ?? []).reduce((sum, { count }) => sum + count, 0)).toBe(total);
  for (const { value, count } of facets?.pricing ?? []) {
    const filtered = await list(`limit=100&pricing=${value}`);
    expect([value, metaOf(filtered).total]).toEqual([value, count]);
    for (const project of dataOf<Project[]>(filtered)) expect(project.pricing_type).toBe(value);
  }
  const [category] = facets?.category ?? [];
  if (category) expect(metaOf(await list(`limit=1&category=${category.value}`)).total).toBe(category.count);
});

it('the list finds a project by its name in any case', async () => {
  const { id, name } = await first();
  for (const q of [name, name.toUpperCase(), ` ${name.toLowerCase()} `])
    expect(idsOf(await list(new URLSearchParams({ limit: '100', q }).toString()))).toContain(id);
  expect(metaOf(await list('q=this%20matches%20no%20project')).total).toBe(0);
});

it.each([
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['page=0', 'page'],
  ['page=x', 'page'],
  ['sort=nonsense', 'sort'],
  ['pricing=gratis', 'pricing'],
  ['facets=nonsense', 'facets'],
  ['bbox=1,2,3', 'bbox'],
  ['near=91,0', 'near'],
  ['cursor=nonsense', 'cursor'],
])('the list returns 400 for %s and names the field', async (query, field) => {
  const response = await get(`/api/projects?${query}`);
  expect(response).toMatchObject(INVALID);
  const details = (response.body as { details: Record<string, unknown> }).details;
  expect(details).toHaveProperty(field);
});

it('a single project is returned by id and by slug', async () => {
  const { id, slug } = await first();
  for (const reference of [id, slug]) {
    const response = await get(`/api/projects/${reference}`);
    expect(response.status).toBe(200);
    expect(dataOf<Project>(response)).toMatchObject({ id, slug, status: 'live' });
    expect(dataOf<object>(response)).not.toHaveProperty('viewer');
  }
});

it('a single project is 404 when it does not exist', async () => {
  for (const path of ['/api/projects/there-is-no-such-project', '/api/categories/there-is-no-such-category'])
    expect(await get(path)).toMatchObject(NOT_FOUND);
});

it('categories and settings are returned by id and slug, and the theme as CSS', async () => {
  const categories = dataOf<Category[]>(await get('/api/categories'));
  for (const { id, slug } of categories.slice(0, 3)) {
    expect(dataOf<Category>(await get(`/api/categories/${id}`)).slug).toBe(slug);
    expect(dataOf<Category>(await get(`/api/categories/${slug}`)).id).toBe(id);
  }
  const css = await get('/api/settings/theme.css');
  expect([css.status, css.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/css/)]);
});

it('shared caching is allowed for the map and the settings, but not for other responses', async () => {
  const cacheControlOf = async (path: string) => (await get(path)).headers.get('cache-control');
  expect(await cacheControlOf('/api/settings')).toMatch(/^public, max-age=\d+$/);
  if (stage.isOn('map')) expect(await cacheControlOf('/api/projects/map')).toBe('public, max-age=120');
  for (const path of ['/api/projects', '/api/nothing-is-here', '/api/user/profile'])
    expect([path, await cacheControlOf(path)]).toEqual([path, expect.stringMatching(/private|no-store/)]);
});

it('a public GET has a strong ETag, and returns 304 without a body for it', async () => {
  for (const path of ['/api/projects?limit=3', '/api/categories', '/api/settings', '/api/openapi.json']) {
    // Others may change the data between the two requests.
    await stage.client.until(async () => {
      const tag = (await get(path)).headers.get('etag') ?? '';
      expect(tag).toMatch(/^"[^"]+"$/);
      const again = await get(path, { 'if-none-match': tag });
      return again.status === 304 && again.body === undefined;
    });
  }
});

it('a public GET is compressed above 1 KB when the caller accepts it', async () => {
  const { headers } = await get('/api/openapi.json', { 'accept-encoding': 'gzip' });
  expect(headers.get('content-encoding')).toBe('gzip');
  expect((await get('/api/openapi.json')).headers.get('content-encoding')).toBeNull();
});
