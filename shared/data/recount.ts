import type { ProjectCounts } from '#domain/projects/project.ts';
import type { Recounted } from '#domain/projects/recount.ts';
import { notFound } from '#shared/errors.ts';
import { exists, is, lacks } from './conditions.ts';
import { countsKey, projectKey, projectPartition, projectPrefix } from './keys.ts';
import { collectionPages, countCollection } from './read.ts';
import { transact } from './write.ts';

const sumRatings = async (projectId: string): Promise<Pick<Recounted, 'ratings_sum' | 'ratings_count'>> => {
  const pages = collectionPages({
    partition: projectPartition(projectId),
    prefix: projectPrefix.ratings,
    only: ['pk', 'sk', 'rating'],
  });
  let [ratings_sum, ratings_count] = [0, 0];
  for await (const items of pages) {
    ratings_count += items.length;
    for (const { rating } of items) ratings_sum += Number(rating);
  }
  return { ratings_sum, ratings_count };
};

/** Counts the votes, ratings and comments that a project has. */
export const countReactions = async (projectId: string): Promise<Recounted> => {
  const partition = projectPartition(projectId);
  const [upvote_count, comments_count, ratings] = await Promise.all([
    countCollection(partition, projectPrefix.votes),
    countCollection(partition, projectPrefix.comments),
    sumRatings(projectId),
  ]);
  return { upvote_count, comments_count, ...ratings };
};

/**
 * Replaces what can be counted anew of a project's counters.
 * @throws 404 when the project is gone; ConditionFailed when the counters are not of `previous` version any more.
 */
export const replaceCounts = async (
  projectId: string,
  previous: ProjectCounts,
  next: Recounted & Pick<ProjectCounts, 'version'>,
): Promise<void> => {
  await transact([
    { check: projectKey(projectId), when: exists, orElse: notFound },
    {
      update: countsKey(projectId),
      inFeed: true,
      change: { set: { type: 'counts', project_id: projectId, ...next } },
      when: previous.version === 0 ? lacks('version') : is('version', previous.version),
    },
  ]);
};
