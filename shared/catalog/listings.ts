import { Status } from '#contract/projects.ts';
import { type CurrentField, type Fields, searchedFields, searchedTexts } from '#model/field.ts';
import { type Bitmap, BitmapPool } from './bitmap.ts';
import type { CategoryList } from './category-list.ts';
import { MapSquares } from './clusters.ts';
import { FieldColumn } from './field-column.ts';
import { FacetCounts, FilterCache, type FilterSources } from './filters.ts';
import { LocationIndex } from './location-index.ts';
import { ListingOrder, type OrderName, orders } from './order.ts';
import { hasPendingEdit, packedFieldValues } from './packed-texts.ts';
import { AttributeIndex, type AttributeName, type Postings } from './postings.ts';
import { type ListingIndex, type Row, Rows } from './rows.ts';
import { SimilarityIndex, UrlIndex } from './similarity.ts';
import { TagIndex } from './tag-index.ts';
import { joinedTexts, searchTexts, TextIndex, type TextName } from './text-index.ts';
import type { CatalogScope } from './types.ts';

/**
 * All listings and their indexes. An index is built on first use and updated from then on: a process that never sorts
 * by name or searches text does not spend time or memory on it.
 */
export class Listings implements FilterSources {
  readonly rows = new Rows();
  readonly #pool = new BitmapPool();
  readonly #indexes = new Map<string, ListingIndex>();
  #searchedFields: readonly CurrentField[] = [];

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
    this.#pool.release();
  }

  /** An empty set of slots, valid until the next `beginQuery`. */
  emptyBitmap(): Bitmap {
    return this.#pool.acquire(this.rows.capacity);
  }

  /** A copy of a set of slots, valid until the next `beginQuery`. */
  copyOf(slots: Bitmap): Bitmap {
    return this.#pool.acquireCopy(slots);
  }

  /** The slots of a scope, of every owner, valid until the next `beginQuery`. */
  inScope({ status, deleted }: Pick<CatalogScope, 'status' | 'deleted'>): Bitmap {
    const statuses = status === 'any' ? Status.options : [status];
    const slots = this.emptyBitmap();
    if (deleted !== 'only') this.attribute('present').addAnyOf(statuses, slots);
    return deleted === 'excluded' ? slots : this.attribute('deleted').addAnyOf(statuses, slots);
  }

  /** The listings by value of an attribute. */
  attribute(name: AttributeName | 'tag'): Postings {
    if (name === 'tag') return this.tags().postings;
    return this.#index(name, () => this.#fill(new AttributeIndex(name))).postings;
  }

  tags(): TagIndex {
    return this.#index('tags', () => this.#fill(new TagIndex()));
  }

  /** All listings in an order. */
  order(name: OrderName): ListingOrder {
    return this.#index(name, () => new ListingOrder(this.rows, orders[name]));
  }

  /** The values of a field. */
  column(field: CurrentField): FieldColumn {
    const name = `field ${field.id}`;
    const known = this.#indexes.get(name) as FieldColumn | undefined;
    if (known && !known.holds(field)) this.#indexes.delete(name);
    return this.#index(name, () => new FieldColumn(this.rows, field));
  }

  /** Discards the values and texts of fields that are gone or have changed. */
  useFields(fields: Fields): void {
    const searched = searchedFields(fields);
    if (searchedShape(searched) !== searchedShape(this.#searchedFields)) this.#indexes.delete(indexOfText('fields'));
    this.#searchedFields = searched;
    for (const [name, index] of this.#indexes) {
      if (!(index instanceof FieldColumn)) continue;
      const field = fields.withId(index.fieldId);
      if (!field || !index.holds(field)) this.#indexes.delete(name);
    }
  }

  /** All listings by publication: in this order, the index of the default sort order is built in linear time. */
  oldestFirst(): Row[] {
    const order = this.order('oldest');
    return Array.from({ length: order.length }, (_, rank) => this.rows.at(order.slotAt(rank)));
  }

  text(name: TextName): TextIndex {
    const textOf =
      name === 'fields'
        ? fieldsTextOf(this.#searchedFields)
        : (row: Row): string => searchTexts[name](row.searchable());
    return this.#index(
      indexOfText(name),
      () => new TextIndex(this.rows, textOf, () => this.emptyBitmap(), name === 'public'),
    );
  }

  /** The texts whose words are searched. @param longDescriptions whether they are among them. */
  wordTexts(longDescriptions: boolean): readonly TextName[] {
    return [
      'public',
      ...(this.#searchedFields.length > 0 ? (['fields'] as const) : []),
      ...(longDescriptions ? (['longDescription'] as const) : []),
    ];
  }

  locations(): LocationIndex {
    return this.#index('locations', () => this.#fill(new LocationIndex()));
  }

  squares(): MapSquares {
    return this.#index('squares', () => this.#fill(new MapSquares()));
  }

  facetCounts(categories: CategoryList): FacetCounts {
    return this.#index('facet counts', () => new FacetCounts(categories, (counts) => this.tags().merged(counts)));
  }

  filterCache(categories: CategoryList): FilterCache {
    return this.#index('filter cache', () => new FilterCache(this, categories));
  }

  pendingWork(): PendingWork {
    return this.#index('pending work', () => this.#fill(new PendingWork()));
  }

  /** The scheduled listings. */
  scheduled(): ScheduledIndex {
    return this.#index('scheduled', () => this.#fill(new ScheduledIndex()));
  }

  urls(): UrlIndex {
    return this.#index('urls', () => new UrlIndex(this.rows));
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

const indexOfText = (name: TextName): string => `${name} text`;

/** What of the searched fields decides what is found in them. */
const searchedShape = (fields: readonly CurrentField[]): string =>
  JSON.stringify(fields.map(({ id, type, options, within }) => [id, type, options, within && [...within].sort()]));

/** Begins with an empty text, because the first one is indexed as a name. */
const fieldsTextOf =
  (fields: readonly CurrentField[]) =>
  ({ texts, categories }: Row): string => {
    const field_values = packedFieldValues(texts);
    return field_values === null ? '' : joinedTexts('', ...searchedTexts(fields, { field_values, categories }));
  };

/** The slots of the listings that are approved and become public later: few of them. */
class ScheduledIndex implements ListingIndex {
  readonly slots = new Set<number>();

  isAffected(before: Row, after: Row): boolean {
    return before.version !== after.version;
  }

  insert(slot: number, row: Row): void {
    if (row.isScheduled) this.slots.add(slot);
  }

  remove(slot: number, _row: Row): void {
    this.slots.delete(slot);
  }
}

/** The number of pending edits and of open reports of all listings. */
class PendingWork implements ListingIndex {
  #edits = 0;
  #reports = 0;

  get edits(): number {
    return this.#edits;
  }

  get reports(): number {
    return this.#reports;
  }

  isAffected(before: Row, after: Row): boolean {
    return before.version !== after.version || before.counts.reports_open !== after.counts.reports_open;
  }

  insert(_slot: number, row: Row): void {
    this.#add(row, 1);
  }

  remove(_slot: number, row: Row): void {
    this.#add(row, -1);
  }

  #add({ texts, counts }: Row, sign: 1 | -1): void {
    if (hasPendingEdit(texts)) this.#edits += sign;
    this.#reports += sign * counts.reports_open;
  }
}
