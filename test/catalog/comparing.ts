import assert from 'node:assert/strict';
import { inspect, isDeepStrictEqual } from 'node:util';
import type { CatalogEntry, CatalogPage, CatalogQuery, ReadCatalog } from '#catalog/types.ts';
import type { UserRecord } from '#model/user.ts';
import { listingFor, mapItem } from '#services/projects/fragments.ts';
import { mapItemView, publicView, staffView } from '#services/projects/read.ts';
import type { Random } from './random.ts';
import { canonicalOnce, Reference } from './reference.ts';

// What owners see depends on the features of the environment.
process.env.TABLE_NAME ??= 'unused';

/** A catalog and the reference returned different results. */
class Difference extends Error {
  override readonly name = 'Difference';
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The first value that differs, with its path; whole records would make a message of thousands of lines. */
const firstDifference = (actual: unknown, expected: unknown, path: string): string => {
  if (isObject(actual) && isObject(expected)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    for (const key of keys) {
      if (!isDeepStrictEqual(actual[key], expected[key]))
        return firstDifference(actual[key], expected[key], `${path}.${key}`);
    }
  }
  return `${path} is ${inspect(actual)} instead of ${inspect(expected)}`;
};

/**
 * Asserts equality without the cost of a message unless it fails.
 * @param where identifies the run.
 * @param what identifies the query.
 */
export const sameAs = (actual: unknown, expected: unknown, where: string, what: unknown): void => {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Difference(`${where}: ${JSON.stringify(what)}: ${firstDifference(actual, expected, 'the result')}`);
};

const administrator = { id: 'adm', is_admin: true, is_banned: false } as UserRecord;

/** The values of an entry, whose record is read when it is asked for. */
const valuesOf = ({ project, counts, spheres, fields }: CatalogEntry): CatalogEntry => ({
  project,
  counts,
  spheres,
  fields,
});

const sameEntries = (
  actual: readonly CatalogEntry[],
  expected: readonly CatalogEntry[],
  where: string,
  what: unknown,
): void => {
  sameAs(actual.map(valuesOf), expected, where, what);
};

type Page = Omit<CatalogPage, 'nextCursor'>;

/** Compares a page and the fragments of its entries, for every audience. */
const samePage = ({ entries, ...page }: Page, expected: Page, where: string, what: unknown): void => {
  sameAs({ ...page, entries: entries.map(valuesOf) }, expected, where, what);
  for (const [position, entry] of entries.entries()) {
    const listing = expected.entries[position] as CatalogEntry;
    sameAs(JSON.parse(listingFor(entry, undefined).text), publicView(listing), where, ['public fragment', what]);
    sameAs(JSON.parse(listingFor(entry, administrator).text), staffView(listing), where, ['editor fragment', what]);
  }
};

/** A cursor with its query and the values that it encodes. */
export interface KeptCursor {
  readonly query: CatalogQuery;
  readonly cursor: string;
  readonly after: ReturnType<Reference['values']>;
}

/** Compares a query and up to two pages after it. @returns the number of compared queries. */
export const compareQuery = (
  catalog: ReadCatalog,
  reference: Reference,
  query: CatalogQuery,
  where: string,
): number => {
  let { nextCursor, ...page } = catalog.query(query);
  samePage(page, reference.query(query), where, query);
  let compared = 1;
  for (; compared < 3 && nextCursor !== null; compared += 1) {
    const last = page.entries.at(-1);
    assert(last, `${where}: a cursor without an item`);
    const next = { ...query, page: 77, cursor: nextCursor };
    ({ nextCursor, ...page } = catalog.query(next));
    samePage(page, reference.query(query, reference.values(query, last)), where, next);
  }
  sameAs(nextCursor === null, !page.hasMore, where, 'the last cursor');
  return compared;
};

/** The cursor after the first page of a query; undefined when there is no more. */
export const keepCursor = (catalog: ReadCatalog, query: CatalogQuery): KeptCursor | undefined => {
  const { entries, nextCursor } = catalog.query({ ...query, page: 1 });
  const last = entries.at(-1);
  if (nextCursor === null || !last) return undefined;
  // The order of relevance depends on the names of the categories and on the fields that this catalog knows.
  const reference = new Reference();
  reference.useFields(catalog.fields);
  reference.apply(catalog.categories().map(({ category }) => ({ kind: 'category', category })));
  return { query, cursor: nextCursor, after: reference.values(query, last) };
};

/** Compares the page after a cursor that an earlier query returned. */
export const compareKept = (
  catalog: ReadCatalog,
  reference: Reference,
  { query, cursor, after }: KeptCursor,
  where: string,
): void => {
  const { nextCursor: _, ...page } = catalog.query({ ...query, cursor });
  samePage(page, reference.query(query, after), where, { query, cursor });
};

/** Compares all results except those of `query`; `id` is a project for those that take one. */
export const compareOthers = (
  catalog: ReadCatalog,
  reference: Reference,
  random: Random,
  id: string,
  where: string,
): void => {
  const item = reference.entries().find(({ project }) => project.id === id);
  const found = catalog.find(id);
  sameAs(found && valuesOf(found), item && reference.entry(item), where, id);
  sameAs(catalog.size, reference.projects.size, where, 'size');
  sameAs(catalog.queuePosition(id), reference.queuePosition(id), where, 'queue');
  const max = 1 + random.below(30);
  const located = catalog.located(max);
  const expected = reference.located(max);
  sameEntries(located, expected, where, 'located');
  sameAs(
    located.map((entry) => JSON.parse(mapItem(entry).text) as unknown),
    expected.map(mapItemView),
    where,
    'map fragments',
  );
  sameAs(catalog.categories(), reference.categories(), where, 'categories');
  const all = reference.all();
  sameEntries([...catalog.all()], all, where, 'all');
  const slug = random.pick(['music', 'code', 'unknown']);
  const inCategory = all.filter(({ project }) => project.categories.includes(slug)).map(({ project }) => project.id);
  sameAs([...catalog.idsInCategory(slug)].sort(), inCategory.sort(), where, `category ${slug}`);
  const url = all.length > 0 ? random.pick(all).project.url : 'https://example.com';
  const canonical = canonicalOnce(url);
  const same = all.filter(({ project }) => canonicalOnce(project.url) === canonical).map(({ project }) => project);
  const kept = same.filter((project) => project.deleted_at === null);
  const idsOf = (projects: typeof same) => projects.map((project) => project.id);
  sameAs(catalog.sameUrl(url), idsOf(kept), where, url);
  sameAs(catalog.sameUrl(url, { withDeleted: true }), idsOf(same), where, `${url}, deleted ones too`);
};
