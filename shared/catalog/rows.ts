import type { PricingType, Status } from '#contract/projects.ts';
import { type Fields, noFields } from '#model/field.ts';
import { averageRating, type ProjectCounts, type ProjectRecord } from '#model/project.ts';
import { trendingScore, weightedScore } from '#model/scores.ts';
import type { CategoryList } from './category-list.ts';
import { fold } from './folded-text.ts';
import { packedName, packedSearchTexts, packTexts, unpackTexts } from './packed-texts.ts';
import type { CatalogEntry } from './types.ts';

/** Interns strings that many listings share; entries live as long as the catalog. */
export class StringPool {
  readonly #texts = new Map<string, string>();

  intern(text: string): string {
    const interned = this.#texts.get(text);
    if (interned !== undefined) return interned;
    this.#texts.set(text, text);
    return text;
  }

  internAll(texts: readonly string[]): readonly string[] {
    if (texts.length === 0) return NONE;
    return texts.map((text) => this.intern(text));
  }
}

const NONE: readonly string[] = Object.freeze([]);

/** The values that orders compare, of a listing or decoded from a cursor. */
export interface Sortable {
  readonly id: string;
  /** ISO 8601. */
  readonly created: string;
  /** ISO 8601, of the publication; of the creation while unpublished. */
  readonly published: string;
  readonly upvotes: number;
  /** The mean rating, rounded to two decimals. */
  readonly rating: number;
  /** The number of ratings. */
  readonly ratings: number;
  /** See `weightedScore`. */
  readonly weightedRating: number;
  readonly views: number;
  /** Folded, at most `SORT_NAME_MAX` UTF-16 units. */
  readonly name: string;
  /** See `trendingScore`. */
  readonly trending: number;
}

/** The compared length of a folded name: longer than real names, short enough for a cursor. */
const SORT_NAME_MAX = 200;

/** The fields that text searches read. */
export type Searchable = Pick<ProjectRecord, 'name' | 'url' | 'description' | 'long_description' | 'tags'>;

/** How many unpacked records are cached: some pages. Most lists are joined from fragments, which need no record. */
const UNPACKED_MAX = 1024;

/** Ring buffer of the rows with a cached record: the next one evicts the oldest. */
const unpacked: (Row | undefined)[] = new Array(UNPACKED_MAX).fill(undefined);
let nextUnpacked = 0;

/** The stored fields of a row; all others are derived from them. */
type RowFields = Pick<
  Row,
  | 'id'
  | 'version'
  | 'owner'
  | 'status'
  | 'pricing'
  | 'categories'
  | 'tags'
  | 'latitude'
  | 'longitude'
  | 'created'
  | 'publishedAt'
  | 'deletedAt'
  | 'texts'
  | 'counts'
>;

/**
 * One listing with its counters in the catalog's compact form: what queries read are properties, everything else is packed
 * into one string. Immutable: a change creates another row.
 */
export class Row implements Sortable {
  readonly id: string;
  /** Of the record. */
  readonly version: number;
  readonly owner: string;
  readonly status: Status;
  readonly pricing: PricingType;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  /** Degrees. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly created: string;
  readonly publishedAt: string | null;
  readonly deletedAt: string | null;
  /** See `packTexts`. */
  readonly texts: string;
  readonly counts: ProjectCounts;
  #name: string | undefined;
  #trending: number | undefined;
  #project: ProjectRecord | undefined;

  constructor(fields: RowFields) {
    this.id = fields.id;
    this.version = fields.version;
    this.owner = fields.owner;
    this.status = fields.status;
    this.pricing = fields.pricing;
    this.categories = fields.categories;
    this.tags = fields.tags;
    this.latitude = fields.latitude;
    this.longitude = fields.longitude;
    this.created = fields.created;
    this.publishedAt = fields.publishedAt;
    this.deletedAt = fields.deletedAt;
    this.texts = fields.texts;
    this.counts = fields.counts;
  }

  static of(project: ProjectRecord, counts: ProjectCounts, strings: StringPool): Row {
    return new Row({
      id: project.id,
      version: project.version,
      owner: strings.intern(project.owner_id),
      status: strings.intern(project.status) as Status,
      pricing: strings.intern(project.pricing_type) as PricingType,
      categories: strings.internAll(project.categories),
      tags: strings.internAll(project.tags),
      latitude: project.latitude,
      longitude: project.longitude,
      created: project.created_at,
      publishedAt: project.published_at === project.created_at ? project.created_at : project.published_at,
      deletedAt: project.deleted_at,
      texts: packTexts(project),
      counts,
    });
  }

  withCounts(counts: ProjectCounts): Row {
    const row = new Row({ ...this, counts });
    row.#name = this.#name;
    return row;
  }

  /** The record from the cache, which is filled by this. */
  get project(): ProjectRecord {
    if (this.#project) return this.#project;
    const project = this.unpacked();
    const displaced = unpacked[nextUnpacked];
    if (displaced) displaced.#project = undefined;
    unpacked[nextUnpacked] = this;
    nextUnpacked = (nextUnpacked + 1) % UNPACKED_MAX;
    this.#project = project;
    return project;
  }

  /** A new record per call, not cached; for iteration over all rows. */
  unpacked(): ProjectRecord {
    return {
      ...unpackTexts(this.texts),
      id: this.id,
      categories: this.categories,
      tags: this.tags,
      pricing_type: this.pricing,
      status: this.status,
      owner_id: this.owner,
      latitude: this.latitude,
      longitude: this.longitude,
      created_at: this.created,
      published_at: this.publishedAt,
      deleted_at: this.deletedAt,
      version: this.version,
    };
  }

  /** What text searches read. A new object per call. */
  searchable(): Searchable {
    return { ...packedSearchTexts(this.texts), tags: this.tags };
  }

  get published(): string {
    return this.publishedAt ?? this.created;
  }

  get isScheduled(): boolean {
    if (this.status !== 'pending' || this.deletedAt !== null || this.publishedAt !== null) return false;
    return unpackTexts(this.texts).approved_at !== null;
  }

  get upvotes(): number {
    return this.counts.upvote_count;
  }

  get rating(): number {
    return averageRating(this.counts);
  }

  get ratings(): number {
    return this.counts.ratings_count;
  }

  get weightedRating(): number {
    return weightedScore(this.counts);
  }

  get views(): number {
    return this.counts.views_count;
  }

  // Computed on first use: many processes never sort by them.

  get name(): string {
    this.#name ??= fold(packedName(this.texts)).slice(0, SORT_NAME_MAX);
    return this.#name;
  }

  get trending(): number {
    this.#trending ??= trendingScore({ published_at: this.publishedAt, created_at: this.created }, this.counts);
    return this.#trending;
  }
}

/**
 * The listings, each in a numbered slot. Slots are dense, so that sets of listings can be bitmaps; freed slots are
 * reused.
 */
export class Rows {
  readonly #slots = new Map<string, number>();
  readonly #rows: (Row | undefined)[] = [];
  readonly #free: number[] = [];

  /** The number of listings. */
  get size(): number {
    return this.#slots.size;
  }

  /** One more than the greatest slot that was ever in use. */
  get capacity(): number {
    return this.#rows.length;
  }

  slotOf(id: string): number | undefined {
    return this.#slots.get(id);
  }

  /** The listing in a slot that is in use. */
  at(slot: number): Row {
    return this.#rows[slot] as Row;
  }

  /** The listing in a slot, if it is in use. */
  findAt(slot: number): Row | undefined {
    return this.#rows[slot];
  }

  find(id: string): Row | undefined {
    const slot = this.#slots.get(id);
    return slot === undefined ? undefined : this.#rows[slot];
  }

  /** Stores a new listing and returns its slot. */
  insert(row: Row): number {
    const slot = this.#free.pop() ?? this.#rows.length;
    this.#slots.set(row.id, slot);
    this.#rows[slot] = row;
    return slot;
  }

  /** Stores a newer state of the listing in a slot. */
  replace(slot: number, row: Row): void {
    this.#rows[slot] = row;
  }

  /** Frees the slot of a listing. */
  remove(slot: number): void {
    this.#slots.delete(this.at(slot).id);
    this.#rows[slot] = undefined;
    this.#free.push(slot);
  }

  /** The slots in use, ascending. */
  *slots(): IterableIterator<number> {
    for (let slot = 0; slot < this.#rows.length; slot += 1) if (this.#rows[slot]) yield slot;
  }
}

/** Visits the listings in the order of their slots, in steps. Those that are added to complete steps are not visited. */
export class Progress {
  readonly #rows: Rows;
  readonly #step: number;
  #to = 0;
  #isComplete = false;

  /** @param step the number of slots per step. */
  constructor(rows: Rows, step: number) {
    this.#rows = rows;
    this.#step = step;
  }

  /** Whether the step of a slot is complete. */
  includes(slot: number): boolean {
    return this.#isComplete || slot < this.#to;
  }

  /** @returns whether all steps are complete. */
  advance(steps: number, visit: (slot: number, row: Row) => void): boolean {
    for (let step = 0; step < steps && !this.#isComplete; step += 1) {
      const end = Math.min(this.#to + this.#step, this.#rows.capacity);
      for (let slot = this.#to; slot < end; slot += 1) {
        const row = this.#rows.findAt(slot);
        if (row) visit(slot, row);
      }
      this.#to = end;
      this.#isComplete = end === this.#rows.capacity;
    }
    return this.#isComplete;
  }
}

/** An index over the listings, updated one listing at a time. */
export interface ListingIndex {
  /** Whether two states of one listing differ in a field that is indexed. */
  isAffected(before: Row, after: Row): boolean;
  /** Adds a listing, which must not be indexed yet. */
  insert(slot: number, row: Row): void;
  /** Removes a listing, given in its indexed state. */
  remove(slot: number, row: Row): void;
}

/** A listing as readers of the catalog see it. Its record is unpacked when it is read. */
class Entry implements CatalogEntry {
  readonly row: Row;
  readonly spheres: readonly string[];
  readonly fields: Fields;

  constructor(row: Row, spheres: readonly string[], fields: Fields) {
    this.row = row;
    this.spheres = spheres;
    this.fields = fields;
  }

  get project(): ProjectRecord {
    return this.row.project;
  }

  get counts(): ProjectCounts {
    return this.row.counts;
  }
}

/** The entries of the listings, each the same object until its row or the categories change. */
export class Entries {
  readonly #rows: Rows;
  readonly #categories: CategoryList;
  /** By slot, created when they are read first. */
  readonly #entries: (Entry | undefined)[] = [];
  #fields = noFields;

  constructor(rows: Rows, categories: CategoryList) {
    this.#rows = rows;
    this.#categories = categories;
  }

  /** The entry in a slot that is in use. */
  at(slot: number): CatalogEntry {
    const row = this.#rows.at(slot);
    const known = this.#entries[slot];
    if (known?.row === row) return known;
    const entry = new Entry(row, this.#categories.spheresOf(row.categories), this.#fields);
    this.#entries[slot] = entry;
    return entry;
  }

  /** To be called after each change of the categories, from which spheres are derived. */
  categoriesChanged(): void {
    this.#entries.length = 0;
  }

  useFields(fields: Fields): void {
    this.#fields = fields;
    this.#entries.length = 0;
  }
}
