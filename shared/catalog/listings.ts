import { Status } from '#contract/projects.ts';
import { AttributeIndex, type AttributeName } from './attributes.ts';
import { type Bitmap, BitmapPool } from './bitmap.ts';
import type { CategoryList } from './category-list.ts';
import { FacetCounts } from './facet-counts.ts';
import { FilterCache, type FilterSources } from './filter-cache.ts';
import type { Postings } from './id-set.ts';
import type { ListingIndex } from './listing-index.ts';
import { LocationIndex } from './location-index.ts';
import { Order, type OrderName, orders } from './order.ts';
import type { Row } from './row.ts';
import { Rows } from './rows.ts';
import { SimilarityIndex } from './similarity-index.ts';
import { searchTexts, TextIndex } from './text-index.ts';
import type { CatalogScope } from './types.ts';
import { UrlIndex } from './url-index.ts';
import { WaitingWork } from './waiting-work.ts';

/**
 * All listings and their indexes. An index is built on first use and updated from then on: a process that never sorts
 * by name or searches text does not spend time or memory on it.
 */
export class Listings implements FilterSources {
  readonly rows = new Rows();
  readonly #pool = new BitmapPool();
  readonly #indexes = new Map<string, ListingIndex>();

  /** Adds listings that are not present yet. Indexes are built again on their next use. */
  insertAll(rows: readonly Row[]): void {
    for (const row of rows) this.rows.insert(row);
    this.#indexes.clear();
  }

  /** Adds a listing or replaces its earlier state. */
  put(row: Row): void {
    const slot = this.rows.slotOf(row.id);
    if (slot === undefined) {
      const newSlot = this.rows.insert(row);
      for (const index of this.#indexes.values()) index.insert(newSlot, row);
      return;
    }
    const before = this.rows.at(slot);
    const affected = [...this.#indexes.values()].filter((index) => index.isAffected(before, row));
    // An order finds the entry to remove by comparing rows, so the old row must stay in its slot until then.
    for (const index of affected) index.remove(slot, before);
    this.rows.replace(slot, row);
    for (const index of affected) index.insert(slot, row);
  }

  /** @returns whether the listing was present. */
  remove(id: string): boolean {
    const slot = this.rows.slotOf(id);
    if (slot === undefined) return false;
    const row = this.rows.at(slot);
    for (const index of this.#indexes.values()) index.remove(slot, row);
    this.rows.remove(slot);
    return true;
  }

  /** Starts a query and invalidates the bitmaps of the previous one. */
  beginQuery(): void {
    this.#pool.reclaim();
  }

  /** An empty set of slots, valid until the next `beginQuery`. */
  emptyBitmap(): Bitmap {
    return this.#pool.lend(this.rows.capacity);
  }

  /** A copy of a set of slots, valid until the next `beginQuery`. */
  copyOf(slots: Bitmap): Bitmap {
    return this.#pool.lendCopy(slots);
  }

  /** The slots of a scope, of every owner, valid until the next `beginQuery`. */
  inScope({ status, deleted }: Pick<CatalogScope, 'status' | 'deleted'>): Bitmap {
    const statuses = status === 'any' ? Status.options : [status];
    const slots = this.attribute('present').addAnyOf(statuses, this.emptyBitmap());
    return deleted === 'included' ? this.attribute('deleted').addAnyOf(statuses, slots) : slots;
  }

  /** The listings by value of an attribute. */
  attribute(name: AttributeName): Postings {
    return this.#index(name, () => this.#fill(new AttributeIndex(name))).postings;
  }

  /** All listings in an order. */
  order(name: OrderName): Order {
    return this.#index(name, () => new Order(this.rows, orders[name]));
  }

  /** All listings by publication: in this order, the index of the default sort order is built in linear time. */
  oldestFirst(): Row[] {
    const order = this.order('oldest');
    return Array.from({ length: order.length }, (_, rank) => this.rows.at(order.slotAt(rank)));
  }

  text(name: keyof typeof searchTexts): TextIndex {
    return this.#index(`${name} text`, () => new TextIndex(this.rows, searchTexts[name], () => this.emptyBitmap()));
  }

  locations(): LocationIndex {
    return this.#index('locations', () => this.#fill(new LocationIndex()));
  }

  facetCounts(categories: CategoryList): FacetCounts {
    return this.#index('facet counts', () => new FacetCounts(categories));
  }

  filterCache(categories: CategoryList): FilterCache {
    return this.#index('filter cache', () => new FilterCache(this, categories));
  }

  waitingWork(): WaitingWork {
    return this.#index('waiting work', () => this.#fill(new WaitingWork()));
  }

  urls(): UrlIndex {
    return this.#index('urls', () => this.#fill(new UrlIndex(this.rows)));
  }

  similarities(): SimilarityIndex {
    return this.#index('similarities', () => new SimilarityIndex(this.rows, () => this.urls()));
  }

  #index<Index extends ListingIndex>(name: string, build: () => Index): Index {
    const existing = this.#indexes.get(name);
    if (existing) return existing as Index;
    const index = build();
    this.#indexes.set(name, index);
    return index;
  }

  #fill<Index extends ListingIndex>(index: Index): Index {
    for (const slot of this.rows.slots()) index.insert(slot, this.rows.at(slot));
    return index;
  }
}
