import { expect, it } from 'vitest';
import { NOT_FOUND, person, states } from '#test/support/fixtures.ts';
import { importIn, startImport, uploadFile } from '#test/support/imports.ts';
import { longTest } from '#test/support/long-test.ts';
import { OWN_SECRETS } from '#test/support/server.ts';
import { csv } from '#test/support/uploads.ts';
import { ownDirectory } from '#test/support/with-directory.ts';
import { childrenOf, parseXml, textOf } from '#test/support/xml.ts';
import { problemsIn } from '#test/support/xml-schemas.ts';

/** The sitemap, the rules for crawlers and the description for language models, of a directory of its own. */

const SITE = 'https://directory.example';
const { server, directory } = await ownDirectory({
  env: { ...OWN_SECRETS, SITE_URL: `${SITE}/`, SITE_NAME: 'The <Directory> [1]', SITE_LANGUAGES: '' },
});
const owner = await person(server);

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The locations of a document of sitemaps.org, with their times. */
const locationsIn = async (path: string, root: 'sitemapindex' | 'urlset', element: string) => {
  const { body, headers } = await directory.ok(undefined, 'GET', path);
  expect(headers.get('content-type')).toBe('application/xml; charset=utf-8');
  expect(headers.get('cache-control')).toBe('public, max-age=300');
  expect(headers.get('etag')).toMatch(/^"[^"]+"$/);
  expect(await problemsIn(String(body), root === 'urlset' ? 'sitemap' : 'sitemapIndex')).toEqual([]);
  const document = parseXml(String(body));
  expect([document.name, document.attributes]).toEqual([
    root,
    { xmlns: 'http://www.sitemaps.org/schemas/sitemap/0.9' },
  ]);
  return document.children.map((child) => {
    expect(child.name).toBe(element);
    const [changed] = childrenOf(child, 'lastmod');
    if (changed) expect(changed.text).toMatch(TIME);
    const address = textOf(child, 'loc');
    expect([address.startsWith(`${SITE}/`), address.length < 2048]).toEqual([true, true]);
    return { path: address.slice(SITE.length), changedAt: changed?.text };
  });
};

const parts = () => locationsIn('/sitemap.xml', 'sitemapindex', 'sitemap');
const part = (name: string) => locationsIn(`/sitemaps/${name}.xml`, 'urlset', 'url');
const pages = async () => (await part('pages')).map(({ path }) => path);

/** All listings of the sitemap. */
const listings = async () => {
  const [, ...rest] = await parts();
  return (await Promise.all(rest.map(({ path }) => locationsIn(path, 'urlset', 'url')))).flat();
};

const initial = { parts: await parts(), pages: await pages(), first: await directory.get('/sitemaps/1.xml') };

it('the sitemap of an empty directory has its pages', () => {
  expect(initial.parts).toEqual([{ path: '/sitemaps/pages.xml', changedAt: undefined }]);
  expect(initial.pages).toEqual(['/', '/projects', '/categories', '/map']);
  expect(initial.first).toMatchObject(NOT_FOUND);
});

it('the sitemap has every indexable page once and no other, listings by creation', async () => {
  const empty = await directory.addCategory();
  const used = await directory.addCategory();
  const [before, pagesBefore] = [await listings(), await pages()];
  const first = await directory.submit(owner, { categories: [used.slug] });
  const second = await directory.live(owner, { categories: [used.slug] });
  for (const state of states.filter((one) => one !== 'live')) {
    await directory.project(state, owner, { categories: [empty.slug] });
  }
  await directory.adminOk('PUT', `/api/admin/projects/${first.id}/approve`);
  await server.until(async () => expect(await listings()).toHaveLength(before.length + 2));
  const all = await listings();
  const listed = all.slice(before.length);
  expect(all.slice(0, before.length)).toEqual(before);
  expect(listed.map(({ path }) => path)).toEqual([`/projects/${first.slug}`, `/projects/${second.slug}`]);
  const publications = await Promise.all(
    [first, second].map(async ({ id }) => (await directory.read(id)).published_at),
  );
  expect(listed.map(({ changedAt }) => changedAt)).toEqual(publications);
  const categoryPage = `/categories/${used.slug}`;
  const pagesAfter = await pages();
  expect(pagesAfter.filter((path) => path === categoryPage)).toHaveLength(1);
  expect(pagesAfter.filter((path) => path !== categoryPage)).toEqual(pagesBefore);
  const [ofPages, ...ofListings] = await parts();
  expect(ofPages).toEqual({ path: '/sitemaps/pages.xml', changedAt: undefined });
  expect(ofListings.at(-1)?.changedAt).toBe(publications.toSorted().at(-1));

  await directory.ok(owner, 'PUT', `/api/projects/${first.id}`, { description: 'Changed.' });
  await server.until(async () => {
    const changed = (await listings())[before.length];
    return changed?.changedAt === (await directory.read(first.id)).updated_at;
  });
  expect((await listings()).map(({ path }) => path)).toEqual(all.map(({ path }) => path));
});

it('a document that breaks the schemas of sitemaps is found', async () => {
  for (const [path, format] of [
    ['/sitemap.xml', 'sitemapIndex'],
    ['/sitemaps/pages.xml', 'sitemap'],
  ] as const) {
    const valid = String((await directory.ok(undefined, 'GET', path)).body);
    for (const other of ['<loc/>', '<lastmod>today</lastmod><loc>', '<address/><loc>']) {
      expect([other, (await problemsIn(valid.replace('<loc>', other), format)).length > 0]).toEqual([other, true]);
    }
  }
});

it('public collections are in the sitemap, by their present slugs', async () => {
  const before = await pages();
  const { id } = await directory.addCollection({ title: 'Tea for two', is_public: true });
  await directory.addCollection({ title: 'Not public' });
  expect(await pages()).toEqual([...before, '/collections/tea-for-two']);
  await directory.adminOk('PUT', `/api/admin/collections/${id}`, { slug: 'teas' });
  expect(await pages()).toEqual([...before, '/collections/teas']);
  await directory.adminOk('DELETE', `/api/admin/collections/${id}`);
  expect(await pages()).toEqual(before);
});

it('the texts of the site are in the sitemap while they are not empty', async () => {
  const before = await pages();
  await directory.adminOk('PUT', '/api/admin/site', { texts: { about: 'About us.', privacy: 'Nothing.' } });
  await server.until(async () => expect(await pages()).toEqual([...before, '/about', '/legal/privacy']));
  await directory.adminOk('PUT', '/api/admin/site', { texts: null });
  await server.until(async () => expect(await pages()).toEqual(before));
});

it.each(['0', '3', '01', '-1', '1e3', 'pages.xml', 'other'])('the sitemap has no part %s', async (name) => {
  expect(await directory.get(`/sitemaps/${name}.xml`)).toMatchObject(NOT_FOUND);
});

/** Whether rules of RFC 9309 permit a path: of those that match, the longest one counts, and of two equal ones the permission. */
const permits = (robots: string, path: string): boolean => {
  const rules = robots.split('\n').flatMap((line) => {
    const [, kind, pattern = ''] = /^(Allow|Disallow): (\S+)$/.exec(line) ?? [];
    const expression = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
    return kind !== undefined && new RegExp(`^${expression}`).test(path) ? [{ kind, length: pattern.length }] : [];
  });
  const length = Math.max(0, ...rules.map((rule) => rule.length));
  const strongest = rules.filter((rule) => rule.length === length);
  return strongest.length === 0 || strongest.some(({ kind }) => kind === 'Allow');
};

it('robots.txt permits the indexable pages, the pages of lists, feeds and badges, and nothing else', async () => {
  const { body, headers } = await directory.ok(undefined, 'GET', '/robots.txt');
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const robots = String(body);
  expect(robots.split('\n')[0]).toBe('User-agent: *');
  expect(robots).toContain(`\nSitemap: ${SITE}/sitemap.xml\n`);
  const permitted = [
    ...(await pages()),
    '/projects/tea',
    '/projects?page=2',
    '/categories/tools?page=3',
    '/feed.xml',
    '/feed.xml?category=tools',
    '/feed.json?q=tea',
    '/atom.xml?tag=x',
    '/badges/tea.svg?kind=rating',
    '/sitemap.xml',
    '/api/openapi.json',
  ];
  const refused = [
    '/me',
    '/me/drafts',
    '/submit',
    '/sign-in?next=/',
    '/console',
    '/console/queue',
    '/projects?q=tea',
    '/projects?category=tools&page=2',
    '/?q=x',
  ];
  for (const path of permitted) expect([path, permits(robots, path)]).toEqual([path, true]);
  for (const path of refused) expect([path, permits(robots, path)]).toEqual([path, false]);
});

it('llms.txt has name, summary, categories and the addresses for programs, and nothing breaks its format', async () => {
  const { slug } = await directory.addCategory({
    name: 'Tea](https://evil.example) & <b>',
    description: 'All\n# kinds.',
  });
  const { slug: other } = await directory.addCategory();
  for (const one of [slug, other]) await directory.live(owner, { categories: [one] });
  await directory.adminOk('PUT', '/api/admin/site', { tagline: 'Things *we* like', description: 'Long\n\n## text.' });
  const read = async () => String((await directory.ok(undefined, 'GET', '/llms.txt')).body);
  await server.until(async () => {
    const text = await read();
    return [slug, other].every((one) => text.includes(one));
  });
  const lines = (await read()).trimEnd().split('\n');
  expect(lines[0]).toBe('# The \\<Directory\\> \\[1\\]');
  expect(lines[2]).toMatch(/^> Things \\\*we\\\* like: \d+ listings in \d+ categories\.$/);
  expect(lines[4]).toBe('Long \\#\\# text.');
  expect(lines.filter((line) => line.startsWith('#')).map((line) => line.split(' ')[0])).toEqual(['#', '##', '##']);
  const links = lines.filter((line) => line.startsWith('- '));
  for (const line of links)
    expect(line).toMatch(/^- \[(?:\\.|[^[\]\\])+\]\(https:\/\/directory\.example\/[\w./-]+\): \S/);
  const addresses = links.map((line) => /\]\(https:\/\/directory\.example([^)]*)\): /.exec(line)?.[1]);
  expect(addresses).toEqual(
    expect.arrayContaining([
      '/api/openapi.json',
      '/mcp',
      '/feed.xml',
      '/atom.xml',
      '/feed.json',
      `/categories/${slug}`,
    ]),
  );
});

longTest(
  'a part has 10,000 listings by creation, and a full one keeps its pages when listings are added',
  async () => {
    const rows = Array.from({ length: 10_010 }, (_, at) => [`Row ${at}`, `row-${at}`, `https://row-${at}.example`]);
    const file = csv(['name', 'slug', 'url'], ...rows);
    const id = await uploadFile(directory, Buffer.from(file));
    await importIn(directory, id, 'uploaded');
    const columns = { name: 'name', slug: 'slug', url: 'url' };
    await startImport(directory, id, { columns, defaults: { status: 'live', description: 'A row.' } });
    await importIn(directory, id, 'done');
    const pathsIn = async (name: string) => (await part(name)).map(({ path }) => path);
    await server.until(async () => expect((await pathsIn('2')).at(-1)).toBe('/projects/row-10009'));
    const [first, second] = [await pathsIn('1'), await pathsIn('2')];
    // Some of the earliest listings are not live.
    expect([first.length > 9900, first.length <= 10_000, second.length < 100]).toEqual([true, true, true]);
    expect(new Set([...first, ...second]).size).toBe(first.length + second.length);
    expect((await parts()).map(({ path }) => path)).toEqual(['pages', '1', '2'].map((name) => `/sitemaps/${name}.xml`));
    const { slug } = await directory.live(owner);
    await server.until(async () => expect(await pathsIn('2')).toEqual([...second, `/projects/${slug}`]));
    expect(await pathsIn('1')).toEqual(first);
  },
  300_000,
);
