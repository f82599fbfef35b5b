import { describe, expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import type { CatalogChange, Comparable, SimilarEntry, SimilarQuery } from '#catalog/types.ts';
import { project } from './fixtures.ts';
import { labelledPairs } from './similarity-pairs.ts';

/** From this score on, two listings are probably the same. */
const LIKELY_DUPLICATE = 0.5;

const pairs = labelledPairs();

const listings = [...new Set(pairs.flatMap(({ base, other }) => [base, other]))];
const idOf = (listing: Comparable): string => `prj_${listings.indexOf(listing)}`;

const catalogWith = (all: readonly Comparable[], id: (listing: Comparable) => string): Catalog => {
  const catalog = new Catalog();
  catalog.apply(
    all.map((listing): CatalogChange => ({ kind: 'project', project: project({ ...listing, id: id(listing) }) })),
  );
  return catalog;
};

const catalog = catalogWith(listings, idOf);

const similarTo = (listing: Comparable): readonly SimilarEntry[] =>
  catalog.similar({ ...listing, id: idOf(listing) }, 10);

/** The pairs with the score of the other listing among those that are similar to the base; 0 when it is not. */
const scored = pairs.map((pair) => {
  const found = similarTo(pair.base).find(({ entry }) => entry.project.id === idOf(pair.other));
  return { ...pair, score: found?.score ?? 0, isFound: (found?.score ?? 0) >= LIKELY_DUPLICATE };
});

it('there are a hundred labelled pairs of duplicates and a hundred of different listings', () => {
  expect(pairs.filter(({ isDuplicate }) => isDuplicate)).toHaveLength(100);
  expect(pairs).toHaveLength(200);
});

it('at least 94 % of the labelled duplicates are found, and at least 94 % of what is found is a duplicate', () => {
  const found = scored.filter((pair) => pair.isFound);
  const correct = found.filter(({ isDuplicate }) => isDuplicate).length;
  const errors = scored
    .filter((pair) => pair.isFound !== pair.isDuplicate)
    .map(({ base, other, score }) => `${base.name} / ${other.name}: ${score}`)
    .join('\n');
  expect(correct / found.length, errors).toBeGreaterThanOrEqual(0.94);
  expect(correct / 100, errors).toBeGreaterThanOrEqual(0.94);
});

describe('similar listings', () => {
  const base = { name: 'Taskmoor', url: 'https://taskmoor.com', description: 'Boards and timelines for remote teams.' };
  const other = { name: 'Quillpad', url: 'https://quillpad.co', description: 'An editor for Markdown.' };
  const change = (fields: Parameters<typeof project>[0]): CatalogChange => ({
    kind: 'project',
    project: project(fields),
  });

  it('similar listings follow changes and deletions, and never contain the listing itself or later ones', () => {
    const some = new Catalog();
    some.apply([change({ ...base, id: 'a' }), change({ ...other, id: 'b' })]);
    const ids = (query: Partial<SimilarQuery> = {}) =>
      some.similar({ ...base, id: 'a', ...query }, 10).map(({ entry }) => entry.project.id);
    expect(ids()).toEqual([]);
    some.apply([change({ ...base, id: 'b', created_at: '2026-02-01T00:00:00.000Z', version: 2 })]);
    expect(some.similar({ ...base, id: 'a' }, 10)).toMatchObject([
      { score: 1, reasons: ['same_url', 'same_host', 'similar_name', 'similar_text'] },
    ]);
    expect(ids({ createdBefore: '2026-01-31T00:00:00.000Z' })).toEqual([]);
    some.apply([change({ ...base, id: 'b', deleted_at: '2026-02-02T00:00:00.000Z', version: 3 })]);
    expect(ids()).toEqual([]);
    some.apply([change({ ...base, id: 'b', version: 4 }), { kind: 'projectRemoved', projectId: 'b', version: 5 }]);
    expect(ids()).toEqual([]);
  });

  it('listings are not similar because they are on a host with many listings', () => {
    const some = new Catalog();
    const repository = (index: number) => ({
      name: `${['Ash', 'Birch', 'Cedar'][index % 3]}${index}`,
      url: `https://code.example/${index}`,
      description: `${index}`,
    });
    const add = (count: number) =>
      some.apply(Array.from({ length: count }, (_, index) => change({ ...repository(index), id: `r${index}` })));
    const reasons = () =>
      some
        .similar({ ...repository(100), id: 'r100' }, 50)
        .flatMap((found) => found.reasons.filter((one) => one === 'same_host'));
    add(20);
    expect(reasons()).toHaveLength(20);
    add(21);
    expect(reasons()).toHaveLength(0);
  });
});
