import type { FacetName } from '#contract/projects.ts';
import type { CategoryList } from './category-list.ts';
import type { Listings } from './listings.ts';
import type { Selection } from './selection.ts';
import type { FacetCount } from './types.ts';

/**
 * How many of the selected listings have each value of a property, its own filter left out: most frequent first, then by
 * value. Values that none of them has are left out.
 */
export const facet = (
  name: FacetName,
  selection: Selection,
  { attributes }: Listings,
  categories: CategoryList,
): FacetCount[] => {
  const matches = selection.matches(name);
  const counts =
    name === 'sphere'
      ? [...categories.slugsBySphere()]
          .map(([sphere, slugs]): [string, number] => [sphere, attributes.category.anyOf(slugs).countShared(matches)])
          .filter(([, count]) => count > 0)
          .sort(([a], [b]) => (a < b ? -1 : 1))
      : attributes[name].countsIn(matches);
  return mostFrequentFirst(counts);
};

/** Expects the values in order. There are many values and few different counts, so it collects them by count. */
const mostFrequentFirst = (counts: readonly (readonly [value: string, count: number])[]): FacetCount[] => {
  const byCount = new Map<number, FacetCount[]>();
  for (const [value, count] of counts) {
    const same = byCount.get(count);
    if (same) same.push({ value, count });
    else byCount.set(count, [{ value, count }]);
  }
  return [...byCount.keys()].sort((a, b) => b - a).flatMap((count) => byCount.get(count) ?? []);
};
