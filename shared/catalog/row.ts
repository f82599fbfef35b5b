import type { PricingType, Status } from '#contract/projects.ts';
import { averageRating, type ProjectCounts, type ProjectRecord } from '#model/project.ts';
import { fold } from './fold.ts';
import { packedName, packedSearchTexts, packTexts, unpackTexts } from './packed-texts.ts';

/** A comment or a rating takes more effort than a click, so it says more about interest. */
const COMMENT_WEIGHT = 3;
const RATING_WEIGHT = 2;

/** Being published this much later weighs as much as ten times the reactions: 12.5 hours. */
const SECONDS_PER_TENFOLD = 45_000;

/**
 * The trending score: the order of magnitude of the reactions plus the time of publication. The difference between two
 * listings does not depend on the current time, so pages are stable as long as there are no new reactions.
 */
export const hotness = (
  project: Pick<ProjectRecord, 'published_at' | 'created_at'>,
  counts: Pick<ProjectCounts, 'upvote_count' | 'comments_count' | 'ratings_count'>,
): number => {
  const reactions = counts.upvote_count + COMMENT_WEIGHT * counts.comments_count + RATING_WEIGHT * counts.ratings_count;
  // Sorting needs a number even for an invalid time.
  const seconds = (Date.parse(project.published_at ?? project.created_at) || 0) / 1000;
  return Math.log10(Math.max(1, reactions)) + seconds / SECONDS_PER_TENFOLD;
};

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

/** The values that orders compare: those of a listing, or those encoded in a cursor. */
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
  readonly views: number;
  /** Folded, at most `SORT_NAME_MAX` UTF-16 units. */
  readonly name: string;
  /** See `hotness`. */
  readonly hot: number;
}

/** The compared length of a folded name: longer than real names, short enough for a cursor. */
const SORT_NAME_MAX = 200;

/** The fields of a row: those that queries read as properties of their own, all others packed into one string. */
interface RowFields {
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
}

/** The fields that text searches read. */
export type Searchable = Pick<ProjectRecord, 'name' | 'url' | 'description' | 'tags'>;

/** How many unpacked records are cached: some pages. Most lists are joined from fragments, which need no record. */
const UNPACKED_MAX = 1024;

/** Ring buffer of the rows with a cached record: the next one evicts the oldest. */
const unpacked: (Row | undefined)[] = new Array(UNPACKED_MAX).fill(undefined);
let nextUnpacked = 0;

/** One listing with its counters in the catalog's compact form. Immutable: a change creates another row. */
export class Row implements Sortable, RowFields {
  readonly id: string;
  readonly version: number;
  readonly owner: string;
  readonly status: Status;
  readonly pricing: PricingType;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly created: string;
  readonly publishedAt: string | null;
  readonly deletedAt: string | null;
  readonly texts: string;
  readonly counts: ProjectCounts;
  #name: string | undefined;
  #hot: number | undefined;
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

  get upvotes(): number {
    return this.counts.upvote_count;
  }

  get rating(): number {
    return averageRating(this.counts);
  }

  get ratings(): number {
    return this.counts.ratings_count;
  }

  get views(): number {
    return this.counts.views_count;
  }

  // Computed on first use: many processes never sort by them.

  get name(): string {
    this.#name ??= fold(packedName(this.texts)).slice(0, SORT_NAME_MAX);
    return this.#name;
  }

  get hot(): number {
    this.#hot ??= hotness({ published_at: this.publishedAt, created_at: this.created }, this.counts);
    return this.#hot;
  }
}
