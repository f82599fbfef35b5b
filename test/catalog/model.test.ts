import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import type { CatalogQuery } from '#catalog/types.ts';
import { canonicalUrl } from '#domain/projects/canonical-url.ts';
import { Random } from './random.ts';
import { Reference, sortValues } from './reference.ts';
import { World } from './world.ts';

/** Queries over all worlds, each compared with the reference; `CATALOG_QUERIES` raises it. */
const QUERIES = Number(process.env['CATALOG_QUERIES'] ?? 20_000);

/** Many small worlds meet more coincidences, the large one has sets of every density. */
const worlds = [
  ...Array.from({ length: 18 }, (_, seed) => ({ seed, size: 20 + 8 * seed, share: 0.054 })),
  { seed: 99, size: 1200, share: 0.028 },
];

const canonicalUrls = new Map<string, string>();

/** The canonical form, worked out once per address: there are few addresses and many comparisons. */
const canonicalOnce = (url: string): string => {
  const canonical = canonicalUrls.get(url) ?? canonicalUrl(url);
  canonicalUrls.set(url, canonical);
  return canonical;
};

/** Compares quickly, and makes a failure readable. */
const sameAs = (actual: unknown, expected: unknown, seed: number, what: unknown): void => {
  if (!isDeepStrictEqual(actual, expected))
    expect(actual, `seed ${seed}: ${JSON.stringify(what)}`).toStrictEqual(expected);
};

/** Compares a query and up to two pages after it; answers how many queries that were. */
const compareQuery = (catalog: Catalog, reference: Reference, query: CatalogQuery, seed: number): number => {
  let { nextCursor, ...page } = catalog.query(query);
  sameAs(page, reference.query(query), seed, query);
  let asked = 1;
  for (; asked < 3 && nextCursor !== null; asked += 1) {
    const last = page.entries.at(-1);
    if (!last) expect.fail('a cursor without an item');
    const next = { ...query, page: 77, cursor: nextCursor };
    ({ nextCursor, ...page } = catalog.query(next));
    sameAs(page, reference.query(query, sortValues(query.sort, last)), seed, next);
  }
  sameAs(nextCursor === null, !page.hasMore, seed, 'the last cursor');
  return asked;
};

describe('the catalog answers as plain lists would', () => {
  it.each(worlds)('world $seed of $size projects', { timeout: 600_000 }, ({ seed, size, share }) => {
    const random = new Random(seed);
    const world = new World(random, size);
    const catalog = new Catalog();
    const reference = new Reference();
    const queries = Math.ceil(QUERIES * share);
    const kept: { query: CatalogQuery; cursor: string; after: ReturnType<typeof sortValues> }[] = [];

    const change = (times: number) => {
      const changes = Array.from({ length: times }, () => world.change());
      catalog.apply(changes);
      reference.apply(changes);
    };
    change(size * 4);

    for (let asked = 0, turn = 0; asked < queries; turn += 1) {
      if (random.chance(0.5)) change(1 + random.below(4));
      sameAs(catalog.version, reference.version, seed, 'version');
      const query = world.query();
      asked += compareQuery(catalog, reference, query, seed);

      const { entries, nextCursor } = catalog.query({ ...query, page: 1 });
      const last = entries.at(-1);
      if (nextCursor !== null && last) kept.push({ query, cursor: nextCursor, after: sortValues(query.sort, last) });
      if (kept.length > 0 && random.chance(0.2)) {
        const { query: earlier, cursor, after } = random.pick(kept);
        const { nextCursor: _, ...page } = catalog.query({ ...earlier, cursor });
        sameAs(page, reference.query(earlier, after), seed, { earlier, cursor });
        asked += 1;
      }

      if (turn % 8 !== 0) continue;
      const id = random.pick(world.projectIds);
      const item = reference.entries().find(({ project }) => project.id === id);
      sameAs(catalog.find(id), item && reference.entry(item), seed, id);
      sameAs(catalog.size, reference.projects.size, seed, 'size');
      sameAs(catalog.queuePosition(id), reference.queuePosition(id), seed, 'queue');
      const max = 1 + random.below(30);
      sameAs(catalog.located(max), reference.located(max), seed, 'located');
      sameAs(catalog.categories(), reference.categories(), seed, 'categories');
      const all = reference.all();
      sameAs([...catalog.all()], all, seed, 'all');
      const slug = random.pick(['music', 'code', 'unknown']);
      const carriers = all.filter(({ project }) => project.categories.includes(slug)).map(({ project }) => project.id);
      expect([...catalog.carrying(slug)].sort()).toEqual(carriers.sort());
      const url = all.length > 0 ? random.pick(all).project.url : 'https://example.com';
      const canonical = canonicalOnce(url);
      const same = all.filter(({ project }) => project.deleted_at === null && canonicalOnce(project.url) === canonical);
      expect(catalog.sameUrl(url)).toEqual(same.map(({ project }) => project.id));
    }
  });
});
