import type { FacetName } from '#contract/projects.ts';
import type { CategoryList } from './category-list.ts';
import type { ListingIndex } from './listing-index.ts';
import type { Row } from './row.ts';
import type { CatalogScope, FacetCount } from './types.ts';

/** The listings among which a facet is counted: those of a scope without an owner, and of at most one filter. */
export interface FacetBase {
  readonly scope: Pick<CatalogScope, 'status' | 'deleted'>;
  /** One of the values is enough to match. */
  readonly filter?: { readonly name: FacetName; readonly values: readonly string[] };
}

/** The values of one listing, possibly repeated. */
export const facetValues = (name: FacetName, row: Row, categories: CategoryList): readonly string[] => {
  switch (name) {
    case 'category':
      return row.categories;
    case 'sphere':
      return categories.spheresOf(row.categories);
    case 'pricing':
      return [row.pricing];
    case 'status':
      return [row.status];
    case 'tag':
      return row.tags;
  }
};

/** By descending count, then by value. */
const byCount = (a: FacetCount, b: FacetCount): number => b.count - a.count || (a.value < b.value ? -1 : 1);

interface MaintainedFacet {
  readonly counts: Map<string, number>;
  /** The sorted counts; undefined after a change. */
  sorted: readonly FacetCount[] | undefined;
}

interface MaintainedBase {
  readonly base: FacetBase;
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

  /** @param count counts the facet; it is called when its counts are not maintained yet. */
  of(name: FacetName, base: FacetBase, count: () => readonly FacetCount[]): readonly FacetCount[] {
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

  #maintained(base: FacetBase): MaintainedBase {
    const key = JSON.stringify([base.scope.status, base.scope.deleted, base.filter?.name, base.filter?.values]);
    const maintained = this.#bases.get(key) ?? { base, facets: new Map() };
    // Moves it to the end.
    this.#bases.delete(key);
    this.#bases.set(key, maintained);
    return maintained;
  }

  #add(row: Row, listings: 1 | -1): void {
    for (const { base, facets } of this.#bases.values()) {
      if (!this.#isCounted(row, base)) continue;
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

  #isCounted(row: Row, { scope, filter }: FacetBase): boolean {
    if (row.deletedAt !== null && scope.deleted === 'excluded') return false;
    if (scope.status !== 'any' && scope.status !== row.status) return false;
    return !filter || facetValues(filter.name, row, this.#categories).some((value) => filter.values.includes(value));
  }

  #evict(): void {
    for (const [key, { facets }] of this.#bases) {
      if (this.#bases.size <= BASES_MAX && this.#values <= VALUES_MAX) return;
      this.#bases.delete(key);
      for (const { counts } of facets.values()) this.#values -= counts.size;
    }
  }
}
