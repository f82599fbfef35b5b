import type { ProjectCounts, ProjectRecord } from './project.ts';

/** The published parameters of the computed orders. */
export const ranking = {
  /** A comment or a rating takes more effort than a click, so it says more about interest. */
  trending: { upvote: 1, comment: 3, rating: 2, tenfold_hours: 12.5 },
  weighted_rating: { prior: 3, weight: 5 },
} as const;

const HOUR_MS = 3_600_000;

type Reactions = Pick<ProjectCounts, 'upvote_count' | 'comments_count' | 'ratings_count'>;

/** The parts of the trending score. */
export const trendingParts = (
  project: Pick<ProjectRecord, 'published_at' | 'created_at'>,
  { upvote_count, comments_count, ratings_count }: Reactions,
) => {
  const { upvote, comment, rating } = ranking.trending;
  return {
    weighted_sum: upvote * upvote_count + comment * comments_count + rating * ratings_count,
    // Sorting needs a number even for an invalid time.
    hours: (Date.parse(project.published_at ?? project.created_at) || 0) / HOUR_MS,
  };
};

/**
 * The trending score: the order of magnitude of the reactions plus the time of publication. Being published `tenfold_hours`
 * later weighs as much as ten times the reactions. The difference between two listings does not depend on the current time, so
 * pages are stable as long as there are no new reactions.
 */
export const trendingScore = (...args: Parameters<typeof trendingParts>): number => {
  const { weighted_sum, hours } = trendingParts(...args);
  return Math.log10(Math.max(1, weighted_sum)) + hours / ranking.trending.tenfold_hours;
};

/** The mean rating with `weight` further ratings of `prior`, so that few ratings say little. */
export const weightedScore = ({
  ratings_sum,
  ratings_count,
}: Pick<ProjectCounts, 'ratings_sum' | 'ratings_count'>): number => {
  const { prior, weight } = ranking.weighted_rating;
  return (prior * weight + ratings_sum) / (weight + ratings_count);
};

/** Rounded to two decimals. */
export const weightedRating = (counts: Parameters<typeof weightedScore>[0]): number =>
  Math.round(weightedScore(counts) * 100) / 100;
