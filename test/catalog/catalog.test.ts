import { beforeEach, describe, expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import { readSnapshot, writeSnapshot } from '#catalog/snapshot.ts';
import type { CatalogChange, CatalogQuery } from '#catalog/types.ts';
import type { ProjectRecord } from '#model/project.ts';
import { category, counts, project, query } from './fixtures.ts';

let catalog: Catalog;

beforeEach(() => {
  catalog = new Catalog();
});

const put = (...projects: (Partial<ProjectRecord> & { id: string })[]): void =>
  catalog.apply(projects.map((overrides): CatalogChange => ({ kind: 'project', project: project(overrides) })));

const ids = (request: CatalogQuery): string[] => catalog.query(request).entries.map((entry) => entry.project.id);

const day = (number: number): string => new Date(Date.UTC(2026, 0, number)).toISOString();

it('a project that was removed without a version cannot be restored', () => {
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

it('a new project in the slot of a removed one has none of its values', () => {
  put({ id: 'a', tags: ['old'], name: 'Alpha' }, { id: 'b' });
  expect(ids(query({ filters: { q: 'alpha' } }))).toEqual(['a']);
  catalog.apply([{ kind: 'projectRemoved', projectId: 'a' }]);
  put({ id: 'c', tags: ['new'], name: 'Gamma' });
  expect(ids(query({ filters: { q: 'alpha' } }))).toEqual([]);
  expect(ids(query({ filters: { q: 'gamma' } }))).toEqual(['c']);
  expect(catalog.query(query({ facets: ['tag'] })).facets?.tag).toEqual([{ value: 'new', count: 1 }]);
});

it('a project is found by the slug of a merged category, after any number of merges in any order of arrival', () => {
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
  ])('the public search for %j finds %j', (q, found) => {
    expect(ids(query({ filters: { q } })).sort()).toEqual(found);
  });

  it.each([
    ['secret?', ['a']],
    ['https://', ['a', 'b']],
    ['/', ['a', 'b']],
    ['ab', ['a', 'b']],
    ['tool', ['a']],
    ['ahttp', []],
  ])('the search of administrators for %j finds %j', (q, found) => {
    expect(ids(query({ filters: { q, searchIn: 'admin' } })).sort()).toEqual(found);
  });

  it('a search distinguishes rare characters that share an index key', () => {
    put({ id: 'c', name: '躬', tags: ['éА躬'] });
    expect(ids(query({ filters: { q: '躬' } }))).toEqual(['c']);
    expect(ids(query({ filters: { q: '京' } })).sort()).toEqual(['a', 'b']);
    expect(ids(query({ filters: { q: '躭' } }))).toEqual([]);
  });

  it('a search finds a changed text and no longer the old one', () => {
    expect(ids(query({ filters: { q: 'cd' } }))).toEqual(['b']);
    put({ id: 'b', name: 'ab', description: 'now gh', version: 2 });
    expect(ids(query({ filters: { q: 'cd' } }))).toEqual([]);
    expect(ids(query({ filters: { q: 'now gh' } }))).toEqual(['b']);
  });
});

it('the order "rating" compares the rounded average, then the number of ratings', () => {
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

it('pages are complete and in order when very few projects match', () => {
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

it('facets count values that are names of object members', () => {
  put({ id: 'e', tags: ['__proto__', 'constructor'], categories: ['toString'] });
  expect(catalog.query(query({ filters: { category: ['toString'] }, facets: ['tag'] })).facets?.tag).toEqual([
    { value: '__proto__', count: 1 },
    { value: 'constructor', count: 1 },
  ]);
  expect(ids(query({ filters: { category: ['__proto__'], sphere: ['constructor'] } }))).toEqual([]);
});

it('iterating the catalog returns every project once, in its state at that time', () => {
  put(
    { id: 'a' },
    { id: 'b', status: 'pending', created_at: day(3) },
    { id: 'c', status: 'pending', created_at: day(2) },
    { id: 'd', status: 'pending', deleted_at: day(4), created_at: day(1) },
    { id: 'e', status: 'rejected' },
  );
  const seen: string[] = [];
  for (const { project: current } of catalog.all()) {
    seen.push(`${current.id}${current.version}`);
    if (seen.length > 1) continue;
    // While the first one is visited: remove it, change another one, remove another one, and add one.
    put({ id: 'b', version: 2, created_at: day(3) }, { id: 'z', created_at: day(9) });
    catalog.apply([
      { kind: 'projectRemoved', projectId: 'a' },
      { kind: 'projectRemoved', projectId: 'c' },
    ]);
  }
  expect(seen).toEqual(['a1', 'd1', 'e1', 'b2', 'z1']);
});

it('live listings keep their range of the order of creation, whatever becomes of the others', () => {
  put(
    ...Array.from({ length: 25 }, (_, at) => ({
      id: `p${at}`,
      slug: `s${at}`,
      created_at: day(at + 1),
      published_at: day(at + 1),
    })),
  );
  const parts = (): string[][] => [0, 10, 20, 30].map((from) => catalog.liveCreated(from, 10).map(({ slug }) => slug));
  const slugs = Array.from({ length: 25 }, (_, at) => `s${at}`);
  expect(parts()).toEqual([slugs.slice(0, 10), slugs.slice(10, 20), slugs.slice(20), []]);
  put(
    { id: 'p3', slug: 's3', created_at: day(4), version: 2, status: 'rejected' },
    { id: 'p11', slug: 'moved', created_at: day(12), version: 2, published_at: day(12), updated_at: day(40) },
    { id: 'p12', slug: 's12', created_at: day(13), version: 2, deleted_at: day(40) },
    { id: 'p13', slug: 's13', created_at: day(14), version: 2, published_at: day(50), updated_at: day(40) },
  );
  const [first, second, third] = parts();
  expect(first).toEqual(slugs.slice(0, 10).filter((slug) => slug !== 's3'));
  expect(second).toEqual(['s10', 'moved', ...slugs.slice(13, 20)]);
  expect(third).toEqual(slugs.slice(20));
  expect(catalog.liveCreated(11, 3)).toEqual([
    { slug: 'moved', changedAt: day(40) },
    { slug: 's13', changedAt: day(50) },
  ]);
});
