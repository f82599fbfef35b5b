import type { PricingType, Status } from '#contract/projects.ts';
import { averageRating, type ProjectCounts, type ProjectRecord } from '#domain/projects/project.ts';
import { fold } from './fold.ts';
import { hotness } from './hotness.ts';
import type { Interned } from './interned.ts';
import { packedName, packTexts, unpackTexts } from './packed-texts.ts';

/** The values that orders compare: those of a listing, or those that a cursor remembers. */
export interface Sortable {
  readonly id: string;
  /** ISO 8601, of the creation. */
  readonly created: string;
  /** ISO 8601, of the publication or, before it, the creation. */
  readonly published: string;
  /** How many upvotes, at least 0. */
  readonly upvotes: number;
  /** The mean rating, rounded to two decimals. */
  readonly rating: number;
  /** How many ratings, at least 0. */
  readonly ratings: number;
  /** How many views, at least 0. */
  readonly views: number;
  /** Folded, at most `SORT_NAME_MAX` UTF-16 units. */
  readonly name: string;
  /** See `hotness`. */
  readonly hot: number;
}

/** How much of a folded name is compared: more than any real name has, and little enough for a cursor. */
export const SORT_NAME_MAX = 200;

/** What a row holds of a listing: what questions look at, each by itself, and all the rest as one text. */
export interface RowFields {
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

/** How many records stay unpacked after they were asked for: two hundred pages, some megabytes. */
const UNPACKED_MAX = 8192;

/** Rows whose record is unpacked, in turn: whoever comes next takes the place of the one that has been there longest. */
const unpacked: (Row | undefined)[] = new Array(UNPACKED_MAX).fill(undefined);
let nextUnpacked = 0;

/** One listing with its counters as the catalog holds it; replaced by another one when anything changes. */
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

  /** The row of a record. */
  static of(project: ProjectRecord, counts: ProjectCounts, interned: Interned): Row {
    return new Row({
      id: project.id,
      version: project.version,
      owner: interned.one(project.owner_id),
      status: interned.one(project.status) as Status,
      pricing: interned.one(project.pricing_type) as PricingType,
      categories: interned.list(project.categories),
      tags: interned.list(project.tags),
      latitude: project.latitude,
      longitude: project.longitude,
      created: project.created_at,
      publishedAt: project.published_at === project.created_at ? project.created_at : project.published_at,
      deletedAt: project.deleted_at,
      texts: packTexts(project),
      counts,
    });
  }

  /** The same listing with other counters. */
  withCounts(counts: ProjectCounts): Row {
    const row = new Row({ ...this, counts });
    row.#name = this.#name;
    return row;
  }

  /** The record, the same object for as long as it is asked for often. */
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

  /** The record, made anew: for whoever goes through all of them. */
  unpacked(): ProjectRecord {
    const texts = unpackTexts(this.texts);
    return {
      id: this.id,
      slug: texts.slug,
      earlier_slugs: texts.earlier_slugs,
      plan: texts.plan,
      name: texts.name,
      url: texts.url,
      description: texts.description,
      long_description: texts.long_description,
      categories: this.categories,
      tags: this.tags,
      logo_url: texts.logo_url,
      screenshots: texts.screenshots,
      video_url: texts.video_url,
      pricing_type: this.pricing,
      status: this.status,
      owner_id: this.owner,
      latitude: this.latitude,
      longitude: this.longitude,
      address_city: texts.address_city,
      address_country: texts.address_country,
      created_at: this.created,
      updated_at: texts.updated_at,
      published_at: this.publishedAt,
      deleted_at: this.deletedAt,
      rejection_reason: texts.rejection_reason,
      paid_at: texts.paid_at,
      version: this.version,
    };
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

  // Made when they are first asked for: many a process never sorts by them.

  get name(): string {
    this.#name ??= fold(packedName(this.texts)).slice(0, SORT_NAME_MAX);
    return this.#name;
  }

  get hot(): number {
    this.#hot ??= hotness({ published_at: this.publishedAt, created_at: this.created }, this.counts);
    return this.#hot;
  }
}
