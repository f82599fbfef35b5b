import { type FacetName, Status } from '#contract/projects.ts';
import type { Bitmap } from './bitmap.ts';
import type { CategoryList } from './category-list.ts';
import type { FacetBase } from './facet-counts.ts';
import { fold } from './fold.ts';
import type { Postings } from './id-set.ts';
import type { Listings } from './listings.ts';
import { searchGroups } from './text-index.ts';
import type { CatalogFilters, CatalogScope } from './types.ts';

/** The slots that match a query, one set per faceted filter so that a facet can leave its own filter out. */
export class Selection {
  readonly #listings: Listings;
  /** The slots that match the scope, the text and the location. */
  readonly #base: Bitmap;
  /** By faceted filter of the query, its values and the slots that match it. */
  readonly #choices = new Map<FacetName, { readonly values: readonly string[]; readonly slots: Bitmap }>();
  /** The scope, if nothing else limits the base. */
  readonly #wholeScope: CatalogScope | undefined;
  /** The slots of `#base` by the first text that the search finds; undefined when they are one group. */
  readonly #groups: readonly Bitmap[] | undefined;

  /** @param countsStatus whether the status is a facet; it is then a choice instead of a part of the scope. */
  constructor(
    listings: Listings,
    categories: CategoryList,
    scope: CatalogScope,
    filters: CatalogFilters,
    countsStatus = false,
  ) {
    this.#listings = listings;
    this.#base = slotsInScope(listings, countsStatus ? { ...scope, status: 'any' } : scope);
    if (countsStatus && scope.status !== 'any')
      this.#choices.set('status', { values: [scope.status], slots: slotsOfStatus(listings, scope) });
    if (filters.bbox) this.#base.and(listings.locations().addInBox(filters.bbox, listings.emptyBitmap()));
    if (filters.near) this.#base.and(listings.locations().addInCircle(filters.near, listings.emptyBitmap()));
    const q = foldedQuery(filters.q);
    if (q !== undefined) this.#groups = this.#search(q, filters.searchIn);
    const isWhole = !filters.bbox && !filters.near && q === undefined && scope.ownerId === undefined && !countsStatus;
    this.#wholeScope = isWhole ? scope : undefined;

    const { category, pricing, tag } = listings.attributes;
    const choose = <Value extends string>(name: FacetName, postings: Postings<Value>, values: readonly Value[]) =>
      this.#choices.set(name, { values, slots: postings.addAnyOf(values, listings.emptyBitmap()) });
    const chosen = [...new Set(filters.category?.map((slug) => categories.currentSlug(slug)))];
    if (chosen.length > 0) choose('category', category, chosen);
    if (filters.tag?.length) choose('tag', tag, filters.tag);
    if (filters.pricing) choose('pricing', pricing, [filters.pricing]);
    if (filters.sphere?.length) {
      const slugs = filters.sphere.flatMap((sphere) => categories.slugsBySphere().get(sphere) ?? []);
      const slots = category.addAnyOf(slugs, listings.emptyBitmap());
      this.#choices.set('sphere', { values: filters.sphere, slots });
    }
  }

  /** The slots that match all filters, or all except that of one facet. Read-only. */
  matches(without?: FacetName): Bitmap {
    const choices = [...this.#choices].filter(([name]) => name !== without);
    if (choices.length === 0) return this.#base;
    const matches = this.#copy(this.#base);
    for (const [, { slots }] of choices) matches.and(slots);
    return matches;
  }

  /** What a facet is counted among, if that is a scope with at most one filter besides its own. */
  facetBase(name: FacetName): FacetBase | undefined {
    const [other, ...more] = [...this.#choices].filter(([chosen]) => chosen !== name);
    if (!this.#wholeScope || more.length > 0) return undefined;
    const scope = this.#wholeScope;
    return other ? { scope, filter: { name: other[0], values: other[1].values } } : { scope };
  }

  /** The slots that match all filters, in disjoint groups; the order of the groups precedes any sort order. Read-only. */
  groups(): readonly Bitmap[] {
    const matches = this.matches();
    if (!this.#groups) return [matches];
    return this.#groups.map((group) => {
      const slots = this.#copy(matches);
      slots.and(group);
      return slots;
    });
  }

  /**
   * Narrows the base to the slots with a text that contains `q`.
   * @returns these by the first such text; undefined when the search has one text only.
   */
  #search(q: string, searchIn: CatalogFilters['searchIn']): readonly Bitmap[] | undefined {
    const texts = searchGroups[searchIn].map((name) => this.#listings.text(name));
    if (texts.length === 1) {
      texts[0]?.narrow(this.#base, q);
      return undefined;
    }
    const candidates = this.#copy(this.#base);
    const groups = texts.map((text) => {
      const found = this.#copy(candidates);
      text.narrow(found, q);
      candidates.andNot(found);
      return found;
    });
    // The remaining candidates match no text.
    this.#base.andNot(candidates);
    return groups;
  }

  #copy(slots: Bitmap): Bitmap {
    const copy = this.#listings.emptyBitmap();
    copy.or(slots);
    return copy;
  }
}

/** The folded search text; undefined when it is blank. */
export const foldedQuery = (q: string | undefined): string | undefined => {
  const folded = fold(q ?? '');
  return folded.trim() === '' ? undefined : folded;
};

const slotsOfStatus = (listings: Listings, scope: Pick<CatalogScope, 'status' | 'deleted'>): Bitmap => {
  const { present, deleted } = listings.attributes;
  const statuses = scope.status === 'any' ? Status.options : [scope.status];
  const slots = present.addAnyOf(statuses, listings.emptyBitmap());
  if (scope.deleted === 'included') deleted.addAnyOf(statuses, slots);
  return slots;
};

/** Starts a query. @returns the slots in its scope. */
export const slotsInScope = (listings: Listings, scope: CatalogScope): Bitmap => {
  listings.beginQuery();
  const { owner } = listings.attributes;
  const slots = slotsOfStatus(listings, scope);
  if (scope.ownerId !== undefined) slots.and(owner.addAnyOf([scope.ownerId], listings.emptyBitmap()));
  return slots;
};
