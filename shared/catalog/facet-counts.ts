import type { FacetName } from '#contract/projects.ts';
import type { CategoryList } from './category-list.ts';
import { type FilteredScope, facetValues, isWithin, keyOf } from './filtered-scope.ts';
import type { ListingIndex } from './listing-index.ts';
import type { Row } from './row.ts';
import type { FacetCount } from './types.ts';

/** By descending count, then by value. */
const byCount = (a: FacetCount, b: FacetCount): number => b.count - a.count || (a.value < b.value ? -1 : 1);

interface MaintainedFacet {
  readonly counts: Map<string, number>;
  /** The sorted counts; undefined after a change. */
  sorted: readonly FacetCount[] | undefined;
}

interface MaintainedBase {
  readonly base: FilteredScope;
  readonly facets: Map<FacetName, MaintainedFacet>;
}

/** Each change of a listing is compared with all of them. */
const BASES_MAX = 128;

/** The values of all facets: some ten megabytes. */
const VALUES_MAX = 100_000;

/**
 * The counts of facets that were requested without or with one filter. They are counted once and then updated with each
 * change, because counting takes time in proportion to the number of listings.
 */
export class FacetCounts implements ListingIndex {
  readonly #categories: CategoryList;
  /** The least recently requested first. */
  readonly #bases = new Map<string, MaintainedBase>();
  #values = 0;

  constructor(categories: CategoryList) {
    this.#categories = categories;
  }

  /**
   * @param base the listings among which the facet is counted, of at most one filter.
   * @param count counts the facet; it is called when its counts are not maintained yet.
   */
  of(name: FacetName, base: FilteredScope, count: () => readonly FacetCount[]): readonly FacetCount[] {
    const { facets } = this.#maintained(base);
    const known = facets.get(name);
    if (known) {
      known.sorted ??= Array.from(known.counts, ([value, listings]) => ({ value, count: listings })).sort(byCount);
      return known.sorted;
    }
    const sorted = count();
    const counts = new Map(sorted.map(({ value, count: listings }) => [value, listings]));
    facets.set(name, { counts, sorted });
    this.#values += counts.size;
    this.#evict();
    return sorted;
  }

  /** To be called after each change of the categories, from which spheres are derived. */
  categoriesChanged(): void {
    this.#bases.clear();
    this.#values = 0;
  }

  isAffected(before: Row, after: Row): boolean {
    return before.version !== after.version;
  }

  insert(_slot: number, row: Row): void {
    this.#add(row, 1);
    this.#evict();
  }

  remove(_slot: number, row: Row): void {
    this.#add(row, -1);
  }

  #maintained(base: FilteredScope): MaintainedBase {
    const key = keyOf(base);
    const maintained = this.#bases.get(key) ?? { base, facets: new Map() };
    // Moves it to the end.
    this.#bases.delete(key);
    this.#bases.set(key, maintained);
    return maintained;
  }

  #add(row: Row, listings: 1 | -1): void {
    for (const { base, facets } of this.#bases.values()) {
      if (!isWithin(row, base, this.#categories)) continue;
      for (const [name, facet] of facets) {
        const { counts } = facet;
        const sizeBefore = counts.size;
        for (const value of new Set(facetValues(name, row, this.#categories))) {
          const count = (counts.get(value) ?? 0) + listings;
          if (count > 0) counts.set(value, count);
          else counts.delete(value);
        }
        facet.sorted = undefined;
        this.#values += counts.size - sizeBefore;
      }
    }
  }

  #evict(): void {
    for (const [key, { facets }] of this.#bases) {
      if (this.#bases.size <= BASES_MAX && this.#values <= VALUES_MAX) return;
      this.#bases.delete(key);
      for (const { counts } of facets.values()) this.#values -= counts.size;
    }
  }
}
