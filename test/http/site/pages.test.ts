import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { beforeAll, expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import { siteFolder } from '#lib/site.ts';
import { category, dataOf, fullSubmission, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory, type TestContext } from '#test/support/with-directory.ts';

let context: TestContext;

const EVIL = '</script><script>alert(1)</script><img src=x onerror=alert(1)>';
const HOSTILE = '"><svg onload=alert(1)> {{7*7}} \u202e';
const MARKDOWN = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[link](javascript:alert(1))',
  '[data](data:text/html,<script>alert(1)</script>)',
  '![image](https://tracker.example/x.png)',
  '[quote](https://example.com/"onmouseover="alert(1))',
  '# Heading',
  '[good](https://example.com/good)',
].join('\n\n');

let listing: { readonly id: string; readonly slug: string };
let evilCategory: string;
let evilCollection: string;

const queryOf = (query: Readonly<Record<string, string>>): string => new URLSearchParams(query).toString();

const read = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${context.server.url}${path}`, { redirect: 'manual', headers });

const textOf = async (path: string): Promise<string> => (await read(path)).text();

/** The elements of a page as a browser reads them. */
const elementsOf = (html: string) => {
  const elements: { readonly name: string; readonly attributes: Readonly<Record<string, string>> }[] = [];
  const parser = new Parser({ onopentag: (name, attributes) => elements.push({ name, attributes }) });
  parser.end(html);
  return elements;
};

const structuredData = (html: string): Readonly<Record<string, unknown>>[] =>
  [...html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)].map(
    ([, json = '']) => JSON.parse(json) as Record<string, unknown>,
  );

beforeAll(async () => {
  context = await sharedDirectory();
  const { directory } = context;
  const created = await directory.adminOk(
    'POST',
    '/api/admin/categories',
    category({ name: `${unique('X')} ${EVIL}`.slice(0, 50), description: EVIL }),
    201,
  );
  evilCategory = dataOf<{ slug: string }>(created).slug;
  listing = await directory.live(
    directory.admin,
    fullSubmission({
      name: `${unique('Evil')} ${EVIL}`.slice(0, 100),
      description: `${HOSTILE} ${EVIL}`,
      long_description: MARKDOWN,
      categories: [evilCategory],
      tags: [EVIL.slice(0, 40)],
      address_city: EVIL,
      logo_url: 'https://img.example.com/"onerror="alert(1)',
    }),
  );
  await directory.adminOk('POST', `/api/projects/${listing.id}/comments`, { content: `${EVIL} ${HOSTILE}` }, 201);
  const title = `${unique('Evil')} ${EVIL}`;
  const choice = { title, description: MARKDOWN, project_ids: [listing.id], is_public: true };
  ({ slug: evilCollection } = await directory.addCollection(choice));
  await directory.adminOk('PUT', '/api/admin/site', {
    texts: { about: MARKDOWN, privacy: `# Data\n\n${EVIL}` },
    links: [{ label: EVIL.slice(0, 40), url: 'https://example.com/"onclick="alert(1)' }],
  });
});

it.each(['/', '/projects', '/categories', '/map'])(
  '%s is an indexable page that caches keep for a minute',
  async (path) => {
    const response = await read(path);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toContain('max-age=0, s-maxage=60');
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'self'; style-src 'self' 'sha256-/);
    expect(text).toContain('<html lang="en" dir="ltr" ');
    expect(text).toMatch(/<link rel="canonical" href="[^"]+">/);
    expect(text).not.toContain('noindex');
    expect(text).toContain('<link rel="describedby" href="/llms.txt" type="text/plain">');
    expect(text).toContain('<link rel="alternate" href="/feed.xml" type="application/rss+xml">');
  },
);

it('the bytes of a page do not depend on the caller', async () => {
  const { token } = await person(context.server);
  const [anonymous, signedIn] = await Promise.all([
    textOf('/categories'),
    read('/categories', { authorization: `Bearer ${token}`, cookie: `directory_token=${token}` }).then((response) =>
      response.text(),
    ),
  ]);
  expect(signedIn).toBe(anonymous);
});

it.each([
  ['the home page', () => '/'],
  ['the list', () => '/projects'],
  ['a search with markup', () => `/projects?${queryOf({ q: EVIL })}`],
  ['a wrong value with markup', () => `/projects?${queryOf({ sort: EVIL })}`],
  ['a filter with markup', () => `/projects?${queryOf({ tag: EVIL.slice(0, 40) })}`],
  ['the categories', () => '/categories'],
  ['a category', () => `/categories/${evilCategory}`],
  ['a listing', () => `/projects/${listing.slug}`],
  ['a collection', () => `/collections/${evilCollection}`],
  ['a wrong value on a collection', () => `/collections/${evilCollection}?${queryOf({ sort: EVIL, page: EVIL })}`],
  ['the map', () => `/map?${queryOf({ category: evilCategory })}`],
  ['a wrong place on the map', () => `/map?${queryOf({ bbox: EVIL, near: EVIL })}`],
  ['a filter by a field with markup', () => `/projects?${queryOf({ [`filter[${EVIL}]`]: EVIL })}`],
  ['the form of a submission', () => `/submit?${queryOf({ draft: EVIL })}`],
  ['the account', () => `/me?${queryOf({ x: EVIL })}`],
  ['the page that signs in', () => `/sign-in?${queryOf({ return_to: 'javascript:alert(1)', error: EVIL })}`],
  ['the page after a payment', () => `/checkout/success?${queryOf({ checkout: EVIL })}`],
  ['the page after a payment was cancelled', () => `/checkout/cancel?${queryOf({ checkout: EVIL })}`],
  ['a text', () => '/about'],
  ['a legal text', () => '/legal/privacy'],
  ['a listing in another language', () => `/de/projects/${listing.slug}`],
  ['a search in another language', () => `/fr/projects?${queryOf({ q: EVIL, tag: EVIL.slice(0, 40) })}`],
  ['an unknown page', () => `/projects/${encodeURIComponent(EVIL)}`],
])('texts of users and of the address are no markup and no script on %s', async (_, pathOf) => {
  const text = await textOf(pathOf());
  for (const { name, attributes } of elementsOf(text)) {
    expect(Object.keys(attributes).filter((attribute) => attribute.startsWith('on'))).toEqual([]);
    for (const address of [attributes.href, attributes.src, attributes.action])
      expect(address ?? '/').toMatch(/^(?:\/|#|https?:|mailto:)/);
    expect(['iframe', 'object', 'embed', 'base']).not.toContain(name);
    if (name === 'script' && !/^application\/(?:ld\+)?json$/.test(attributes.type ?? ''))
      expect(attributes.src).toMatch(/^\/assets\/[\w-]+\.js$/);
  }
  expect(() => structuredData(text)).not.toThrow();
  for (const [, json = ''] of text.matchAll(/<script type="application\/json"[^>]*>(.*?)<\/script>/gs))
    expect(() => JSON.parse(json) as unknown).not.toThrow();
});

/** The elements of a page with what they are in, and its texts. */
const walk = (html: string, visit: (path: readonly Element[], text?: string) => void): void => {
  const path: Element[] = [];
  const parser = new Parser({
    onopentag: (name, attributes) => {
      path.push({ name, attributes });
      visit(path);
    },
    ontext: (text) => visit(path, text),
    onclosetag: () => path.pop(),
  });
  parser.end(html);
};

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

it.each([
  ['a listing', () => `/projects/${listing.slug}`],
  ['a category', () => `/categories/${evilCategory}`],
  ['a collection', () => `/collections/${evilCollection}`],
  ['the categories', () => '/categories'],
  ['a search', () => `/projects?${queryOf({ q: EVIL, category: evilCategory })}`],
])('texts of users have the direction of their letters on %s', async (_, pathOf) => {
  const directions: (string | undefined)[] = [];
  walk(await textOf(pathOf()), (path, text) => {
    if (!text?.includes('alert(1)') || path.some(({ name }) => name === 'script' || name === 'title')) return;
    directions.push(path.findLast(({ attributes }) => 'dir' in attributes)?.attributes.dir);
  });
  expect(directions.length).toBeGreaterThan(0);
  expect(new Set(directions)).toEqual(new Set(['auto']));
});

/** The pages of the site by their paths. */
const pages = [
  '/',
  '/projects',
  '/categories',
  '/categories/CATEGORY',
  '/collections/COLLECTION',
  '/projects/LISTING',
  '/map',
  '/submit',
  '/me',
  '/sign-in',
  '/checkout/success',
  '/checkout/cancel',
  '/about',
  '/legal/privacy',
] as const;

const addressOf = (path: string): string =>
  path.replace('CATEGORY', evilCategory).replace('COLLECTION', evilCollection).replace('LISTING', listing.slug);

it.each(pages)('%s reads without script: what is shown then are links and forms that get pages', async (path) => {
  walk(await textOf(addressOf(path)), (elements, text) => {
    const element = elements.at(-1);
    const isForScripts = elements.some(
      ({ attributes }) =>
        /(?:^| )(?:needs-script|signed-in)(?: |$)/.test(attributes.class ?? '') || 'hidden' in attributes,
    );
    if (!element || text !== undefined || isForScripts) return;
    const { name, attributes } = element;
    if (name === 'form') {
      expect(attributes.method).toBe('get');
      expect(attributes.action).toMatch(/^\/[a-z]/);
    }
    if (name === 'a') expect(attributes.href).toMatch(/^(?:\/|#|https?:|mailto:|tel:)/);
    if (name === 'button')
      expect([attributes.type, elements.some((one) => one.name === 'form')]).toEqual(['submit', true]);
    if (['input', 'select', 'textarea'].includes(name)) expect(elements.some((one) => one.name === 'form')).toBe(true);
  });
});

it.each(pages)(
  '%s has a title, a description, a policy without inline script, and ignores unknown members of its query',
  async (path) => {
    const response = await read(addressOf(path));
    const html = await response.text();
    expect(html).toMatch(/<title>[^<]+<\/title>/);
    expect(html).toMatch(/<meta name="description" content="[^"]+">/);
    expect(html).toMatch(/<meta property="og:title" content="[^"]+">/);
    expect(response.headers.get('content-security-policy')).not.toMatch(/unsafe|script-src/);
    expect(response.headers.get('cache-control')).toBe('public, max-age=0, s-maxage=60');
    const isListed = html.includes('<link rel="canonical"');
    expect(html.includes('noindex')).toBe(!isListed);
    if (isListed && path !== '/') expect(structuredData(html)[0]).toMatchObject({ '@type': 'BreadcrumbList' });
    expect(
      await textOf(`${addressOf(path)}?utm_source=mail&limit=none&constructor=x&sortby=${encodeURIComponent(EVIL)}`),
    ).toBe(html);
  },
);

it.each(
  ['/projects', '/categories/CATEGORY', '/collections/COLLECTION', '/map'].flatMap((path) =>
    ['page=0', 'page=x', 'sort=best', 'pricing=cheap', 'match=exactly', 'bbox=1,2', 'near=here', 'filter[none]=1'].map(
      (query) => [path, query] as const,
    ),
  ),
)('%s?%s is the page with a message and 400', async (path, query) => {
  const response = await read(`${addressOf(path)}?${query}`);
  const html = await response.text();
  expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
  expect(html).toMatch(/<p class="notice bad" role="alert">/);
  expect(html).toContain('class="results"');
});

it('Markdown of a listing has no HTML, no images and only web links, which are not followed', async () => {
  const text = await textOf(`/projects/${listing.slug}`);
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(text).not.toContain('<img src="https://tracker.example');
  expect(text).toContain('<h3>Heading</h3>');
  expect(text).toContain('<a href="https://example.com/good" rel="nofollow ugc noopener">good</a>');
});

it('a listing has its JSON-LD, the rating only once there is one, and links to its site that are not followed', async () => {
  const [, described] = structuredData(await textOf(`/projects/${listing.slug}`));
  const { body } = await context.server.call('GET', `/api/projects/${listing.slug}`);
  const { name, url } = (body as { data: Project }).data;
  expect(described).toMatchObject({ '@type': 'SoftwareApplication', name, sameAs: url });
  expect(described).not.toHaveProperty('aggregateRating');
  const { token } = await person(context.server);
  await context.server.call('POST', `/api/projects/${listing.id}/ratings`, { token, body: { rating: 4 } });
  const html = await textOf(`/projects/${listing.slug}`);
  expect(structuredData(html)[1]).toMatchObject({ aggregateRating: { ratingValue: 4, ratingCount: 1 } });
  expect(html).toMatch(new RegExp(`<a [^>]*href="${url.replace(/[.?+*]/g, '\\$&')}" rel="nofollow ugc noopener"`));
});

it('links to the site of a premium listing are sponsored', async () => {
  const { directory } = context;
  const { id, slug } = await directory.live(directory.admin);
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, { plan: 'premium' });
  expect(await textOf(`/projects/${slug}`)).toContain('rel="sponsored nofollow ugc noopener"');
});

it.each([
  ['the id of a listing', () => `/projects/${listing.id}`, () => `/projects/${listing.slug}`],
  ['the first page by its number', () => '/projects?page=1', () => '/projects'],
  ['the first page of a search', () => '/projects?q=tea&page=1', () => '/projects?q=tea'],
])('%s is moved', async (_, from, to) => {
  const response = await read(from());
  expect([response.status, response.headers.get('location')]).toEqual([301, to()]);
});

it('an earlier slug of a listing and a merged category are moved', async () => {
  const { directory } = context;
  const { id, slug } = await directory.live(directory.admin);
  const next = unique('moved');
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, { slug: next });
  const response = await read(`/projects/${slug}`);
  expect([response.status, response.headers.get('location')]).toEqual([301, `/projects/${next}`]);
});

it.each([
  ['a listing that does not exist', () => '/projects/no-such-listing'],
  ['a category that does not exist', () => '/categories/no-such-category'],
  ['a page past the last', () => '/projects?page=100000'],
  ['a text that is empty', () => '/legal/imprint'],
  ['a text that does not exist', () => '/legal/other'],
  ['a file that does not exist', () => '/assets/main-00000000.css'],
])('%s is a page with 404 that is not indexed', async (_, pathOf) => {
  const response = await read(pathOf(), { accept: 'text/html' });
  const text = await response.text();
  expect(response.status).toBe(404);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(text).toContain('This page does not exist');
  expect(text).toContain('<meta name="robots" content="noindex">');
});

it('a tag with a comma leads to its listings, and a filter is marked and taken away in any spelling of it', async () => {
  const { directory } = context;
  const tag = `Vienna, ${unique('Austria')}`;
  const { slug } = await directory.live(directory.admin, { tags: [tag] });
  const linkTo = (html: string, shown: string) =>
    new RegExp(`<a [^>]*href="([^"]*)"[^>]*>(?:<span[^>]*></span>)?(?:<span[^>]*>)?${shown}<`).exec(html);
  const link = linkTo(await textOf(`/projects/${slug}`), tag)?.[1] ?? '';
  expect(link).toBe(`/projects?${queryOf({ tag: tag.replace(',', '\\,') })}`);
  const upper = queryOf({ tag: tag.toUpperCase().replace(',', '\\,') });
  for (const path of [link, `/projects?${upper}`]) {
    const found = await textOf(path);
    expect(found).toContain(`href="/projects/${slug}"`);
    const value = linkTo(found.slice(found.indexOf('class="facets"')), tag);
    expect([value?.[0].includes('aria-current="true"'), value?.[1]]).toEqual([true, '/projects']);
  }
});

longTest(
  'a collection shows its live listings in its order in pages of 24, and is 404 while it is not public',
  async () => {
    const { directory } = context;
    const listings = await Promise.all(Array.from({ length: 26 }, () => directory.live(directory.admin)));
    const [name, tag] = [unique('Single'), unique('tag').toLowerCase()];
    const single = await directory.live(directory.admin, { name, pricing_type: 'paid', tags: [tag] });
    const other = await directory.live(directory.admin, { pricing_type: 'paid', tags: [tag] });
    listings.push(single);
    const hidden = await directory.submit(directory.admin);
    const created = await directory.adminOk(
      'POST',
      '/api/admin/collections',
      {
        title: `${unique('Choice')} ${EVIL}`.slice(0, 100),
        description: MARKDOWN,
        project_ids: [hidden.id, ...listings.map(({ id }) => id)],
      },
      201,
    );
    const { id, slug } = dataOf<{ id: string; slug: string }>(created);
    const path = `/collections/${slug}`;
    expect((await read(path)).status).toBe(404);
    await directory.adminOk('PUT', `/api/admin/collections/${id}`, { is_public: true, sort_order: -1_000_000 });
    const names = (html: string) =>
      [...html.matchAll(/<a class="cover"[^>]*href="\/projects\/([^"]+)"/g)].map(([, one]) => one);
    const first = await textOf(path);
    const slugs = listings.map((one) => one.slug);
    const second = await textOf(`${path}?page=2`);
    expect([names(first), names(second)]).toEqual([slugs.slice(0, 24), slugs.slice(24)]);
    // Positions are those in the whole list.
    for (const [page, position] of [
      [first, 1],
      [second, 25],
    ] as const) {
      expect(structuredData(page)[1]).toMatchObject({
        numberOfItems: slugs.length,
        itemListElement: expect.arrayContaining([expect.objectContaining({ position })]) as unknown,
      });
    }
    expect(first).toContain('<link rel="canonical" href="http');
    expect(first).toMatch(new RegExp(`href="${path}\\?pricing=paid" rel="nofollow">.*?<span class="facet-count">1<`));
    for (const query of ['pricing=paid', `tag=${tag}`, queryOf({ q: name, match: 'fuzzy', sort: 'relevance' })]) {
      const found = await textOf(`${path}?${query}`);
      expect([query, names(found)]).toEqual([query, [single.slug]]);
      expect(found).toContain('<meta name="robots" content="noindex">');
    }
    expect(names(await textOf('/projects?sort=newest')).slice(0, 2)).toEqual([other.slug, single.slug]);
    expect(names(await textOf(`${path}?sort=newest`))[0]).toBe(single.slug);
    expect(first).toMatch(/aria-current="true"[^>]*>As chosen</);
    expect(first).not.toContain('<script>alert(1)');
    expect(first).not.toContain('<img src="https://tracker.example');
    expect(await textOf('/')).toContain(`href="${path}"`);
    const moved = await read(`/collections/${id}`);
    expect([moved.status, moved.headers.get('location')]).toEqual([301, path]);
    expect((await read(`${path}?page=1`)).headers.get('location')).toBe(path);
    expect([(await read(`${path}?page=none`)).status, (await read(`${path}?page=3`)).status]).toEqual([400, 404]);
    await directory.adminOk('DELETE', `/api/admin/collections/${id}`);
  },
);

it.each([
  ['/projects?page=1', 301],
  ['/projects?pricing=expensive', 400],
  ['/map?bbox=nowhere', 400],
  ['/map?page=1', 301],
  ['/map?page=100000', 404],
  ['/projects/PROJECT', 301],
  ['/categories/CATEGORY?page=1', 301],
  ['/categories/CATEGORY?page=none', 400],
  ['/collections/COLLECTION?page=none', 400],
  ['/collections/COLLECTION?pricing=expensive', 400],
  ['/collections/COLLECTION?page=1', 301],
])('GET %s is %d as documented', async (path, status) => {
  const { directory, server } = context;
  const body = { title: unique('Choice'), slug: unique('choice'), is_public: true };
  const { slug } = dataOf<{ slug: string }>(await directory.adminOk('POST', '/api/admin/collections', body, 201));
  const known = path.replace('CATEGORY', evilCategory).replace('COLLECTION', slug).replace('PROJECT', listing.id);
  const response = await server.call('GET', known);
  expect(response.status).toBe(status);
});

it('what is not public has no page', async () => {
  const { directory } = context;
  const hidden = unique('Hidden');
  const { slug } = await directory.submit(directory.admin, { name: hidden, slug: unique('waiting') });
  const page = await read(`/projects/${slug}`, { cookie: `directory_token=${directory.admin.token}` });
  expect([page.status, (await page.text()).includes(hidden)]).toEqual([404, false]);
  const { id, slug: removed } = await directory.live(directory.admin);
  expect((await read(`/projects/${removed}`)).status).toBe(200);
  await directory.adminOk('DELETE', `/api/projects/${id}`);
  expect((await read(`/projects/${removed}`)).status).toBe(404);
});

it('a wrong filter is the page with a message and 400; unknown members of the query are ignored', async () => {
  const wrong = await read('/projects?pricing=expensive&page=none');
  expect(wrong.status).toBe(400);
  expect(wrong.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const text = await wrong.text();
  expect(text).toContain('role="alert"');
  expect(text).toContain('pricing, page');
  expect((await read('/projects?utm_source=mail&limit=none')).status).toBe(200);
});

it('pages of filters and sorts are not indexed, their links are not followed, and plain pages are canonical to themselves', async () => {
  const filtered = await textOf('/projects?pricing=free&sort=name');
  expect(filtered).toContain('<meta name="robots" content="noindex">');
  expect(filtered).not.toContain('rel="canonical"');
  for (const [link] of filtered.matchAll(/<a [^>]*href="[^"]*[?&](?:pricing|sort|tag|category)=[^>]*>/g))
    expect(link).toContain('nofollow');
});

it('a search sends fuzzy words by relevance, and no result offers a correction', async () => {
  const { directory } = context;
  const word = unique('Zephyranthes');
  await directory.live(directory.admin, { name: word });
  const home = await textOf('/');
  expect(home).toContain('<input type="hidden" name="match" value="fuzzy"');
  expect(home).toContain('<input type="hidden" name="sort" value="relevance"');
  const found = await textOf(`/projects?${queryOf({ q: word, match: 'fuzzy', sort: 'relevance' })}`);
  expect(found).toContain(`dir="auto">${word}</a>`);
  const none = await textOf(`/projects?${queryOf({ q: 'qqxxqqzz', match: 'fuzzy', sort: 'relevance' })}`);
  expect(none).toContain('No listing matches');
});

const gzipped = (text: string): number => gzipSync(text, { level: 9 }).length;

/** The files that a page loads, with what they import before they run. */
const filesOf = async (text: string, pattern: RegExp): Promise<readonly string[]> => {
  const addresses = [...text.matchAll(pattern)].map(([, address = '']) => address);
  const files = new Map<string, string>();
  while (addresses.length > 0) {
    const address = addresses.pop() ?? '';
    if (files.has(address)) continue;
    const file = await textOf(address);
    files.set(address, file);
    const imported = file.matchAll(/(?:from|import)"\.\/(?<name>[\w-]+\.js)"/g);
    addresses.push(...[...imported].map(({ groups }) => `/assets/${groups?.name}`));
  }
  return [...files.values()];
};

longTest('scripts, styles and a page of 24 cards stay within their sizes', async () => {
  const { directory } = context;
  const all = Array.from({ length: 24 }, () => directory.live(directory.admin, fullSubmission()));
  await Promise.all(all);
  for (const [path, scriptMax] of [
    ['/', 12_000],
    ['/projects', 12_000],
    [`/projects/${listing.slug}`, 25_000],
    ['/sign-in', 60_000],
    ['/me', 60_000],
    ['/submit', 60_000],
    ['/map', 45_000],
  ] as const) {
    const text = await textOf(path);
    const loaded = async (pattern: RegExp) =>
      (await filesOf(text, pattern)).reduce((total, file) => total + gzipped(file), 0);
    const sizes = {
      path,
      script: await loaded(/<script [^>]*src="([^"]+)"/g),
      style: await loaded(/<link rel="stylesheet" href="([^"]+)"/g),
      page: gzipped(text),
    };
    const isWithin = sizes.script <= scriptMax && sizes.style <= 12_000 && sizes.page <= 25_000;
    expect({ ...sizes, isWithin }).toEqual({ ...sizes, isWithin: true });
  }
});

it('the form of a listing stays within its size also with the preview and the form of an edit', async () => {
  const text = await textOf('/submit');
  const scripts = await filesOf(text, /<script [^>]*src="([^"]+)"/g);
  const onDemand = readdirSync(siteFolder).filter((name) => /^(?:shown-listing|edit-form)-\w+\.js$/.test(name));
  expect(onDemand).toHaveLength(2);
  const more = await filesOf(onDemand.map((name) => `<i src="/assets/${name}">`).join(''), /src="([^"]+)"/g);
  const bytes = [...new Set([...scripts, ...more])].reduce((total, file) => total + gzipped(file), 0);
  expect(bytes).toBeGreaterThan(40_000);
  expect(bytes).toBeLessThanOrEqual(60_000);
});

it('no message has a skeleton, which scripts of browsers cannot read', () => {
  for (const name of readdirSync('site/messages'))
    expect(readFileSync(`site/messages/${name}`, 'utf8'), name).not.toMatch(/\{\s*\w+\s*,\s*\w+\s*,\s*::/);
});

it.each([
  ['/sign-in', 'Signing in needs JavaScript.'],
  ['/me', 'Your account needs JavaScript.'],
  ['/submit', 'Submitting needs JavaScript.'],
  ['/checkout/success', 'Thank you for your payment'],
  ['/checkout/cancel', 'Nothing was charged.'],
])('%s is the same for every visitor, is not indexed, and says what it needs', async (path, need) => {
  const text = await textOf(path);
  expect(text).toContain('<meta name="robots" content="noindex">');
  expect(text).toContain(need);
  expect(await textOf(`${path}?return_to=https://evil.example&code=x&error=%3Cscript%3E`)).toBe(text);
  const { token } = await person(context.server);
  const asUser = await read(path, { cookie: `directory_token=${token}` });
  expect(await asUser.text()).toBe(text);
});

it('a list that was shown before shows another listing, votes and the new name of its category', async () => {
  const { directory, server } = context;
  const owner = await person(server);
  const { id: categoryId, slug } = await directory.addCategory();
  const [first, second] = [unique('First'), unique('Second')];
  const { id } = await directory.live(owner, { name: first, categories: [slug] });
  const path = `/categories/${slug}`;
  const shows = (...expected: readonly string[]) =>
    server.until(async () => {
      const text = await textOf(path);
      return expected.every((one) => text.includes(one));
    });
  await shows(first);
  expect(await textOf(path)).toBe(await textOf(path));
  await directory.live(owner, { name: second, categories: [slug] });
  await shows(first, second);
  await directory.ok(await person(server), 'PUT', `/api/projects/${id}/upvote`);
  await shows('aria-hidden="true">1</span>');
  const name = unique('Renamed');
  await directory.adminOk('PUT', `/api/admin/categories/${categoryId}`, { name });
  await shows(`<h1 dir="auto">${name}`);
});

it('a listing says its votes without script, and shows controls only where a script makes them work', async () => {
  const text = await textOf(`/projects/${listing.slug}`);
  const controls = elementsOf(text).filter(({ attributes }) =>
    ['data-vote', 'data-bookmark', 'data-comment-form', 'data-report'].some((name) => name in attributes),
  );
  expect(controls).toHaveLength(4);
  for (const { attributes } of controls) expect(attributes.class).toContain('needs-script');
  expect(text).toMatch(/class="button vote no-script">.*?<span>0<\/span>/);
});

it('a listing with a place leads to it on the map, and offers the HTML of its badge', async () => {
  const { directory, server } = context;
  const owner = await person(server);
  const placed = await directory.live(owner, { latitude: 48.7758, longitude: 9.1829 });
  const text = await textOf(`/projects/${placed.slug}`);
  expect(text).toContain('href="/map#8/48.7758/9.1829"');
  const outlines = elementsOf(text).find(({ name }) => name === 'use')?.attributes.href ?? '';
  expect((await read(outlines)).headers.get('content-type')).toBe('image/svg+xml');
  const [, code = ''] = /<code dir="ltr">(.*?)<\/code>/s.exec(text) ?? [];
  const [link, image] = elementsOf(code.replaceAll('&lt;', '<').replaceAll('&quot;', '"'));
  expect(link?.attributes.href).toMatch(new RegExp(`^https?://[^/]+/projects/${placed.slug}$`));
  const badge = await read(new URL(image?.attributes.src ?? '').pathname);
  expect([badge.status, badge.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  const { slug } = await directory.live(owner, { latitude: null, longitude: null });
  expect(await textOf(`/projects/${slug}`)).not.toContain('place-map');
});

it('files have a digest in their name and are kept for ever', async () => {
  const files = readdirSync(siteFolder).filter((name) => name !== 'assets.json');
  expect(files.length).toBeGreaterThan(3);
  for (const name of files) {
    const response = await read(`/assets/${name}`);
    expect([name, response.status]).toEqual([name, 200]);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  }
});

it('texts of the administrators have pages while they are not empty', async () => {
  await context.directory.adminOk('PUT', '/api/admin/site', { texts: { privacy: `# Data\n\n${EVIL}` } });
  const text = await textOf('/legal/privacy');
  expect(text).toContain('<h2>Data</h2>');
  expect(text).not.toContain('<img src=x');
});

it('theme, layout and settings of the map apply to pages that were shown before', async () => {
  const { directory, server } = context;
  const { slug } = await directory.addCategory();
  const logo_url = 'https://img.example.com/applied.png';
  await directory.live(await person(server), fullSubmission({ categories: [slug], logo_url }));
  const path = `/categories/${slug}`;
  const stylesOf = (text: string): string => /<style>.*?<\/style>/s.exec(text)?.[0] ?? '';
  const shows = (from: string, isShown: (text: string) => boolean) =>
    server.until(async () => isShown(await textOf(from)));
  await shows(path, (text) => text.includes(logo_url));
  const accent = '--accent:light-dark(hsl(300 90% 30%)';
  const change = async (setting: string, value: object): Promise<object> => {
    const before = dataOf<object>(await directory.adminOk('GET', `/api/admin/${setting}`));
    await directory.adminOk('PUT', `/api/admin/${setting}`, value);
    return before;
  };
  const theme = await change('theme', { colors: { light: { primary: '300 90% 30%' } } });
  await shows(path, (text) => stylesOf(text).includes(accent));
  const layout = await change('layout', { card: { showLogo: false } });
  await shows(path, (text) => !text.includes(logo_url));
  const map = await change('map', { defaultProjection: 'mercator', lighting: 'night' });
  await shows('/map', (text) => text.includes('"projection":"mercator","lighting":"night"'));
  for (const [setting, value] of Object.entries({ theme, layout, map })) await change(setting, value);
  await shows(path, (text) => text.includes(logo_url) && !stylesOf(text).includes(accent));
});
