import { expect, it } from 'vitest';
import { invalidAt, NOT_FOUND, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';
import { childrenOf, parseXml, textOf, type XmlElement } from '#test/support/xml.ts';
import { problemsIn } from '#test/support/xml-schemas.ts';

/** Feeds of the newest listings, read by a strict parser and checked by the rules of their formats. */

const { server, directory } = await sharedDirectory();
const owner = await person(server);

const FORMATS = ['/feed.xml', '/atom.xml', '/feed.json'] as const;
type Format = (typeof FORMATS)[number];

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly link: string;
  readonly date: string;
  readonly summary: string;
}

interface JsonFeed extends Record<string, unknown> {
  readonly items: readonly Record<string, unknown>[];
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** RFC 822 with a year of four digits, as RSS allows it. */
const RFC_822 =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/** The text of HTML without elements. */
const fromHtml = (html: string): string => {
  expect(html).not.toMatch(/[<>]/);
  return html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
};

const addressIn = (text: unknown): string => {
  expect(URL.canParse(String(text))).toBe(true);
  return String(text);
};

/** The rules of RSS 2.0, and those of the Feed Validation Service beyond it. */
const readRss = (document: string, path: string): Entry[] => {
  const root = parseXml(document);
  expect([root.name, root.attributes.version]).toEqual(['rss', '2.0']);
  const [channel, ...others] = root.children as [XmlElement, ...XmlElement[]];
  expect([channel.name, others]).toEqual(['channel', []]);
  for (const name of ['title', 'link', 'description']) expect(textOf(channel, name)).not.toBe('');
  addressIn(textOf(channel, 'link'));
  expect(textOf(channel, 'lastBuildDate')).toMatch(RFC_822);
  const [self] = childrenOf(channel, 'atom:link');
  expect(self?.attributes).toMatchObject({ rel: 'self', type: 'application/rss+xml' });
  expect(addressIn(self?.attributes.href)).toMatch(/\/feed\.xml/);
  expect(root.attributes['xmlns:atom']).toBe('http://www.w3.org/2005/Atom');
  if (!path.includes('?')) expect(self?.attributes.href).not.toContain('?');
  return childrenOf(channel, 'item').map((item) => {
    const [guid] = childrenOf(item, 'guid');
    expect(guid?.attributes).toEqual({ isPermaLink: 'false' });
    const date = textOf(item, 'pubDate');
    expect(date).toMatch(RFC_822);
    return {
      id: guid?.text ?? '',
      title: textOf(item, 'title'),
      link: addressIn(textOf(item, 'link')),
      date: new Date(date).toISOString(),
      summary: fromHtml(textOf(item, 'description')),
    };
  });
};

/** The rules of RFC 4287 in its grammar and beyond it. */
const readAtom = async (document: string): Promise<Entry[]> => {
  expect(await problemsIn(document, 'atom')).toEqual([]);
  const root = parseXml(document);
  expect([root.name, root.attributes.xmlns]).toEqual(['feed', 'http://www.w3.org/2005/Atom']);
  addressIn(textOf(root, 'id'));
  expect(textOf(root, 'title')).not.toBe('');
  expect(textOf(root, 'updated')).toMatch(ISO);
  expect(childrenOf(root, 'author').map((author) => textOf(author, 'name'))).not.toContain('');
  expect(childrenOf(root, 'author')).toHaveLength(1);
  const links = childrenOf(root, 'link').map(({ attributes }) => [attributes.rel, addressIn(attributes.href)]);
  expect(Object.keys(Object.fromEntries(links)).sort()).toEqual(['alternate', 'self']);
  return childrenOf(root, 'entry').map((entry) => {
    const [title] = childrenOf(entry, 'title');
    const [summary] = childrenOf(entry, 'summary');
    expect([title?.attributes.type, summary?.attributes.type]).toEqual(['html', 'html']);
    for (const { attributes } of childrenOf(entry, 'category')) expect(attributes.term).toMatch(/^[a-z0-9-]+$/);
    for (const name of ['updated', 'published']) expect(textOf(entry, name)).toMatch(ISO);
    expect(textOf(entry, 'updated')).toBe(textOf(entry, 'published'));
    const id = addressIn(textOf(entry, 'id'));
    expect(id).toMatch(/^urn:[a-z0-9][a-z0-9-]{1,31}:prj_/);
    const pages = childrenOf(entry, 'link');
    expect(pages).toHaveLength(1);
    return {
      id: id.slice(id.lastIndexOf(':') + 1),
      title: fromHtml(title?.text ?? ''),
      link: addressIn(pages[0]?.attributes.href),
      date: textOf(entry, 'published'),
      summary: fromHtml(summary?.text ?? ''),
    };
  });
};

/** The rules of JSON Feed 1.1. */
const readJson = (body: unknown): Entry[] => {
  const feed = body as JsonFeed;
  expect(feed.version).toBe('https://jsonfeed.org/version/1.1');
  expect(feed.title).toEqual(expect.any(String));
  for (const name of ['home_page_url', 'feed_url']) addressIn(feed[name]);
  return feed.items.map((item) => {
    expect(item.content_text).toEqual(expect.any(String));
    expect(item.date_published).toMatch(ISO);
    for (const tag of item.tags as unknown[]) expect(tag).toEqual(expect.any(String));
    addressIn(item.external_url);
    if ('image' in item) addressIn(item.image);
    return {
      id: String(item.id),
      title: String(item.title),
      link: addressIn(item.url),
      date: String(item.date_published),
      summary: String(item.content_text),
    };
  });
};

const read = async (path: string): Promise<Entry[]> => {
  const { body } = await directory.ok(undefined, 'GET', path);
  if (path.startsWith('/feed.json')) return readJson(body);
  return path.startsWith('/atom.xml') ? await readAtom(String(body)) : readRss(String(body), path);
};

const idsIn = async (path: string): Promise<string[]> => (await read(path)).map(({ id }) => id);

const TYPES: Readonly<Record<Format, string>> = {
  '/feed.xml': 'application/rss+xml; charset=utf-8',
  '/atom.xml': 'application/atom+xml; charset=utf-8',
  '/feed.json': 'application/feed+json; charset=utf-8',
};

/** Dates of RSS have whole seconds. */
const inSeconds = (time: string): string => `${time.slice(0, 19)}.000Z`;

it.each(FORMATS)('%s has the newest live listings first, with their ids, pages and publication', async (path) => {
  const { slug: category } = await directory.addCategory();
  const first = await directory.live(owner, { categories: [category] });
  const second = await directory.live(owner, { categories: [category] });
  await directory.submit(owner, { categories: [category] });
  await directory.project('deleted', owner, { categories: [category] });
  const address = `${path}?category=${category}`;
  await server.until(async () => expect(await idsIn(address)).toEqual([second.id, first.id]));
  const [newest] = await read(address);
  const project = await directory.read(second.id);
  const published = project.published_at ?? '';
  expect(newest).toEqual({
    id: project.id,
    title: project.name,
    link: expect.stringMatching(new RegExp(`^http://localhost:\\d+/projects/${project.slug}$`)),
    date: path === '/feed.xml' ? inSeconds(published) : published,
    summary: project.description,
  });
});

it('feeds have the newest 50 listings', async () => {
  const { slug: category } = await directory.addCategory();
  const ids: string[] = [];
  for (let number = 0; number < 51; number += 1) ids.push((await directory.live(owner, { categories: [category] })).id);
  const newest = ids.slice(1).reverse();
  for (const path of FORMATS) {
    await server.until(async () => expect(await idsIn(`${path}?category=${category}`)).toEqual(newest));
  }
});

it('a document that breaks the grammar of Atom is found', async () => {
  const valid = String((await directory.ok(undefined, 'GET', '/atom.xml')).body);
  const wrong: readonly (readonly [RegExp, string])[] = [
    [/<updated>[^<]+<\/updated>/, '<updated>yesterday</updated>'],
    [/<id>[^<]+<\/id>/, ''],
    [/<\/title>/, '</title><title>Another</title>'],
    [/ href="/, ' src="'],
    [/<updated>/, '<pubDate/><updated>'],
  ];
  for (const [part, other] of wrong) {
    expect([other, (await problemsIn(valid.replace(part, other), 'atom')).length > 0]).toEqual([other, true]);
  }
});

it.each(FORMATS)('%s keeps ids and dates when a listing is edited and its slug changes', async (path) => {
  const { slug: category } = await directory.addCategory();
  const { id } = await directory.live(owner, { categories: [category] });
  await server.until(async () => expect(await idsIn(`${path}?category=${category}`)).toEqual([id]));
  const [before] = await read(`${path}?category=${category}`);
  const slug = unique('moved');
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { slug, name: 'Moved' });
  await server.until(async () => expect((await read(`${path}?category=${category}`))[0]?.title).toBe('Moved'));
  const [after] = await read(`${path}?category=${category}`);
  expect(after).toEqual({ ...before, title: 'Moved', link: expect.stringContaining(`/projects/${slug}`) });
});

it.each(FORMATS)('%s has hostile names, tags and descriptions unchanged', async (path) => {
  const { slug: category } = await directory.addCategory({ name: `</category> & "<q>" ${unique('C')}` });
  const name = `]]> <script>alert(1)</script> ]]>&amp; & "'\u{1F600} &lt;${unique('x')}`;
  // Control characters are removed from texts; XML has none of the last two characters, escaped or not.
  const [sent, kept] = [`\u0001\u0008\u001b\u009f\ufffe\uffff`, path === '/feed.json' ? '\ufffe\uffff' : ''];
  const text = `<!-- ]]]]> ]]> <![CDATA[ &nbsp; <b>bold</b> ${unique('d')}`;
  const [description, expected] = [`${text}${sent}.`, `${text}${kept}.`];
  const tags = ['</tag>', ']]>', '&amp;'];
  const { id } = await directory.live(owner, { name, description, tags, categories: [category] });
  const address = `${path}?category=${category}`;
  await server.until(async () => expect(await idsIn(address)).toEqual([id]));
  expect((await read(address))[0]).toMatchObject({ title: name, summary: expected });
});

it('feeds of a collection have its hostile title unchanged', async () => {
  const title = `]]> <t> & &amp; "x" ${unique('t')}`;
  const { id: listed } = await directory.live(owner);
  const { slug } = await directory.addCollection({ title, is_public: true, project_ids: [listed] });
  const documentAt = async (path: string) => (await directory.ok(undefined, 'GET', `${path}?collection=${slug}`)).body;
  const [channel] = childrenOf(parseXml(String(await documentAt('/feed.xml'))), 'channel') as [XmlElement];
  const shown = [
    textOf(channel, 'title'),
    textOf(channel, 'description'),
    textOf(parseXml(String(await documentAt('/atom.xml'))), 'title'),
    ((await documentAt('/feed.json')) as JsonFeed).title,
  ];
  for (const one of shown) expect(one).toContain(title);
});

it('feeds name categories and tags', async () => {
  const { slug, name } = await directory.addCategory({ name: `Tea & "Co" ]]> ${unique('C')}` });
  await directory.live(owner, { categories: [slug], tags: ['<a>', '&amp;'] });
  const labels = [name, '<a>', '&amp;'];
  await server.until(async () => expect(await idsIn(`/feed.json?category=${slug}`)).toHaveLength(1));
  const json = (await directory.get(`/feed.json?category=${slug}`)).body as JsonFeed;
  expect(json.items[0]?.tags).toEqual(labels);
  const rss = parseXml(String((await directory.get(`/feed.xml?category=${slug}`)).body));
  const [item] = childrenOf(childrenOf(rss, 'channel')[0] as XmlElement, 'item');
  expect(childrenOf(item as XmlElement, 'category').map(({ text }) => text)).toEqual(labels);
  const atom = parseXml(String((await directory.get(`/atom.xml?category=${slug}`)).body));
  const [entry] = childrenOf(atom, 'entry');
  expect(childrenOf(entry as XmlElement, 'category').map(({ attributes }) => attributes.term)).toEqual([slug]);
});

longTest('feeds take the filters of the list, and nothing of its pages and order', async () => {
  const { slug: category } = await directory.addCategory();
  const word = unique('word');
  const place = { latitude: 47.1, longitude: 8.1 };
  const paid = await directory.live(owner, { categories: [category], tags: [word], pricing_type: 'paid', ...place });
  const free = await directory.live(owner, { categories: [category], description: `About ${word}.` });
  await server.until(async () => expect(await idsIn(`/feed.json?category=${category}`)).toHaveLength(2));
  const expected: Readonly<Record<string, readonly string[]>> = {
    [`q=${word}&pricing=paid`]: [paid.id],
    [`q=${word}&match=words`]: [free.id, paid.id],
    [`tag=${word}`]: [paid.id],
    [`category=${category}&near=47.1,8.1&radius_km=5`]: [paid.id],
    [`category=${category}&bbox=8,47,9,48`]: [paid.id],
    [`category=${category}&sort=oldest&page=2&limit=1&cursor=x&facets=x`]: [free.id, paid.id],
    [`category=${category}&q=${word}x`]: [],
  };
  for (const [query, ids] of Object.entries(expected)) {
    for (const path of FORMATS) expect([path, query, await idsIn(`${path}?${query}`)]).toEqual([path, query, ids]);
  }
});

it.each(FORMATS)('%s has the live listings of a public collection in its order, with filters too', async (path) => {
  const listings = [];
  for (const pricing_type of ['free', 'paid', 'free']) listings.push(await directory.live(owner, { pricing_type }));
  const [first, second, third] = listings.map(({ id }) => id);
  const pending = await directory.submit(owner);
  const title = unique('Tea & "Co" ]]>');
  const project_ids = [second, pending.id, third, first];
  const { id, slug } = await directory.addCollection({ title, project_ids, is_public: true });
  await server.until(async () => expect(await idsIn(`${path}?collection=${slug}`)).toEqual([second, third, first]));
  expect(await idsIn(`${path}?collection=${id}&pricing=free`)).toEqual([third, first]);
  const renamed = unique('renamed');
  await directory.adminOk('PUT', `/api/admin/collections/${id}`, { slug: renamed });
  expect(await idsIn(`${path}?collection=${slug}`)).toEqual([second, third, first]);
  const { body } = await directory.ok(undefined, 'GET', `${path}?collection=${slug}`);
  const channel = () => {
    const root = parseXml(String(body));
    return path === '/feed.xml' ? (childrenOf(root, 'channel')[0] as XmlElement) : root;
  };
  const heading = path === '/feed.json' ? (body as JsonFeed).title : textOf(channel(), 'title');
  expect(heading).toBe(`${title} – Directory`);
  expect(typeof body === 'string' ? body : JSON.stringify(body)).toContain(`/collections/${renamed}`);
});

it.each(FORMATS)('%s of a collection that is not public, or unknown, is 404', async (path) => {
  const { id, slug } = await directory.addCollection({ title: unique('Private') });
  for (const reference of [id, slug, 'col_none', unique('none')]) {
    for (const who of [undefined, directory.admin]) {
      expect(await directory.get(`${path}?collection=${reference}`, who)).toMatchObject(NOT_FOUND);
    }
  }
  expect(await directory.get(`${path}?collection=${'x'.repeat(1000)}`)).toMatchObject(invalidAt('collection'));
});

it.each(FORMATS)('%s rejects a wrong filter', async (path) => {
  expect(await directory.get(`${path}?pricing=cheap`)).toMatchObject(invalidAt('pricing'));
  expect(await directory.get(`${path}?near=north`)).toMatchObject(invalidAt('near'));
});

it.each(FORMATS)('%s is cached for five minutes with a strong tag, also while it is empty', async (path) => {
  for (const address of [path, `${path}?q=${unique('nothing')}`]) {
    const { headers } = await directory.ok(undefined, 'GET', address);
    expect(headers.get('content-type')).toBe(TYPES[path]);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    const etag = headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    const again = await directory.get(address, undefined, { 'if-none-match': etag });
    if (address !== path) expect(again).toMatchObject({ status: 304, body: undefined });
  }
});

it.each(FORMATS)('%s has its own address with its query, by which equal queries have equal bytes', async (path) => {
  const self = async (query: string): Promise<string> => {
    const { body } = await directory.ok(undefined, 'GET', `${path}?${query}`);
    if (path === '/feed.json') return String((body as JsonFeed).feed_url);
    const root = parseXml(String(body));
    const feed = path === '/feed.xml' ? (childrenOf(root, 'channel')[0] as XmlElement) : root;
    const links = childrenOf(feed, path === '/feed.xml' ? 'atom:link' : 'link');
    return String(links.find(({ attributes }) => attributes.rel === 'self')?.attributes.href);
  };
  const address = await self('unknown=1&q=%22%3C%26%3E&category=a,b&pricing=all');
  expect(Object.fromEntries(new URL(address).searchParams)).toEqual({ q: '"<&>', category: 'a,b' });
  expect(new URL(address).pathname).toBe(path);
});
