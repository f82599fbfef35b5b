import type { FacetName } from '#contract/projects.ts';
import { Bitmap } from './bitmap.ts';
import type { CategoryList } from './category-list.ts';
import type { AttributeName, Postings } from './postings.ts';
import type { ListingIndex, Row } from './rows.ts';
import type { CatalogScope, FacetCount } from './types.ts';

/** One of the values is enough to match. Categories are given by their current slugs. */
export interface FacetFilter {
  readonly name: FacetName;
  readonly values: readonly string[];
}

/** The listings of a scope, of every owner, that match all filters. */
export interface FilteredScope {
  readonly scope: Pick<CatalogScope, 'status' | 'deleted'>;
  /** At most one per property; of tags every spelling. */
  readonly filters: readonly FacetFilter[];
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

/** Whether a listing belongs to a scope and matches its filters. */
const isWithin = (row: Row, { scope, filters }: FilteredScope, categories: CategoryList): boolean => {
  if (scope.deleted !== 'included' && (row.deletedAt !== null) !== (scope.deleted === 'only')) return false;
  if (scope.status !== 'any' && scope.status !== row.status) return false;
  return filters.every(({ name, values }) =>
    facetValues(name, row, categories).some((value) => values.includes(value)),
  );
};

/** A key in maps, equal for equal scopes with the same filters in the same order. */
export const keyOf = ({ scope, filters }: FilteredScope): string =>
  JSON.stringify([scope.status, scope.deleted, filters]);

/** What filters are evaluated with. Bitmaps are valid until the end of the query. */
export interface FilterSources {
  emptyBitmap(): Bitmap;
  /** The slots of a scope, of every owner. */
  inScope(scope: FilteredScope['scope']): Bitmap;
  attribute(name: AttributeName | 'tag'): Postings;
}

/** The slots that match a query. Read-only. */
export interface Matches {
  readonly slots: Bitmap;
  readonly total: number;
}

/** The memory of all bitmaps, in bytes: 130 filtered scopes of 500,000 listings. */
const BYTES_MAX = 8 * 1024 * 1024;
/** Each change of a listing is compared with all of them. */
const ENTRIES_MAX = 512;
/** More than a query uses at the same time: one per facet. */
const ENTRIES_MIN = 16;

interface CachedMatches {
  readonly within: FilteredScope;
  readonly slots: Bitmap;
  total: number;
}

/**
 * The listings of recently requested filtered scopes. They are determined once and then updated with each change of a
 * listing: the same filters are used for many pages, orders, searches and boxes.
 */
export class FilterCache implements ListingIndex {
  readonly #sources: FilterSources;
  readonly #categories: CategoryList;
  /** The least recently requested first. */
  readonly #entries = new Map<string, CachedMatches>();

  constructor(sources: FilterSources, categories: CategoryList) {
    this.#sources = sources;
    this.#categories = categories;
  }

  /** The result is valid until the end of the query. */
  of(within: FilteredScope): Matches {
    const key = keyOf(within);
    let entry = this.#entries.get(key);
    if (entry) {
      // Moves it to the end.
      this.#entries.delete(key);
    } else {
      const found = this.#find(within);
      entry = { within, slots: this.#storeCopy(found), total: found.count() };
    }
    this.#entries.set(key, entry);
    return entry;
  }

  /** To be called after each change of the categories, from which spheres are derived. */
  categoriesChanged(): void {
    this.#entries.clear();
  }

  isAffected(before: Row, after: Row): boolean {
    return before.version !== after.version;
  }

  insert(slot: number, row: Row): void {
    for (const entry of this.#entries.values()) {
      if (!isWithin(row, entry.within, this.#categories)) continue;
      entry.slots.add(slot);
      entry.total += 1;
    }
  }

  remove(slot: number, row: Row): void {
    for (const entry of this.#entries.values()) {
      if (!isWithin(row, entry.within, this.#categories)) continue;
      entry.slots.delete(slot);
      entry.total -= 1;
    }
  }

  #find({ scope, filters }: FilteredScope): Bitmap {
    const slots = this.#sources.inScope(scope);
    for (const filter of filters) slots.and(this.#matching(filter));
    return slots;
  }

  #matching({ name, values }: FacetFilter): Bitmap {
    const sources = this.#sources;
    const slots = sources.emptyBitmap();
    if (name === 'status') {
      return sources.attribute('deleted').addAnyOf(values, sources.attribute('present').addAnyOf(values, slots));
    }
    if (name !== 'sphere') return sources.attribute(name).addAnyOf(values, slots);
    const slugsBySphere = this.#categories.slugsBySphere();
    const slugs = values.flatMap((sphere) => slugsBySphere.get(sphere) ?? []);
    return sources.attribute('category').addAnyOf(slugs, slots);
  }

  /** Copies into the bitmap of the least recently requested entry when the cache is full. */
  #storeCopy(found: Bitmap): Bitmap {
    const entriesMax = Math.max(ENTRIES_MIN, Math.min(ENTRIES_MAX, Math.floor((BYTES_MAX * 8) / found.capacity)));
    let slots: Bitmap | undefined;
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size < entriesMax) break;
      this.#entries.delete(key);
      slots = entry.slots;
    }
    slots ??= new Bitmap();
    slots.copy(found);
    return slots;
  }
}

/** By descending count, then by value. */
export const byCount = (a: FacetCount, b: FacetCount): number => b.count - a.count || (a.value < b.value ? -1 : 1);

type MergedTags = (counts: readonly FacetCount[]) => readonly FacetCount[];

interface MaintainedFacet {
  /** Of tags by spelling. */
  readonly counts: Map<string, number>;
  /** The sorted counts, of tags merged; undefined after a change. */
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
  readonly #mergedTags: MergedTags;
  /** The least recently requested first. */
  readonly #bases = new Map<string, MaintainedBase>();
  #values = 0;

  /** @param mergedTags makes counts by tag of counts by spelling. */
  constructor(categories: CategoryList, mergedTags: MergedTags) {
    this.#categories = categories;
    this.#mergedTags = mergedTags;
  }

  /**
   * @param base the listings among which the facet is counted, of at most one filter.
   * @param count counts the facet, the most frequent values first; it is called when its counts are not maintained yet.
   */
  of(name: FacetName, base: FilteredScope, count: () => readonly FacetCount[]): readonly FacetCount[] {
    const { facets } = this.#maintained(base);
    const known = facets.get(name);
    if (known) {
      known.sorted ??= this.#shown(
        name,
        Array.from(known.counts, ([value, listings]) => ({ value, count: listings })).sort(byCount),
      );
      return known.sorted;
    }
    const counted = count();
    const counts = new Map(counted.map(({ value, count: listings }) => [value, listings]));
    const sorted = this.#shown(name, counted);
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

  #shown(name: FacetName, counts: readonly FacetCount[]): readonly FacetCount[] {
    return name === 'tag' ? this.#mergedTags(counts) : counts;
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
