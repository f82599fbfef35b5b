import { type FacetName, Status } from '#contract/projects.ts';
import type { Bitmap } from './bitmap.ts';
import type { CategoryList } from './category-list.ts';
import { fold } from './fold.ts';
import type { Listings } from './listings.ts';
import type { CatalogFilters, CatalogScope } from './types.ts';

/** The slots that a query matches, kept in parts so that facets can leave one filter out. */
export class Selection {
  /** What the scope, the text and the place leave. */
  readonly #base: Bitmap;
  /** What each filter that has a facet lets through, where there is such a filter. */
  readonly #choices = new Map<FacetName, Bitmap>();

  constructor(listings: Listings, categories: CategoryList, scope: CatalogScope, filters: CatalogFilters) {
    this.#base = inScope(listings, scope);
    if (filters.bbox) listings.places().narrowToBox(this.#base, filters.bbox);
    if (filters.near) listings.places().narrowToCircle(this.#base, filters.near);
    const q = fold(filters.q ?? '');
    if (q.trim() !== '') listings.text(filters.searchIn).narrow(this.#base, q);

    const { category, pricing } = listings.attributes;
    const { capacity } = listings.rows;
    if (filters.category?.length) this.#choices.set('category', category.anyOf(filters.category, capacity));
    if (filters.pricing) this.#choices.set('pricing', pricing.anyOf([filters.pricing], capacity));
    if (filters.sphere?.length) {
      const slugs = filters.sphere.flatMap((sphere) => categories.slugsBySphere().get(sphere) ?? []);
      this.#choices.set('sphere', category.anyOf(slugs, capacity));
    }
  }

  /** The slots that pass all filters, or all but that of one facet. The caller must not change them. */
  matches(without?: FacetName): Bitmap {
    const choices = [...this.#choices].filter(([name]) => name !== without);
    if (choices.length === 0) return this.#base;
    const matches = this.#base.clone();
    for (const [, choice] of choices) matches.and(choice);
    return matches;
  }
}

/** The slots that a scope lets through. */
export const inScope = (listings: Listings, scope: CatalogScope): Bitmap => {
  const { present, deleted, owner } = listings.attributes;
  const statuses = scope.status === 'any' ? Status.options : [scope.status];
  const slots = present.anyOf(statuses, listings.rows.capacity);
  if (scope.deleted === 'included') slots.or(deleted.anyOf(statuses));
  if (scope.ownerId !== undefined) slots.and(owner.anyOf([scope.ownerId]));
  return slots;
};
