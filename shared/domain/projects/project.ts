import type { Plan, PricingType, Status } from '#contract/projects.ts';

/** A project as it is kept: everything but its counters, which stand in an item of their own. */
export interface ProjectRecord {
  readonly id: string;
  readonly slug: string;
  /** Slugs it answered to before; they stay taken until the project is purged. */
  readonly earlier_slugs: readonly string[];
  readonly plan: Plan;
  readonly name: string;
  readonly url: string;
  readonly description: string;
  readonly long_description: string | null;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  readonly logo_url: string | null;
  readonly screenshots: readonly string[];
  readonly video_url: string | null;
  readonly pricing_type: PricingType;
  readonly status: Status;
  readonly owner_id: string;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly address_city: string | null;
  readonly address_country: string | null;
  /** All times are ISO 8601 in UTC with milliseconds, so they sort as text. */
  readonly created_at: string;
  readonly updated_at: string;
  readonly published_at: string | null;
  readonly deleted_at: string | null;
  readonly rejection_reason: string | null;
  readonly paid_at: string | null;
  /** Grows by one with every write of the record; the tag of conditional requests and the order of replication. */
  readonly version: number;
}

/** The counters of a project. `version` grows with every write, independent of the record's. */
export interface ProjectCounts {
  readonly upvote_count: number;
  readonly ratings_sum: number;
  readonly ratings_count: number;
  readonly comments_count: number;
  readonly views_count: number;
  readonly version: number;
}

/** What a project without any reaction has. */
export const noCounts: ProjectCounts = {
  upvote_count: 0,
  ratings_sum: 0,
  ratings_count: 0,
  comments_count: 0,
  views_count: 0,
  version: 0,
};

/** The mean rating, rounded to two decimals; 0 without ratings. */
export const averageRating = (counts: Pick<ProjectCounts, 'ratings_sum' | 'ratings_count'>): number =>
  counts.ratings_count > 0 ? Math.round((counts.ratings_sum / counts.ratings_count) * 100) / 100 : 0;
