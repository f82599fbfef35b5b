import type { FacetName } from '#contract/projects.ts';
import type { CategoryList } from './category-list.ts';
import type { Listings } from './listings.ts';
import type { Selection } from './selection.ts';
import type { FacetCount } from './types.ts';

/** How many of the selected listings have each value of a property, its own filter left out; see `ranked`. */
export const facet = (
  name: FacetName,
  selection: Selection,
  listings: Listings,
  categories: CategoryList,
): FacetCount[] => {
  const matches = selection.matches(name);
  const { attributes } = listings;
  if (name !== 'sphere') return ranked(attributes[name].countsIn(matches));
  const spheres = [...categories.slugsBySphere()];
  return ranked(spheres.map(([sphere, slugs]) => [sphere, attributes.category.anyOf(slugs).countShared(matches)]));
};

/** Values with their counts, without those that count nothing: most frequent first, then by value. */
const ranked = (counts: Iterable<readonly [value: string, count: number]>): FacetCount[] => {
  const found: FacetCount[] = [];
  for (const [value, count] of counts) if (count > 0) found.push({ value, count });
  return found.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
};
