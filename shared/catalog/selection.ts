import { type FacetName, Status } from '#contract/projects.ts';
import type { Bitmap } from './bitmap.ts';
import type { CategoryList } from './category-list.ts';
import { fold } from './fold.ts';
import type { Listings } from './listings.ts';
import type { Postings } from './postings.ts';
import type { CatalogFilters, CatalogScope } from './types.ts';

/** The slots that a query matches, kept in parts so that facets can leave one filter out. */
export class Selection {
  readonly #listings: Listings;
  /** What the scope, the text and the place leave. */
  readonly #base: Bitmap;
  /** What each filter that has a facet lets through, where there is such a filter. */
  readonly #choices = new Map<FacetName, Bitmap>();

  constructor(listings: Listings, categories: CategoryList, scope: CatalogScope, filters: CatalogFilters) {
    this.#listings = listings;
    this.#base = inScope(listings, scope);
    if (filters.bbox) this.#base.and(listings.places().addInBox(filters.bbox, listings.noSlots()));
    if (filters.near) this.#base.and(listings.places().addInCircle(filters.near, listings.noSlots()));
    const q = searched(filters.q);
    if (q !== undefined) listings.text(filters.searchIn).narrow(this.#base, q);

    const { category, pricing } = listings.attributes;
    const choose = <Value extends string>(name: FacetName, postings: Postings<Value>, values: readonly Value[]) =>
      this.#choices.set(name, postings.addAnyOf(values, listings.noSlots()));
    if (filters.category?.length) choose('category', category, filters.category);
    if (filters.pricing) choose('pricing', pricing, [filters.pricing]);
    if (filters.sphere?.length) {
      const slugs = filters.sphere.flatMap((sphere) => categories.slugsBySphere().get(sphere) ?? []);
      choose('sphere', category, slugs);
    }
  }

  /** The slots that pass all filters, or all but that of one facet. The caller must not change them. */
  matches(without?: FacetName): Bitmap {
    const choices = [...this.#choices].filter(([name]) => name !== without);
    if (choices.length === 0) return this.#base;
    const matches = this.#listings.noSlots();
    matches.or(this.#base);
    for (const [, choice] of choices) matches.and(choice);
    return matches;
  }
}

/** What is looked for, folded; undefined when nothing is. */
export const searched = (q: string | undefined): string | undefined => {
  const folded = fold(q ?? '');
  return folded.trim() === '' ? undefined : folded;
};

/** Begins a question with the slots that a scope lets through. */
export const inScope = (listings: Listings, scope: CatalogScope): Bitmap => {
  listings.beginQuestion();
  const { present, deleted, owner } = listings.attributes;
  const statuses = scope.status === 'any' ? Status.options : [scope.status];
  const slots = present.addAnyOf(statuses, listings.noSlots());
  if (scope.deleted === 'included') deleted.addAnyOf(statuses, slots);
  if (scope.ownerId !== undefined) slots.and(owner.addAnyOf([scope.ownerId], listings.noSlots()));
  return slots;
};
