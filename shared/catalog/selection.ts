import type { FacetName } from '#contract/projects.ts';
import type { Bitmap } from './bitmap.ts';
import type { CategoryList } from './category-list.ts';
import type { FilterCache, Matches } from './filter-cache.ts';
import type { FacetFilter, FilteredScope } from './filtered-scope.ts';
import { fold } from './fold.ts';
import type { Listings } from './listings.ts';
import { searchGroups } from './text-index.ts';
import type { CatalogFilters, CatalogScope } from './types.ts';

/** The slots that match a query: those that match its filters, narrowed by owner, location and text. */
export class Selection {
  readonly #listings: Listings;
  readonly #cache: FilterCache;
  readonly #scope: CatalogScope;
  readonly #filters: readonly FacetFilter[];
  /** The slots of the scope that match owner, location and text; undefined when the query has none of them. */
  readonly #narrowed: Bitmap | undefined;
  /** The slots of `#narrowed` by the first text that the search finds; undefined when they are one group. */
  readonly #groups: readonly Bitmap[] | undefined;

  /** @param countsStatus whether the status is a facet; it is then a filter instead of a part of the scope. */
  constructor(
    listings: Listings,
    categories: CategoryList,
    scope: CatalogScope,
    filters: CatalogFilters,
    countsStatus = false,
  ) {
    listings.beginQuery();
    this.#listings = listings;
    this.#cache = listings.filterCache(categories);
    this.#scope = countsStatus ? { ...scope, status: 'any' } : scope;
    this.#filters = facetFilters(filters, categories, countsStatus ? scope.status : 'any');

    const { bbox, near } = filters;
    const q = foldedQuery(filters.q);
    if (scope.ownerId === undefined && !bbox && !near && q === undefined) return;
    const narrowed = listings.copyOf(this.#cache.of({ scope: this.#scope, filters: [] }).slots);
    if (scope.ownerId !== undefined) narrowed.and(slotsOfOwner(listings, scope.ownerId));
    if (bbox) narrowed.and(listings.locations().addInBox(bbox, listings.emptyBitmap()));
    if (near) narrowed.and(listings.locations().addInCircle(near, listings.emptyBitmap()));
    this.#narrowed = narrowed;
    if (q !== undefined) this.#groups = this.#search(narrowed, q, filters.searchIn);
  }

  /** The slots that match everything, or everything except the filter of one facet. */
  matches(without?: FacetName): Matches {
    const filters = this.#filters.filter(({ name }) => name !== without);
    if (!this.#narrowed) return this.#cache.of({ scope: this.#scope, filters });
    if (filters.length === 0) return counted(this.#narrowed);
    return this.#shared(this.#narrowed, this.#cache.of({ scope: this.#scope, filters }).slots);
  }

  /** What a facet is counted among, if that is a scope with at most one filter besides its own. */
  facetBase(name: FacetName): FilteredScope | undefined {
    const filters = this.#filters.filter((filter) => filter.name !== name);
    return this.#narrowed || filters.length > 1 ? undefined : { scope: this.#scope, filters };
  }

  /** The slots that match everything, in disjoint groups; the order of the groups precedes any sort order. */
  groups(): readonly Matches[] {
    const matches = this.matches();
    if (!this.#groups) return [matches];
    return this.#groups.map((group) => this.#shared(group, matches.slots));
  }

  /**
   * Narrows a set of slots to those with a text that contains `q`.
   * @returns these by the first such text; undefined when the search has one text only.
   */
  #search(slots: Bitmap, q: string, searchIn: CatalogFilters['searchIn']): readonly Bitmap[] | undefined {
    const texts = searchGroups[searchIn].map((name) => this.#listings.text(name));
    if (texts.length === 1) {
      texts[0]?.narrow(slots, q);
      return undefined;
    }
    const candidates = this.#listings.copyOf(slots);
    const groups = texts.map((text) => {
      const found = this.#listings.copyOf(candidates);
      text.narrow(found, q);
      candidates.andNot(found);
      return found;
    });
    // The remaining candidates match no text.
    slots.andNot(candidates);
    return groups;
  }

  #shared(one: Bitmap, other: Bitmap): Matches {
    const slots = this.#listings.copyOf(one);
    slots.and(other);
    return counted(slots);
  }
}

const counted = (slots: Bitmap): Matches => ({ slots, total: slots.count() });

/** @param status `any`: no filter. */
const facetFilters = (
  { category, tag, pricing, sphere }: CatalogFilters,
  categories: CategoryList,
  status: CatalogScope['status'],
): readonly FacetFilter[] => {
  const filters: FacetFilter[] = [];
  if (status !== 'any') filters.push({ name: 'status', values: [status] });
  if (category?.length) {
    filters.push({ name: 'category', values: [...new Set(category.map((slug) => categories.currentSlug(slug)))] });
  }
  if (tag?.length) filters.push({ name: 'tag', values: tag });
  if (pricing) filters.push({ name: 'pricing', values: [pricing] });
  if (sphere?.length) filters.push({ name: 'sphere', values: sphere });
  return filters;
};

/** The folded search text; undefined when it is blank. */
export const foldedQuery = (q: string | undefined): string | undefined => {
  const folded = fold(q ?? '');
  return folded.trim() === '' ? undefined : folded;
};

const slotsOfOwner = (listings: Listings, ownerId: string): Bitmap =>
  listings.attribute('owner').addAnyOf([ownerId], listings.emptyBitmap());

/** Starts a query. @returns the slots in its scope. */
export const slotsInScope = (listings: Listings, scope: CatalogScope): Bitmap => {
  listings.beginQuery();
  const slots = listings.inScope(scope);
  if (scope.ownerId !== undefined) slots.and(slotsOfOwner(listings, scope.ownerId));
  return slots;
};
