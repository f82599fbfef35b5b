import type { FacetName } from '#contract/projects.ts';
import type { Bitmap } from './bitmap.ts';
import type { CategoryList } from './category-list.ts';
import { facetValues } from './filtered-scope.ts';
import type { Listings } from './listings.ts';
import type { Selection } from './selection.ts';
import type { FacetCount } from './types.ts';

/** Below one match in so many listings, counting by match is faster than counting by value. */
const SPARSE_RATIO = 32;

/**
 * Counts the matching listings by value of one property, ignoring the filter on that property. Sorted by descending
 * count, then by value; values without a match are omitted.
 */
export const facet = (
  name: FacetName,
  selection: Selection,
  listings: Listings,
  categories: CategoryList,
): readonly FacetCount[] => {
  const count = (): FacetCount[] => {
    const { slots, total } = selection.matches(name);
    const isSparse = total * SPARSE_RATIO < listings.rows.size;
    return mostFrequentFirst(
      isSparse ? countByListing(name, slots, listings, categories) : countByValue(name, slots, listings, categories),
    );
  };
  const base = selection.facetBase(name);
  return base ? listings.facetCounts(categories).of(name, base, count) : count();
};

const countByListing = (
  name: FacetName,
  matches: Bitmap,
  { rows }: Listings,
  categories: CategoryList,
): FacetCount[] => {
  const counts = new Map<string, number>();
  matches.forEach((slot) => {
    for (const value of new Set(facetValues(name, rows.at(slot), categories)))
      counts.set(value, (counts.get(value) ?? 0) + 1);
  });
  return Array.from(counts, ([value, count]) => ({ value, count })).sort(byValue);
};

const countByValue = (name: FacetName, matches: Bitmap, listings: Listings, categories: CategoryList): FacetCount[] => {
  if (name === 'status') {
    return sumsByValue(
      listings.attribute('present').countsIn(matches),
      listings.attribute('deleted').countsIn(matches),
    );
  }
  if (name !== 'sphere') return listings.attribute(name).countsIn(matches);
  const counts: FacetCount[] = [];
  for (const [sphere, slugs] of categories.slugsBySphere()) {
    const count = listings.attribute('category').addAnyOf(slugs, listings.emptyBitmap()).countShared(matches);
    if (count > 0) counts.push({ value: sphere, count });
  }
  return counts.sort(byValue);
};

const sumsByValue = (...lists: readonly (readonly FacetCount[])[]): FacetCount[] => {
  const sums = new Map<string, number>();
  for (const { value, count } of lists.flat()) sums.set(value, (sums.get(value) ?? 0) + count);
  return Array.from(sums, ([value, count]) => ({ value, count })).sort(byValue);
};

const byValue = (a: FacetCount, b: FacetCount): number => (a.value < b.value ? -1 : 1);

/** A bucket sort of counts that are sorted by value: there are many values and few distinct counts. */
const mostFrequentFirst = (counts: readonly FacetCount[]): FacetCount[] => {
  const byCount = new Map<number, FacetCount[]>();
  for (const entry of counts) {
    const bucket = byCount.get(entry.count);
    if (bucket) bucket.push(entry);
    else byCount.set(entry.count, [entry]);
  }
  return [...byCount.keys()].sort((a, b) => b - a).flatMap((count) => byCount.get(count) ?? []);
};
