import type { ProjectCounts, Recounted } from '#model/project.ts';
import { notFound } from '#shared/errors.ts';
import { countsKey, projectKey, projectPartition, projectPrefix } from './keys.ts';
import { collectionPages, countCollection } from './read.ts';
import { exists, is, lacks, transact } from './write.ts';

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

const countOpenReports = async (projectId: string): Promise<number> => {
  const pages = collectionPages({
    partition: projectPartition(projectId),
    prefix: projectPrefix.reports,
    only: ['pk', 'sk', 'status'],
  });
  let open = 0;
  for await (const items of pages) open += items.filter(({ status }) => status === 'open').length;
  return open;
};

/** Counts the stored votes, ratings, comments and open reports of a project. */
export const countReactions = async (projectId: string): Promise<Recounted> => {
  const partition = projectPartition(projectId);
  const [upvote_count, comments_count, ratings, reports_open] = await Promise.all([
    countCollection(partition, projectPrefix.votes),
    countCollection(partition, projectPrefix.comments),
    sumRatings(projectId),
    countOpenReports(projectId),
  ]);
  return { upvote_count, comments_count, ...ratings, reports_open };
};

/**
 * Replaces the counters of a project that can be recounted; others, such as views, stay.
 * @throws 404 when the project is deleted.
 * @throws {ConditionFailed} when the version of the stored counters differs from `previous`.
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
