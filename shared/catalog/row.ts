import { averageRating, type ProjectCounts, type ProjectRecord } from '#domain/projects/project.ts';
import { fold } from './fold.ts';
import { hotness } from './hotness.ts';

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

/** One listing with its counters as the catalog holds it; replaced by another one when anything changes. */
export class Row implements Sortable {
  readonly project: ProjectRecord;
  readonly counts: ProjectCounts;
  readonly name: string;
  readonly hot: number;

  /** `name` is given when it is known from an earlier row of the same name. */
  constructor(project: ProjectRecord, counts: ProjectCounts, name = fold(project.name).slice(0, SORT_NAME_MAX)) {
    this.project = project;
    this.counts = counts;
    this.name = name;
    this.hot = hotness(project, counts);
  }

  get id(): string {
    return this.project.id;
  }

  get created(): string {
    return this.project.created_at;
  }

  get published(): string {
    return this.project.published_at ?? this.project.created_at;
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
}
