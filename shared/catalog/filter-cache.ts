import type { AttributeName } from './attributes.ts';
import { Bitmap } from './bitmap.ts';
import type { CategoryList } from './category-list.ts';
import { type FacetFilter, type FilteredScope, isWithin, keyOf } from './filtered-scope.ts';
import type { Postings } from './id-set.ts';
import type { ListingIndex } from './listing-index.ts';
import type { Row } from './row.ts';

/** What filters are evaluated with. Bitmaps are valid until the end of the query. */
export interface FilterSources {
  emptyBitmap(): Bitmap;
  /** The slots of a scope, of every owner. */
  inScope(scope: FilteredScope['scope']): Bitmap;
  attribute(name: AttributeName): Postings;
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
