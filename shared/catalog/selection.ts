import type { FacetName, MatchKind } from '#contract/projects.ts';
import type { CurrentField } from '#model/field.ts';
import type { Bitmap } from './bitmap.ts';
import type { CategoryList } from './category-list.ts';
import { type FacetFilter, type FilterCache, type FilteredScope, facetValues, type Matches } from './filters.ts';
import { fold } from './folded-text.ts';
import type { Sought } from './highlights.ts';
import type { Listings } from './listings.ts';
import { pastedAddress } from './pasted-address.ts';
import type { Ranking } from './ranking.ts';
import { SubstringRanking } from './substring-ranking.ts';
import { searchGroups } from './text-index.ts';
import type { CatalogFilters, CatalogScope, FacetCount, FieldFacet } from './types.ts';
import { queryWordsOf } from './word-match.ts';
import { WordSearch } from './word-search.ts';

/** How the text of a query was searched. */
export interface Searched {
  readonly match: MatchKind;
  readonly sought: Sought;
  /** Whether listings with at least half of the words match. */
  readonly relaxed: boolean;
  readonly ranking: Ranking;
}

/** The slots that match a query: its filters, then owner, location and text. */
export class Selection {
  readonly #listings: Listings;
  readonly #cache: FilterCache;
  readonly #scope: CatalogScope;
  readonly #filters: readonly FacetFilter[];
  readonly #fieldFilters: readonly { readonly fieldId: string; readonly slots: Bitmap }[];
  /** The slots of the scope that match owner, location and text; undefined when the query has none of them. */
  #narrowed: Bitmap | undefined;
  /** The slots of `#narrowed` by the first text that the search finds; undefined when they are one group. */
  readonly #groups: readonly Bitmap[] | undefined;
  /** How the text was searched; undefined without a search. */
  readonly search: Searched | undefined;

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
    this.#filters = facetFilters(filters, listings, categories, countsStatus ? scope.status : 'any');
    this.#fieldFilters = (filters.fields ?? []).map(({ field, condition }) => ({
      fieldId: field.id,
      slots: listings.column(field).addMatching(condition, listings.emptyBitmap()),
    }));

    const { bbox, near } = filters;
    const q = foldedQuery(filters.q);
    const { ownerId, ids, scheduled } = scope;
    if (ownerId === undefined && !ids && scheduled === undefined && !bbox && !near && q === undefined) return;
    const narrowed = listings.copyOf(this.#cache.of({ scope: this.#scope, filters: [] }).slots);
    if (ownerId !== undefined) narrowed.and(slotsOfOwner(listings, ownerId));
    if (ids) narrowed.and(slotsOfIds(listings, ids));
    if (scheduled !== undefined) narrowToScheduled(narrowed, listings, scheduled);
    if (bbox) narrowed.and(listings.locations().addInBox(bbox, listings.emptyBitmap()));
    if (near) narrowed.and(listings.locations().addInCircle(near, listings.emptyBitmap()));
    this.#narrowed = narrowed;
    if (q === undefined) return;
    const address = pastedAddress(filters.q ?? '');
    const isByWords = !address && (filters.match === 'words' || filters.match === 'fuzzy');
    const words = isByWords ? queryWordsOf(q, filters.match) : [];
    if (words.length > 0) {
      const ranking = new WordSearch(listings, categories, q, words, filters.longDescriptions === true);
      const relaxed = this.#narrowToWords(narrowed, words.length, ranking);
      this.search = { match: filters.match ?? 'substring', sought: words, relaxed, ranking };
    } else {
      const sought = address?.text ?? q;
      const sameAddress = address && slotsOf(listings, listings.urls().same(address.url));
      this.#groups = this.#search(narrowed, sought, filters.searchIn, sameAddress);
      const ranking = new SubstringRanking(listings, sought, filters.searchIn, sameAddress);
      this.search = { match: 'substring', sought, relaxed: false, ranking };
    }
  }

  /**
   * Keeps the slots with all words or, if none of them matches all filters, those with at least half of the words.
   * @returns whether the latter.
   */
  #narrowToWords(candidates: Bitmap, words: number, search: WordSearch): boolean {
    const withAtLeast = (least: number): Bitmap => {
      const slots = search.withWords(least);
      slots.and(candidates);
      return slots;
    };
    const strict = withAtLeast(words);
    this.#narrowed = strict;
    if (words === 1 || this.matches().total > 0) return false;
    this.#narrowed = withAtLeast(Math.ceil(words / 2));
    if (this.matches().total > 0) return true;
    this.#narrowed = strict;
    return false;
  }

  /** The slots that match everything, or everything except the filter of one facet. @param without a facet, or the id of a field. */
  matches(without?: string): Matches {
    const filters = this.#filters.filter(({ name }) => name !== without);
    const fieldFilters = this.#fieldFilters.filter(({ fieldId }) => fieldId !== without);
    if (fieldFilters.length === 0) {
      if (!this.#narrowed) return this.#cache.of({ scope: this.#scope, filters });
      if (filters.length === 0) return counted(this.#narrowed);
    }
    const slots = this.#listings.copyOf(this.#narrowed ?? this.#cache.of({ scope: this.#scope, filters }).slots);
    if (this.#narrowed && filters.length > 0) slots.and(this.#cache.of({ scope: this.#scope, filters }).slots);
    for (const filter of fieldFilters) slots.and(filter.slots);
    return counted(slots);
  }

  /** The listings that a facet is counted among; undefined unless they are a scope with at most one other filter. */
  facetBase(name: FacetName): FilteredScope | undefined {
    const filters = this.#filters.filter((filter) => filter.name !== name);
    const isNarrowed = this.#narrowed !== undefined || this.#fieldFilters.length > 0;
    return isNarrowed || filters.length > 1 ? undefined : { scope: this.#scope, filters };
  }

  /**
   * The slots that match everything, in disjoint groups; the order of the groups precedes any sort order.
   * @param sortField the field of the order: listings without a value of it come after the others of their group.
   */
  groups(sortField?: CurrentField): readonly Matches[] {
    const matches = this.matches();
    const groups = this.#groups ? this.#groups.map((group) => this.#shared(group, matches.slots)) : [matches];
    if (!sortField) return groups;
    const present = this.#listings.column(sortField).addPresent(this.#listings.emptyBitmap());
    return groups.flatMap(({ slots, total }) => {
      const withValue = this.#shared(slots, present);
      const others = this.#listings.copyOf(slots);
      others.andNot(present);
      return [withValue, { slots: others, total: total - withValue.total }];
    });
  }

  /**
   * Removes the slots without a text that contains `q`, except those that match anyway, like ones whose first text does.
   * @returns the others by the first such text; undefined when the search has one text only.
   */
  #search(
    slots: Bitmap,
    q: string,
    searchIn: CatalogFilters['searchIn'],
    matchAnyway: Bitmap | undefined,
  ): readonly Bitmap[] | undefined {
    const texts = searchGroups[searchIn].map((name) => this.#listings.text(name));
    matchAnyway?.and(slots);
    if (texts.length === 1) {
      texts[0]?.narrow(slots, q);
      if (matchAnyway) slots.or(matchAnyway);
      return undefined;
    }
    const candidates = this.#listings.copyOf(slots);
    const groups = texts.map((text, position) => {
      const found = this.#listings.copyOf(candidates);
      text.narrow(found, q);
      if (position === 0 && matchAnyway) found.or(matchAnyway);
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
  listings: Listings,
  categories: CategoryList,
  status: CatalogScope['status'],
): readonly FacetFilter[] => {
  const filters: FacetFilter[] = [];
  if (status !== 'any') filters.push({ name: 'status', values: [status] });
  if (category?.length) {
    filters.push({ name: 'category', values: [...new Set(category.map((slug) => categories.currentSlug(slug)))] });
  }
  if (tag?.length) {
    const spellings = tag.flatMap((one) => listings.tags().spellingsOf(one));
    filters.push({ name: 'tag', values: [...new Set(spellings)].sort() });
  }
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

const slotsOf = (listings: Listings, numbers: readonly number[]): Bitmap => {
  const slots = listings.emptyBitmap();
  for (const slot of numbers) slots.add(slot);
  return slots;
};

const slotsOfIds = (listings: Listings, ids: readonly string[]): Bitmap => {
  const slots = listings.emptyBitmap();
  for (const id of ids) {
    const slot = listings.rows.slotOf(id);
    if (slot !== undefined) slots.add(slot);
  }
  return slots;
};

/** Keeps the scheduled listings, or all others. */
export const narrowToScheduled = (slots: Bitmap, listings: Listings, isScheduled: boolean): void => {
  const scheduled = listings.emptyBitmap();
  for (const slot of listings.scheduled().slots) scheduled.add(slot);
  if (isScheduled) slots.and(scheduled);
  else slots.andNot(scheduled);
};

/** Starts a query. @returns the slots in its scope. */
export const slotsInScope = (listings: Listings, scope: CatalogScope): Bitmap => {
  listings.beginQuery();
  const slots = listings.inScope(scope);
  if (scope.ownerId !== undefined) slots.and(slotsOfOwner(listings, scope.ownerId));
  return slots;
};

/** Below one match in so many listings, counting by match is faster than counting by value. */
const SPARSE_RATIO = 32;

/** The tags of a facet; there may be any number of them. */
const TAGS_MAX = 100;

const shown = (name: FacetName, counts: readonly FacetCount[]): readonly FacetCount[] =>
  name === 'tag' ? counts.slice(0, TAGS_MAX) : counts;

/**
 * Counts the matching listings by value of one property, of tags in their most frequent spelling, ignoring the filter on that property. Sorted by descending
 * count, then by value; values without a match are omitted, and so are all but the most frequent tags.
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
  if (base) return shown(name, listings.facetCounts(categories).of(name, base, count));
  return shown(name, name === 'tag' ? listings.tags().merged(count()) : count());
};

/** Counts the values of a field among the listings that match everything except the filter on it. */
export const fieldFacet = (field: CurrentField, selection: Selection, listings: Listings): FieldFacet => {
  const { slots } = selection.matches(field.id);
  const column = listings.column(field);
  return { counts: mostFrequentFirst(column.countsIn(slots)), range: column.rangeIn(slots) };
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
