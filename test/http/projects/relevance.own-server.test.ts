import { expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import { dataOf, invalidAt, person } from '#test/support/fixtures.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** Searches by words, their order and suggestions, in a directory of its own: corrections depend on all listings. */

const { server, directory } = await ownDirectory({ env: { SEARCH_LONG_DESCRIPTION: 'on' } });
const owner = await person(server);
const { slug: drinks } = await directory.addCategory({ name: 'Craft Beverages' });
const { slug: other } = await directory.addCategory({ name: 'Other Things' });

const add = async (name: string, fields: object = {}) =>
  (
    await directory.live(owner, {
      name,
      description: 'Plain.',
      url: 'https://plain.example',
      categories: [other],
      tags: [],
      ...fields,
    })
  ).id;

const exact = await add('Document Sharing');
const both = await add('Secure Document Store', { description: 'For sharing files among teams.' });
const reversed = await add('Sharing of a Document');
const inTags = await add('Files', { tags: ['sharing', 'document'] });
const onlyOne = await add('Sharing Economy', { description: 'Bicycles.' });
const deep = await add('Cellar', { long_description: 'A zymurgical wonder.', categories: [drinks] });
const kyoto = await add('大東京案内', { description: 'A guide to Straße and Café.' });

interface ListBody {
  readonly data: readonly Project[];
  readonly meta: {
    readonly total: number;
    readonly nextCursor: string | null;
    readonly facets?: Readonly<Record<string, readonly { value: string; count: number }[]>>;
    readonly search?: {
      readonly match: string;
      readonly words: readonly string[];
      readonly relaxed: boolean;
      readonly did_you_mean: string | null;
      readonly highlights?: Readonly<
        Record<string, readonly { field: string; index: number | null; ranges: [number, number][] }[]>
      >;
    };
  };
}

const list = async (query: Readonly<Record<string, string>>, path = '/api/projects'): Promise<ListBody> => {
  const caller = path.includes('admin') ? directory.admin : undefined;
  const response = await directory.ok(caller, 'GET', `${path}?${new URLSearchParams(query).toString()}`);
  return response.body as ListBody;
};
const ids = async (query: Readonly<Record<string, string>>, path?: string) =>
  (await list(query, path)).data.map(({ id }) => id);

await server.until(async () => expect((await list({})).meta.total).toBe(7));

const ranked = { match: 'fuzzy', sort: 'relevance' };

it('words are found in any order and with typos, the name before other places, on both lists', async () => {
  const expected = [exact, reversed, both, inTags];
  for (const path of ['/api/projects', '/api/admin/projects']) {
    expect(await ids({ q: 'document sharing', ...ranked }, path)).toEqual(expected);
    expect(await ids({ q: 'docment shraing', ...ranked }, path)).toEqual(expected);
    expect(await ids({ q: 'document sharing', match: 'words', sort: 'relevance' }, path)).toEqual(expected);
  }
  // Without `match` the text itself is searched, and the order does not change what is found.
  expect(await ids({ q: 'document sharing', sort: 'relevance' })).toEqual([exact]);
  expect((await ids({ q: 'document sharing', match: 'words' })).toSorted()).toEqual(expected.toSorted());
});

it('a search describes itself only when it is asked to', async () => {
  expect((await list({ q: 'Document' })).meta).not.toHaveProperty('search');
  expect((await list({ match: 'fuzzy', highlight: 'true', sort: 'relevance' })).meta).not.toHaveProperty('search');
  expect((await list({ q: 'Café Document', match: 'words' })).meta.search).toEqual({
    match: 'words',
    words: ['cafe', 'document'],
    relaxed: true,
    did_you_mean: null,
  });
  expect((await list({ q: '++', match: 'fuzzy', highlight: 'false' })).meta.search).toMatchObject({
    match: 'substring',
    words: ['++'],
  });
});

it('without a listing that has every word, those with half of them are listed, decided under all filters', async () => {
  const found = await list({ q: 'document sharing zzzzz', match: 'words', facets: 'category' });
  expect(found.meta).toMatchObject({ total: 4, search: { relaxed: true, did_you_mean: null } });
  expect(found.meta.facets).toEqual({ category: [{ value: other, count: 4 }] });
  const none = await list({ q: 'document sharing', match: 'words', category: drinks });
  expect(none.meta).toMatchObject({ total: 0, search: { relaxed: false } });
  expect((await list({ q: 'bicycles document', match: 'words' })).data.map(({ id }) => id)).toContain(onlyOne);
});

it('a correction is offered when nothing has every word', async () => {
  const misspelt = await list({ q: 'Docment, sharing', match: 'words' });
  expect(misspelt.meta.search).toMatchObject({ relaxed: true, did_you_mean: 'document, sharing' });
  expect((await list({ q: 'docment', match: 'substring' })).meta.search?.did_you_mean).toBe('document');
  // Not without a result of the correction under the same filters, and not when everything was found.
  expect((await list({ q: 'docment', match: 'words', category: drinks })).meta.search?.did_you_mean).toBeNull();
  expect((await list({ q: 'docment', match: 'fuzzy' })).meta.search?.did_you_mean).toBeNull();
});

it('names of categories, parts of words of scripts without spaces, and long descriptions are searched', async () => {
  expect(await ids({ q: 'beverages', match: 'words' })).toEqual([deep]);
  expect(await ids({ q: 'bevrages', match: 'fuzzy' })).toEqual([deep]);
  expect(await ids({ q: 'zymurg', match: 'words' })).toEqual([deep]);
  expect(await ids({ q: 'zymurgical' })).toEqual([]);
  expect(await ids({ q: '東京', match: 'words' })).toEqual([kyoto]);
});

it('highlights are offsets into the returned texts', async () => {
  const slices = async (query: Readonly<Record<string, string>>) => {
    const { data, meta } = await list({ ...query, highlight: 'true' });
    return data.flatMap((project) =>
      (meta.search?.highlights?.[project.id] ?? []).flatMap(({ field, index, ranges }) => {
        const text = index === null ? project[field as 'name'] : (project.tags[index] ?? '');
        return ranges.map(([start, end]) => `${field} ${text.slice(start, end)}`);
      }),
    );
  };
  expect(await slices({ q: 'strass', match: 'words' })).toEqual(['description Straß']);
  expect(await slices({ q: 'cafe' })).toEqual(['description Café']);
  expect(await slices({ q: '東京', match: 'fuzzy' })).toEqual(['name 東京']);
  expect(await slices({ q: 'bicyles', match: 'fuzzy' })).toEqual(['description Bicycles']);
  expect((await slices({ q: 'files sharing document', match: 'words' })).toSorted()).toEqual(
    [
      'description files',
      'description sharing',
      'name Document',
      'name Files',
      'tags document',
      'tags sharing',
    ].toSorted(),
  );
});

it('pages and cursors follow the order of relevance, and a cursor is good for its search only', async () => {
  const query = { q: 'document sharing', ...ranked, limit: '1' };
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const found: ListBody = await list({ ...query, ...(cursor !== '' && { cursor }) });
    seen.push(...found.data.map(({ id }) => id));
    cursor = found.meta.nextCursor;
  }
  expect(seen).toEqual([exact, reversed, both, inTags]);
  expect(await ids({ ...query, page: '3' })).toEqual([both]);
  const { nextCursor } = (await list(query)).meta;
  const changes = [{ q: 'document' }, { match: 'words' }, { match: 'substring' }, { sort: 'newest' }];
  for (const change of changes) {
    const search = new URLSearchParams({ ...query, ...change, cursor: nextCursor ?? '' });
    expect(await directory.get(`/api/projects?${search.toString()}`)).toMatchObject(invalidAt('cursor'));
  }
  const unordered = (await list({ q: 'document', match: 'words', limit: '1' })).meta.nextCursor ?? '';
  for (const change of [{ q: 'sharing', match: 'words' }, { q: 'document', match: 'fuzzy' }, { q: 'document' }]) {
    const search = new URLSearchParams({ limit: '1', ...change, cursor: unordered } as Record<string, string>);
    expect(await directory.get(`/api/projects?${search.toString()}`)).toMatchObject(invalidAt('cursor'));
  }
});

it.each([
  ['match', 'exact'],
  ['match', 'WORDS'],
  ['highlight', 'yes'],
  ['sort', 'relevant'],
])('%s=%s is 400 on the parameter', async (name, value) => {
  expect(await directory.get(`/api/projects?q=a&${name}=${value}`)).toMatchObject(invalidAt(name));
});

it.each(['0', '11', 'x', '1.5'])('suggestions with limit=%s are 400', async (limit) => {
  expect(await directory.get(`/api/search/suggest?q=a&limit=${limit}`)).toMatchObject(invalidAt('limit'));
});

it.each([
  'a',
  'a '.repeat(50),
  Array.from({ length: 50 }, (_, at) => String.fromCharCode(97 + (at % 26))).join(' '),
  '\u0301'.repeat(100),
  '\u0e31'.repeat(100),
  'ﷺ'.repeat(100),
  'கி สวัสดี ខ្មែរ မြန်မာ ລາວ 한국어 עברית العربية हिन्दी Ελλάδα Ёлка 𠀀𠀁 😀',
  '%_\\"\'<script>(*+?)[',
  '__proto__ constructor',
])('the search text %j is answered', async (q) => {
  for (const match of ['substring', 'words', 'fuzzy']) {
    const search = new URLSearchParams({ q, match, sort: 'relevance', highlight: 'true' });
    expect(await directory.get(`/api/projects?${search.toString()}`)).toMatchObject({ status: 200 });
  }
  expect(await directory.get(`/api/search/suggest?${new URLSearchParams({ q }).toString()}`)).toMatchObject({
    status: 200,
  });
});

it('a search text of more than 100 characters is 400 on q', async () => {
  for (const q of ['\u0301'.repeat(200), 'ab '.repeat(200).trim()]) {
    for (const path of ['/api/projects', '/api/search/suggest']) {
      expect(await directory.get(`${path}?${new URLSearchParams({ q }).toString()}`)).toMatchObject(invalidAt('q'));
    }
  }
});

it('suggestions are the most relevant listings, the categories with every word, and nothing for a blank text', async () => {
  const suggest = async (query: string) =>
    dataOf<Record<string, object[]>>(await directory.get(`/api/search/suggest?${query}`));
  const found = await suggest('q=docment+sha&limit=2');
  expect(found.projects).toMatchObject([
    {
      id: exact,
      name: 'Document Sharing',
      logo_url: null,
      categories: [other],
      ranges: [
        [0, 8],
        [9, 12],
      ],
    },
    { id: reversed },
  ]);
  expect(Object.keys(found.projects?.[0] ?? {})).toEqual(['id', 'slug', 'name', 'logo_url', 'categories', 'ranges']);
  expect((await suggest('q=thi')).categories).toMatchObject([
    { slug: other, name: 'Other Things', project_count: 6, ranges: [[6, 9]] },
  ]);
  expect((await suggest('q=craft+bev')).categories).toMatchObject([{ slug: drinks }]);
  // Those with the most listings come first.
  const { slug: empty } = await directory.addCategory({ name: 'All Beverages' });
  expect((await suggest('q=bev')).categories).toMatchObject([
    { slug: drinks, project_count: 1 },
    { slug: empty, project_count: 0 },
  ]);
  expect((await suggest('q=thngs')).categories).toEqual([]);
  for (const q of ['', '+++', '%CC%81'])
    expect(await suggest(`q=${q.replaceAll('+', '%20')}`)).toEqual({ projects: [], categories: [], queries: [] });
  const { headers } = await directory.get('/api/search/suggest?q=doc');
  expect(headers.get('cache-control')).toContain('max-age=60');
});
