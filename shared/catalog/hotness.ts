import type { ProjectCounts, ProjectRecord } from '#domain/projects/project.ts';

/** A comment or a rating takes more effort than a click, so it says more about interest. */
const COMMENT_WEIGHT = 3;
const RATING_WEIGHT = 2;

/** Seconds of youth that weigh as much as ten times the reactions: half a day and a bit. */
const SECONDS_PER_TENFOLD = 45_000;

/**
 * How much a listing is trending: the order of magnitude of its reactions plus its time of publication. Only the difference
 * between two listings means anything, and it does not change by waiting, so pages stay stable while nobody reacts.
 */
export const hotness = (
  project: Pick<ProjectRecord, 'published_at' | 'created_at'>,
  counts: Pick<ProjectCounts, 'upvote_count' | 'comments_count' | 'ratings_count'>,
): number => {
  const reactions = counts.upvote_count + COMMENT_WEIGHT * counts.comments_count + RATING_WEIGHT * counts.ratings_count;
  // An order needs a number, also for a time that cannot be read.
  const seconds = (Date.parse(project.published_at ?? project.created_at) || 0) / 1000;
  return Math.log10(Math.max(1, reactions)) + seconds / SECONDS_PER_TENFOLD;
};
