import type { FacetName } from '#contract/projects.ts';
import type { Bitmap } from './bitmap.ts';
import type { CategoryList } from './category-list.ts';
import type { Listings } from './listings.ts';
import type { Row } from './row.ts';
import type { Selection } from './selection.ts';
import type { FacetCount } from './types.ts';

/** Where fewer than one listing in so many matches, asking those takes less time than asking every value. */
const FEW = 32;

/**
 * How many of the selected listings have each value of a property, its own filter left out: most frequent first, then by
 * value. Values that none of them has are left out.
 */
export const facet = (
  name: FacetName,
  selection: Selection,
  listings: Listings,
  categories: CategoryList,
): FacetCount[] => {
  const matches = selection.matches(name);
  const few = matches.count() * FEW < listings.rows.size;
  return mostFrequentFirst(
    few ? countByListing(name, matches, listings, categories) : countByValue(name, matches, listings, categories),
  );
};

const countByListing = (
  name: FacetName,
  matches: Bitmap,
  { rows }: Listings,
  categories: CategoryList,
): FacetCount[] => {
  const valuesOf: Readonly<Record<FacetName, (row: Row) => readonly string[]>> = {
    category: (row) => row.categories,
    sphere: (row) => categories.spheresOf(row.categories),
    pricing: (row) => [row.pricing],
    tag: (row) => row.tags,
  };
  const counts = new Map<string, number>();
  matches.forEach((slot) => {
    for (const value of new Set(valuesOf[name](rows.at(slot)))) counts.set(value, (counts.get(value) ?? 0) + 1);
  });
  return Array.from(counts, ([value, count]) => ({ value, count })).sort(byValue);
};

const countByValue = (name: FacetName, matches: Bitmap, listings: Listings, categories: CategoryList): FacetCount[] => {
  const { attributes } = listings;
  if (name !== 'sphere') return attributes[name].countsIn(matches);
  const counts: FacetCount[] = [];
  for (const [sphere, slugs] of categories.slugsBySphere()) {
    const count = attributes.category.addAnyOf(slugs, listings.noSlots()).countShared(matches);
    if (count > 0) counts.push({ value: sphere, count });
  }
  return counts.sort(byValue);
};

const byValue = (a: FacetCount, b: FacetCount): number => (a.value < b.value ? -1 : 1);

/** Expects the values in order. There are many values and few different counts, so it collects them by count. */
const mostFrequentFirst = (counts: readonly FacetCount[]): FacetCount[] => {
  const byCount = new Map<number, FacetCount[]>();
  for (const one of counts) {
    const same = byCount.get(one.count);
    if (same) same.push(one);
    else byCount.set(one.count, [one]);
  }
  return [...byCount.keys()].sort((a, b) => b - a).flatMap((count) => byCount.get(count) ?? []);
};
