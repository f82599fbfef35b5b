import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { CatalogQuery, ReadCatalog } from '#catalog/types.ts';
import { canonicalUrl } from '#domain/projects/canonical-url.ts';
import type { Random } from './random.ts';
import { type Reference, sortValues } from './reference.ts';

/** Asks a catalog and the reference the same, and complains of every difference. */

/** A catalog answered something else than the reference. */
class Difference extends Error {
  override readonly name = 'Difference';
}

/** Compares quickly, and makes a failure readable: `where` names the run, `what` the question. */
export const sameAs = (actual: unknown, expected: unknown, where: string, what: unknown): void => {
  if (isDeepStrictEqual(actual, expected)) return;
  try {
    assert.deepEqual(actual, expected);
  } catch (difference) {
    throw new Difference(`${where}: ${JSON.stringify(what)}: ${(difference as Error).message}`, { cause: difference });
  }
};

/** A cursor that was handed out, with what it stands for. */
export interface KeptCursor {
  readonly query: CatalogQuery;
  readonly cursor: string;
  readonly after: ReturnType<typeof sortValues>;
}

/** Compares a query and up to two pages after it; answers how many queries that were. */
export const compareQuery = (
  catalog: ReadCatalog,
  reference: Reference,
  query: CatalogQuery,
  where: string,
): number => {
  let { nextCursor, ...page } = catalog.query(query);
  sameAs(page, reference.query(query), where, query);
  let asked = 1;
  for (; asked < 3 && nextCursor !== null; asked += 1) {
    const last = page.entries.at(-1);
    assert(last, `${where}: a cursor without an item`);
    const next = { ...query, page: 77, cursor: nextCursor };
    ({ nextCursor, ...page } = catalog.query(next));
    sameAs(page, reference.query(query, sortValues(query.sort, last)), where, next);
  }
  sameAs(nextCursor === null, !page.hasMore, where, 'the last cursor');
  return asked;
};

/** The cursor after the first page of a query; undefined when there is no more. */
export const keepCursor = (catalog: ReadCatalog, query: CatalogQuery): KeptCursor | undefined => {
  const { entries, nextCursor } = catalog.query({ ...query, page: 1 });
  const last = entries.at(-1);
  return nextCursor !== null && last ? { query, cursor: nextCursor, after: sortValues(query.sort, last) } : undefined;
};

/** Compares what comes after a cursor, however much has changed since it was handed out. */
export const compareKept = (
  catalog: ReadCatalog,
  reference: Reference,
  { query, cursor, after }: KeptCursor,
  where: string,
): void => {
  const { nextCursor: _, ...page } = catalog.query({ ...query, cursor });
  sameAs(page, reference.query(query, after), where, { query, cursor });
};

const canonicalUrls = new Map<string, string>();

/** The canonical form, worked out once per address: there are few addresses and many comparisons. */
const canonicalOnce = (url: string): string => {
  const canonical = canonicalUrls.get(url) ?? canonicalUrl(url);
  canonicalUrls.set(url, canonical);
  return canonical;
};

/** Compares everything that is not a list, with `id` where it takes a project. */
export const compareOthers = (
  catalog: ReadCatalog,
  reference: Reference,
  random: Random,
  id: string,
  where: string,
): void => {
  const item = reference.entries().find(({ project }) => project.id === id);
  sameAs(catalog.find(id), item && reference.entry(item), where, id);
  sameAs(catalog.size, reference.projects.size, where, 'size');
  sameAs(catalog.queuePosition(id), reference.queuePosition(id), where, 'queue');
  const max = 1 + random.below(30);
  sameAs(catalog.located(max), reference.located(max), where, 'located');
  sameAs(catalog.categories(), reference.categories(), where, 'categories');
  const all = reference.all();
  sameAs([...catalog.all()], all, where, 'all');
  const slug = random.pick(['music', 'code', 'unknown']);
  const carriers = all.filter(({ project }) => project.categories.includes(slug)).map(({ project }) => project.id);
  sameAs([...catalog.carrying(slug)].sort(), carriers.sort(), where, `carrying ${slug}`);
  const url = all.length > 0 ? random.pick(all).project.url : 'https://example.com';
  const canonical = canonicalOnce(url);
  const same = all.filter(({ project }) => project.deleted_at === null && canonicalOnce(project.url) === canonical);
  sameAs(
    catalog.sameUrl(url),
    same.map(({ project }) => project.id),
    where,
    url,
  );
};
