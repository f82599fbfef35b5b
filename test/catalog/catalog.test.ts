import { beforeEach, describe, expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import { readSnapshot, writeSnapshot } from '#catalog/snapshot.ts';
import { type CatalogChange, type CatalogQuery, CursorError } from '#catalog/types.ts';
import { noCounts, type ProjectRecord } from '#model/project.ts';
import { category, counts, project, query } from './fixtures.ts';

let catalog: Catalog;

beforeEach(() => {
  catalog = new Catalog();
});

const put = (...projects: (Partial<ProjectRecord> & { id: string })[]): void =>
  catalog.apply(projects.map((overrides): CatalogChange => ({ kind: 'project', project: project(overrides) })));

const ids = (request: CatalogQuery): string[] => catalog.query(request).entries.map((entry) => entry.project.id);

const day = (number: number): string => new Date(Date.UTC(2026, 0, number)).toISOString();

describe('changes from the feed', () => {
  it('start from an empty catalog', () => {
    expect(catalog.query(query({ facets: ['tag'] }))).toEqual({
      entries: [],
      total: 0,
      page: 1,
      pageSize: 40,
      hasMore: false,
      nextCursor: null,
      facets: { tag: [] },
    });
    expect([...catalog.all()]).toEqual([]);
    expect(catalog).toMatchObject({ version: 0, size: 0 });
  });

  it('are applied only if their version is higher', () => {
    put({ id: 'a', name: 'two', version: 2 });
    const { version } = catalog;
    put({ id: 'a', name: 'other two', version: 2 }, { id: 'a', name: 'one', version: 1 });
    expect(catalog.find('a')?.project.name).toBe('two');
    expect(catalog.version).toBe(version);
    put({ id: 'a', name: 'three', version: 3 });
    expect(catalog.find('a')?.project.name).toBe('three');
    expect(catalog.version).toBe(version + 1);
  });

  it('may deliver counters before their project', () => {
    catalog.apply([
      { kind: 'counts', projectId: 'a', counts: counts({ upvote_count: 5, version: 2 }) },
      { kind: 'counts', projectId: 'a', counts: counts({ upvote_count: 3, version: 1 }) },
    ]);
    expect(catalog).toMatchObject({ version: 0, size: 0 });
    expect(catalog.find('a')).toBeUndefined();
    put({ id: 'a' }, { id: 'b' });
    expect(catalog.find('a')?.counts.upvote_count).toBe(5);
    expect(catalog.find('b')?.counts).toEqual(noCounts);
  });

  it('keep the counters when the project changes, and vice versa', () => {
    put({ id: 'a', name: 'first' });
    catalog.apply([{ kind: 'counts', projectId: 'a', counts: counts({ views_count: 9 }) }]);
    put({ id: 'a', name: 'second', version: 2 });
    expect(catalog.find('a')).toMatchObject({ project: { name: 'second' }, counts: { views_count: 9 } });
  });

  it('do not restore a project that was removed without a version', () => {
    put({ id: 'a' });
    catalog.apply([
      { kind: 'projectRemoved', projectId: 'a' },
      { kind: 'projectRemoved', projectId: 'later' },
      { kind: 'categoryRemoved', categoryId: 'cat' },
    ]);
    const { version } = catalog;
    put({ id: 'a', version: 9 }, { id: 'later' });
    catalog.apply([
      { kind: 'counts', projectId: 'a', counts: counts({ version: 9 }) },
      { kind: 'category', category: category({ id: 'cat', version: 9 }) },
      { kind: 'projectRemoved', projectId: 'a' },
    ]);
    expect(catalog).toMatchObject({ size: 0, version });
    expect(catalog.categories()).toEqual([]);
    expect(catalog.query(query()).total).toBe(0);
  });

  it('reuse the slot of a removed project without its old values', () => {
    put({ id: 'a', tags: ['old'], name: 'Alpha' }, { id: 'b' });
    expect(ids(query({ filters: { q: 'alpha' } }))).toEqual(['a']);
    catalog.apply([{ kind: 'projectRemoved', projectId: 'a' }]);
    put({ id: 'c', tags: ['new'], name: 'Gamma' });
    expect(ids(query({ filters: { q: 'alpha' } }))).toEqual([]);
    expect(ids(query({ filters: { q: 'gamma' } }))).toEqual(['c']);
    expect(catalog.query(query({ facets: ['tag'] })).facets?.tag).toEqual([{ value: 'new', count: 1 }]);
  });
});

describe('spheres', () => {
  it('are derived from the current categories', () => {
    put({ id: 'a', categories: ['code', 'music', 'gone', 'art'] });
    expect(catalog.find('a')?.spheres).toEqual([]);
    catalog.apply([
      { kind: 'category', category: category({ id: 'c1', slug: 'music', sphere: 'play' }) },
      { kind: 'category', category: category({ id: 'c2', slug: 'code', sphere: 'work' }) },
      { kind: 'category', category: category({ id: 'c3', slug: 'art', sphere: 'play' }) },
    ]);
    expect(catalog.find('a')?.spheres).toEqual(['work', 'play']);
    expect(ids(query({ filters: { sphere: ['play'] } }))).toEqual(['a']);

    catalog.apply([{ kind: 'category', category: category({ id: 'c2', slug: 'code', sphere: null, version: 2 }) }]);
    expect(catalog.find('a')?.spheres).toEqual(['play']);
    expect(ids(query({ filters: { sphere: ['work'] } }))).toEqual([]);

    catalog.apply([{ kind: 'category', category: category({ id: 'c1', slug: 'tunes', sphere: 'play', version: 2 }) }]);
    catalog.apply([{ kind: 'categoryRemoved', categoryId: 'c3' }]);
    expect(catalog.find('a')?.spheres).toEqual([]);
  });

  it('come from a category that is created again under its id, whatever order its states arrive in', () => {
    put({ id: 'a', categories: ['art'] });
    const again = {
      kind: 'category',
      category: category({ id: 'c3', slug: 'art', sphere: 'play', version: 3 }),
    } as const;
    const removed = { kind: 'categoryRemoved', categoryId: 'c3', version: 2 } as const;
    const first = {
      kind: 'category',
      category: category({ id: 'c3', slug: 'art', sphere: 'old', version: 2 }),
    } as const;
    catalog.apply([removed, first]);
    expect(catalog.find('a')?.spheres).toEqual([]);
    catalog.apply([again, removed, first]);
    expect(catalog.find('a')?.spheres).toEqual(['play']);
  });

  it('are found by the slug of a merged category, after any number of merges, whatever order these arrive in', () => {
    put({ id: 'a', categories: ['last'] }, { id: 'b', categories: ['other'] });
    const merged = (id: string, slug: string, into: string) =>
      ({ kind: 'categoryRemoved', categoryId: id, version: 1, alias: { slug, into } }) as const;
    const found = () => ids(query({ filters: { category: ['first'] } }));
    catalog.apply([merged('c2', 'second', 'c3'), merged('c1', 'first', 'c2')]);
    expect(found()).toEqual([]);
    const { version } = catalog;
    catalog.apply([{ kind: 'category', category: category({ id: 'c3', slug: 'last' }) }]);
    expect(found()).toEqual(['a']);
    const copy = Catalog.of(readSnapshot(writeSnapshot(catalog.contents())));
    expect(copy.query(query({ filters: { category: ['first'] }, facets: ['category'] })).total).toBe(1);
    // A merge that is reverted, and one of another category.
    catalog.apply([{ kind: 'category', category: category({ id: 'c1', slug: 'first', version: 2 }) }]);
    expect(found()).toEqual([]);
    catalog.apply([merged('c4', 'more', 'c3')]);
    expect(catalog.version).toBe(version + 3);
  });

  it('come from the newer category while two have the same slug', () => {
    put({ id: 'a', categories: ['art'] });
    catalog.apply([
      { kind: 'category', category: category({ id: 'c2', slug: 'art', sphere: 'new' }) },
      { kind: 'category', category: category({ id: 'c1', slug: 'art', sphere: 'old' }) },
    ]);
    expect(catalog.find('a')?.spheres).toEqual(['new']);
  });
});

describe('search', () => {
  beforeEach(() => {
    put(
      {
        id: 'a',
        name: 'Café Größe',
        description: 'An open-source\ntool for C++ and 東京.',
        url: 'https://www.shop.example/secret?x',
        tags: ['Open Data', 'ab'],
      },
      { id: 'b', name: 'ab', description: 'cd', url: 'https://other.test', tags: ['ef', '京都'] },
    );
  });

  it.each([
    ['cafe', ['a']],
    ['CAFÉ GRÖSSE', ['a']],
    ['fé gr', ['a']],
    ['open-source', ['a']],
    ['c++', ['a']],
    ['++', ['a']],
    ['++ a', ['a']],
    ['- ', []],
    ['東京', ['a']],
    ['東', ['a']],
    ['京', ['a', 'b']],
    ['shop.example', ['a']],
    ['.test', ['b']],
    ['b', ['a', 'b']],
    ['n d', ['a']],
    ['secret', []],
    ['https', []],
    ['abcd', []],
    ['ab cd', []],
    ['b\0c', []],
    ['efab', []],
    ['xyz', []],
    ['open tool', []],
    ['   ', ['a', 'b']],
    ['\u0301\u200b', ['a', 'b']],
  ])('public: %j finds %j', (q, found) => {
    expect(ids(query({ filters: { q } })).sort()).toEqual(found);
  });

  it.each([
    ['secret?', ['a']],
    ['https://', ['a', 'b']],
    ['/', ['a', 'b']],
    ['ab', ['a', 'b']],
    ['tool', ['a']],
    ['ahttp', []],
  ])('admin: %j finds %j', (q, found) => {
    expect(ids(query({ filters: { q, searchIn: 'admin' } })).sort()).toEqual(found);
  });

  it('distinguishes rare characters that share an index key', () => {
    put({ id: 'c', name: '躬', tags: ['éА躬'] });
    expect(ids(query({ filters: { q: '躬' } }))).toEqual(['c']);
    expect(ids(query({ filters: { q: '京' } })).sort()).toEqual(['a', 'b']);
    expect(ids(query({ filters: { q: '躭' } }))).toEqual([]);
  });

  it('finds a changed text and no longer the old one', () => {
    expect(ids(query({ filters: { q: 'cd' } }))).toEqual(['b']);
    put({ id: 'b', name: 'ab', description: 'now gh', version: 2 });
    expect(ids(query({ filters: { q: 'cd' } }))).toEqual([]);
    expect(ids(query({ filters: { q: 'now gh' } }))).toEqual(['b']);
  });
});

describe('sorting', () => {
  it('by newest compares publication, then creation, then id', () => {
    put(
      { id: 'a', created_at: day(1), published_at: day(5) },
      { id: 'b', created_at: day(2), published_at: day(5) },
      { id: 'c', created_at: day(2), published_at: day(5) },
      { id: 'd', created_at: day(6) },
    );
    expect(ids(query())).toEqual(['d', 'c', 'b', 'a']);
    expect(ids(query({ sort: 'oldest' }))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('by rating compares the rounded average, then the number of ratings', () => {
    put({ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' });
    const rated = (projectId: string, ratings_sum: number, ratings_count: number): CatalogChange => ({
      kind: 'counts',
      projectId,
      counts: counts({ ratings_sum, ratings_count }),
    });
    // 3 ratings of 4.333… and 1000 of 4.331 on average: equal with two decimals.
    catalog.apply([rated('a', 13, 3), rated('b', 4331, 1000), rated('c', 10, 2)]);
    expect(ids(query({ sort: 'rating' }))).toEqual(['c', 'b', 'a', 'd']);
  });

  it('by name ignores case and accents', () => {
    put({ id: 'a', name: 'élan' }, { id: 'b', name: 'Elba' }, { id: 'c', name: 'ELAN' }, { id: 'd', name: 'Zoë' });
    expect(ids(query({ sort: 'name' }))).toEqual(['a', 'c', 'b', 'd']);
    expect(ids(query({ sort: 'name_desc' }))).toEqual(['d', 'b', 'c', 'a']);
  });

  it('by trending weighs reactions against the time of publication', () => {
    put(
      { id: 'old', published_at: day(1) },
      { id: 'loved', published_at: day(1) },
      { id: 'new', published_at: day(2) },
    );
    catalog.apply([
      { kind: 'counts', projectId: 'loved', counts: counts({ upvote_count: 1000 }) },
      { kind: 'counts', projectId: 'old', counts: counts({ upvote_count: 10 }) },
    ]);
    expect(ids(query({ sort: 'trending' }))).toEqual(['loved', 'new', 'old']);
  });

  it('by upvotes reflects a vote', () => {
    put({ id: 'a' }, { id: 'b' });
    expect(ids(query({ sort: 'upvotes' }))).toEqual(['b', 'a']);
    catalog.apply([{ kind: 'counts', projectId: 'a', counts: counts({ upvote_count: 1 }) }]);
    expect(ids(query({ sort: 'upvotes' }))).toEqual(['a', 'b']);
  });
});

describe('pages', () => {
  beforeEach(() => put(...Array.from({ length: 25 }, (_, i) => ({ id: `p${i}`, created_at: day(i + 1) }))));

  it('contain every project exactly once, by number', () => {
    const pages = [1, 2, 3].flatMap((page) => ids(query({ page, limit: 10 })));
    expect(pages).toEqual(Array.from({ length: 25 }, (_, i) => `p${24 - i}`));
  });

  it('return the total, their number and whether more follow', () => {
    expect(catalog.query(query({ page: 3, limit: 10 }))).toMatchObject({
      total: 25,
      page: 3,
      pageSize: 10,
      hasMore: false,
    });
    expect(catalog.query(query({ page: 2, limit: 10 }))).toMatchObject({ hasMore: true });
    expect(catalog.query(query({ page: 1, limit: 25 }))).toMatchObject({ hasMore: false, nextCursor: null });
  });

  it('past the end are empty', () => {
    expect(catalog.query(query({ page: 1_000_000_000, limit: 100 }))).toMatchObject({
      entries: [],
      total: 25,
      page: 1_000_000_000,
      hasMore: false,
      nextCursor: null,
    });
  });

  it('by cursor keep their position while projects are added, changed and removed', () => {
    const { nextCursor } = catalog.query(query({ limit: 10 }));
    expect(nextCursor).not.toBeNull();
    const next = query({ limit: 10, cursor: nextCursor ?? '' });
    put({ id: 'newcomer', created_at: day(40) });
    put({ id: 'p15', created_at: day(50), version: 2 });
    catalog.apply([{ kind: 'projectRemoved', projectId: 'p14' }]);
    expect(ids(next)).toEqual(['p13', 'p12', 'p11', 'p10', 'p9', 'p8', 'p7', 'p6', 'p5', 'p4']);
    expect(catalog.query(next).page).toBe(2);
  });

  it('are the same when very few projects match', () => {
    put(...Array.from({ length: 4000 }, (_, i) => ({ id: `q${i}`, created_at: day(100), owner_id: 'usr_many' })));
    put(...[2, 7, 5].map((i) => ({ id: `r${i}`, created_at: day(i), owner_id: 'usr_few' })));
    const few = query({ scope: { status: 'any', deleted: 'excluded', ownerId: 'usr_few' }, limit: 1 });
    const first = catalog.query(few);
    expect(first).toMatchObject({ total: 3, hasMore: true, entries: [{ project: { id: 'r7' } }] });
    expect(ids({ ...few, page: 2 })).toEqual(['r5']);
    expect(ids({ ...few, page: 3 })).toEqual(['r2']);
    expect(ids({ ...few, sort: 'oldest', limit: 2 })).toEqual(['r2', 'r5']);
    const next = catalog.query({ ...few, cursor: first.nextCursor ?? '' });
    expect(next).toMatchObject({ total: 3, page: 2, hasMore: true, entries: [{ project: { id: 'r5' } }] });
  });

  it('reject the cursor of another sort order', () => {
    const { nextCursor } = catalog.query(query({ limit: 10 }));
    expect(() => catalog.query(query({ cursor: nextCursor ?? '', sort: 'oldest' }))).toThrow(CursorError);
    expect(() => catalog.query(query({ cursor: 'nonsense' }))).toThrow(CursorError);
  });
});

describe("the administrators' search", () => {
  const found = (overrides: Partial<CatalogQuery> = {}): CatalogQuery =>
    query({ sort: 'oldest', ...overrides, filters: { q: 'Tea', searchIn: 'admin' } });

  const walk = (limit: number, between: () => void = () => {}): string[] => {
    const all: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; between()) {
      const page = catalog.query(found({ limit, ...(cursor !== undefined && { cursor }) }));
      all.push(...page.entries.map((entry) => entry.project.id));
      cursor = page.nextCursor;
    }
    return all;
  };

  beforeEach(() =>
    put(
      { id: 'text1', created_at: day(1), description: 'All about tea.' },
      { id: 'name1', created_at: day(2), name: 'Teapot', description: 'For tea.' },
      { id: 'tag1', created_at: day(3), tags: ['tea', 'hot'] },
      { id: 'url1', created_at: day(4), url: 'https://a.example/shop?of=TEA' },
      { id: 'text2', created_at: day(5), description: 'Green téa.' },
      { id: 'name2', created_at: day(6), name: 'Steam' },
      { id: 'none', created_at: day(7), name: 'Coffee' },
    ),
  );

  const first = ['name1', 'url1', 'name2'];
  const others = ['text1', 'tag1', 'text2'];

  it('lists matches in the name or URL first, both groups in the requested order', () => {
    expect(ids(found())).toEqual([...first, ...others]);
    expect(ids(found({ sort: 'newest' }))).toEqual([...first.toReversed(), ...others.toReversed()]);
    expect(ids(found({ sort: 'name' }))).toEqual(['name2', 'name1', 'url1', 'tag1', 'text1', 'text2']);
  });

  it('leaves the order of the public search and of a blank search as they are', () => {
    const byCreation = ['text1', 'name1', 'tag1', 'text2', 'name2'];
    expect(ids(query({ sort: 'oldest', filters: { q: 'tea' } }))).toEqual(byCreation);
    expect(ids(query({ sort: 'oldest', filters: { q: ' ', searchIn: 'admin' } }))).toHaveLength(7);
    expect(ids(query({ sort: 'oldest', filters: { q: ' ', searchIn: 'admin' } }))[0]).toBe('text1');
  });

  it.each([1, 2, 3, 4, 5])('returns every match once, %i at a time, by number and by cursor', (limit) => {
    const pages = Array.from({ length: Math.ceil(6 / limit) }, (_, index) => found({ page: index + 1, limit }));
    expect(pages.flatMap(ids)).toEqual([...first, ...others]);
    expect(walk(limit)).toEqual([...first, ...others]);
    expect(pages.map((page) => catalog.query(page).total)).toEqual(pages.map(() => 6));
    expect(pages.map((page) => catalog.query(page).hasMore)).toEqual(pages.map((_, i) => i < pages.length - 1));
  });

  it('continues from a cursor with the number of its page', () => {
    let cursor: string | undefined;
    for (const page of [1, 2, 3]) {
      const result = catalog.query(found({ limit: 2, ...(cursor !== undefined && { cursor }) }));
      expect(result).toMatchObject({ page, total: 6 });
      cursor = result.nextCursor ?? undefined;
    }
  });

  it('returns every other match once while one changes its group', () => {
    let version = 1;
    const change = () => {
      version += 1;
      put({ id: 'name2', created_at: day(6), name: version % 2 === 0 ? 'Kettle' : 'Steam', tags: ['tea'], version });
    };
    const rest = [...first, ...others].filter((id) => id !== 'name2');
    expect(walk(1, change).filter((id) => id !== 'name2')).toEqual(rest);
    expect(walk(2, change).filter((id) => id !== 'name2')).toEqual(rest);
  });

  it('keeps its position when the last listing of a page leaves its group, or the directory', () => {
    const { nextCursor } = catalog.query(found({ limit: 3 }));
    const next = found({ limit: 3, cursor: nextCursor ?? '' });
    put({ id: 'name2', created_at: day(6), name: 'Kettle', description: 'No match.', version: 2 });
    expect(ids(next)).toEqual(others);
    catalog.apply([{ kind: 'projectRemoved', projectId: 'name2' }]);
    expect(ids(next)).toEqual(others);
    put({ id: 'name3', created_at: day(9), name: 'More tea' });
    expect(ids(next)).toEqual(['name3', 'text1', 'tag1']);
  });

  it('rejects the cursor of its second group in a list without groups', () => {
    const { nextCursor } = catalog.query(found({ limit: 4 }));
    const cursor = nextCursor ?? '';
    expect(ids(found({ cursor }))).toEqual(['tag1', 'text2']);
    expect(() => catalog.query(query({ sort: 'oldest', cursor }))).toThrow(CursorError);
    expect(() => catalog.query(query({ sort: 'oldest', cursor, filters: { q: 'tea' } }))).toThrow(CursorError);
  });

  it('counts facets over both groups', () => {
    const counted = catalog.query({ ...found(), facets: ['tag', 'pricing'] });
    expect(counted.facets).toEqual({
      tag: [
        { value: 'hot', count: 1 },
        { value: 'tea', count: 1 },
      ],
      pricing: [{ value: 'free', count: 6 }],
    });
  });
});

describe('facets', () => {
  beforeEach(() => {
    catalog.apply([{ kind: 'category', category: category({ id: 'c1', slug: 'code', sphere: 'work' }) }]);
    put(
      { id: 'a', categories: ['code', 'music'], tags: ['x', 'y'], pricing_type: 'free' },
      { id: 'b', categories: ['code'], tags: ['y'], pricing_type: 'paid' },
      { id: 'c', categories: ['art'], tags: ['z', 'y'], pricing_type: 'paid' },
      { id: 'd', categories: ['art'], tags: ['hidden'], status: 'pending' },
    );
  });

  it('count under the other filters, most frequent first, then by value', () => {
    const request = query({ filters: { category: ['code'] }, facets: ['category', 'sphere', 'pricing', 'tag'] });
    expect(catalog.query(request).facets).toEqual({
      category: [
        { value: 'code', count: 2 },
        { value: 'art', count: 1 },
        { value: 'music', count: 1 },
      ],
      sphere: [{ value: 'work', count: 2 }],
      pricing: [
        { value: 'free', count: 1 },
        { value: 'paid', count: 1 },
      ],
      tag: [
        { value: 'y', count: 2 },
        { value: 'x', count: 1 },
      ],
    });
  });

  it('follow every change after they were counted', () => {
    const facets = () => {
      const names = ['category', 'sphere', 'pricing', 'tag'] as const;
      const counted = [
        {},
        { category: ['code'] },
        { sphere: ['work'] },
        { tag: ['y'] },
        { pricing: 'paid' as const },
      ].map((filters) => catalog.query(query({ filters, facets: names })).facets);
      return counted.map((one) => Object.values(one ?? {}).map((facet) => facet.map((c) => `${c.value} ${c.count}`)));
    };
    facets();
    put({ id: 'a', version: 2, categories: ['art'], tags: ['x'], pricing_type: 'paid' });
    put({ id: 'd', version: 2, categories: ['code'], tags: ['y', 'x'], status: 'live', pricing_type: 'free' });
    catalog.apply([
      { kind: 'projectRemoved', projectId: 'c' },
      { kind: 'category', category: category({ id: 'c2', slug: 'art', sphere: 'fun' }) },
    ]);
    put({ id: 'b', version: 2, categories: ['code', 'art'], tags: ['y'], pricing_type: 'paid', deleted_at: null });
    const all = [
      ['art 2', 'code 2'],
      ['fun 2', 'work 2'],
      ['paid 2', 'free 1'],
      ['x 2', 'y 2'],
    ];
    const inCode = [
      ['art 2', 'code 2'],
      ['work 2', 'fun 1'],
      ['free 1', 'paid 1'],
      ['y 2', 'x 1'],
    ];
    expect(facets()).toEqual([
      all,
      inCode,
      [
        ['code 2', 'art 1'],
        ['fun 2', 'work 2'],
        ['free 1', 'paid 1'],
        ['y 2', 'x 1'],
      ],
      [
        ['code 2', 'art 1'],
        ['work 2', 'fun 1'],
        ['free 1', 'paid 1'],
        ['x 2', 'y 2'],
      ],
      [
        ['art 2', 'code 1'],
        ['fun 2', 'work 1'],
        ['paid 2', 'free 1'],
        ['x 1', 'y 1'],
      ],
    ]);
  });

  it('are returned only on request', () => {
    expect(catalog.query(query())).not.toHaveProperty('facets');
    expect(catalog.query(query({ facets: ['pricing'] })).facets).toEqual({
      pricing: [
        { value: 'paid', count: 2 },
        { value: 'free', count: 1 },
      ],
    });
  });

  it('count values that are names of object members', () => {
    put({ id: 'e', tags: ['__proto__', 'constructor'], categories: ['toString'] });
    expect(catalog.query(query({ filters: { category: ['toString'] }, facets: ['tag'] })).facets?.tag).toEqual([
      { value: '__proto__', count: 1 },
      { value: 'constructor', count: 1 },
    ]);
    expect(ids(query({ filters: { category: ['__proto__'], sphere: ['constructor'] } }))).toEqual([]);
  });
});

describe('locations', () => {
  const at = (id: string, latitude: number, longitude: number) => ({ id, latitude, longitude });
  const inBox = (west: number, south: number, east: number, north: number) =>
    ids(query({ filters: { bbox: { west, south, east, north } } })).sort();
  const near = (latitude: number, longitude: number, radiusKm: number) =>
    ids(query({ filters: { near: { latitude, longitude, radiusKm } } })).sort();

  beforeEach(() =>
    put(
      at('berlin', 52.52, 13.405),
      at('paris', 48.8566, 2.3522),
      at('suva', -18.1416, 178.4419),
      at('apia', -13.8333, -171.7667),
      at('pole', 90, 0),
      at('line', 0, 180),
      { id: 'nowhere' },
    ),
  );

  it('a box contains the projects in it, edges included', () => {
    expect(inBox(0, 45, 20, 55)).toEqual(['berlin', 'paris']);
    expect(inBox(13.405, 52.52, 13.405, 52.52)).toEqual(['berlin']);
    expect(inBox(-180, -90, 180, 90)).toEqual(['apia', 'berlin', 'line', 'paris', 'pole', 'suva']);
  });

  it('a box may cross the date line', () => {
    expect(inBox(170, -20, -170, 10)).toEqual(['apia', 'line', 'suva']);
  });

  it('a circle contains the projects within a great-circle distance', () => {
    // Berlin and Paris are 877.5 km apart.
    expect(near(52.52, 13.405, 877)).toEqual(['berlin']);
    expect(near(52.52, 13.405, 878)).toEqual(['berlin', 'paris']);
    expect(near(52.52, 13.405, 0.000_001)).toEqual(['berlin']);
    expect(near(-16, 179, 1200)).toEqual(['apia', 'suva']);
    expect(near(89, 180, 200)).toEqual(['pole']);
    expect(near(0, -180, 1)).toEqual(['line']);
    expect(near(0, 0, 20_040)).toHaveLength(6);
  });

  it('the map feed contains the newest live projects with coordinates', () => {
    put({ ...at('hidden', 1, 1), status: 'pending' }, { ...at('newest', 1, 1), published_at: day(9) });
    expect(catalog.located(2).map((entry) => entry.project.id)).toEqual(['newest', 'suva']);
    expect(catalog.located(5000)).toHaveLength(7);
  });
});

describe('the scopes of administrators and owners', () => {
  beforeEach(() =>
    put(
      { id: 'a' },
      { id: 'b', status: 'pending', owner_id: 'usr_2', created_at: day(3) },
      { id: 'c', status: 'pending', created_at: day(2) },
      { id: 'd', status: 'pending', deleted_at: day(4), created_at: day(1) },
      { id: 'e', status: 'rejected', owner_id: 'usr_2' },
    ),
  );

  it.each([
    [{ status: 'live', deleted: 'excluded' }, ['a']],
    [{ status: 'any', deleted: 'excluded' }, ['a', 'b', 'c', 'e']],
    [{ status: 'any', deleted: 'included' }, ['a', 'b', 'c', 'd', 'e']],
    [{ status: 'pending', deleted: 'included' }, ['b', 'c', 'd']],
    [{ status: 'any', deleted: 'excluded', ownerId: 'usr_2' }, ['b', 'e']],
    [{ status: 'any', deleted: 'included', ownerId: 'no-such-user' }, []],
  ] as const)('%j selects %j', (scope, found) => {
    expect(ids(query({ scope })).sort()).toEqual(found);
  });

  it('the moderation queue contains pending projects, oldest first', () => {
    expect(catalog.queuePosition('c')).toBe(1);
    expect(catalog.queuePosition('b')).toBe(2);
    for (const id of ['a', 'd', 'e', 'unknown']) expect(catalog.queuePosition(id)).toBeUndefined();
  });

  it('the iteration returns every project in its state at that time', () => {
    const seen: string[] = [];
    for (const { project: current } of catalog.all()) {
      seen.push(`${current.id}${current.version}`);
      if (seen.length === 1) {
        // While the first one is visited: remove it, change another one, remove another one, and add one.
        put({ id: 'b', version: 2, created_at: day(3) }, { id: 'z', created_at: day(9) });
        catalog.apply([
          { kind: 'projectRemoved', projectId: 'a' },
          { kind: 'projectRemoved', projectId: 'c' },
        ]);
      }
    }
    expect(seen).toEqual(['a1', 'd1', 'e1', 'b2', 'z1']);
  });
});

describe('categories and URLs', () => {
  it('categories are sorted and have the number of visible projects', () => {
    catalog.apply([
      { kind: 'category', category: category({ id: '1', slug: 'b', name: 'Émile', sort_order: 1 }) },
      { kind: 'category', category: category({ id: '2', slug: 'a', name: 'Zed', sort_order: 0 }) },
      { kind: 'category', category: category({ id: '3', slug: 'c', name: 'eva', sort_order: 1 }) },
    ]);
    put(
      { id: 'p', categories: ['a', 'b'] },
      { id: 'q', categories: ['a'], status: 'pending' },
      { id: 'r', categories: ['a'], deleted_at: day(1) },
    );
    expect(catalog.categories().map((item) => [item.category.slug, item.projectCount])).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 0],
    ]);
    expect([...catalog.idsInCategory('a')].sort()).toEqual(['p', 'q', 'r']);
    expect(catalog.idsInCategory('none')).toEqual([]);
  });

  it('finds projects by any equivalent spelling of a URL, oldest first', () => {
    put(
      { id: 'a', url: 'https://www.example.com/x/', created_at: day(2) },
      { id: 'b', url: 'http://EXAMPLE.com/x?utm_source=y#z', created_at: day(1), status: 'rejected' },
      { id: 'c', url: 'https://example.com/y' },
      { id: 'd', url: 'https://example.com/x', deleted_at: day(3) },
    );
    expect(catalog.sameUrl('example.com/x')).toEqual(['b', 'a']);
    put({ id: 'b', url: 'https://example.com/y', version: 2 });
    expect(catalog.sameUrl('https://example.com/x')).toEqual(['a']);
    expect(catalog.sameUrl('https://example.com/y')).toEqual(['b', 'c']);
    expect(catalog.sameUrl('https://absent.example')).toEqual([]);
  });
});
