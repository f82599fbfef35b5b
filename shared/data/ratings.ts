import type { ProjectCounts } from '#model/project.ts';
import { now } from '#platform/clock.ts';
import { countReaction, countsOf } from './counts.ts';
import { countsKey, inOwnerCollection, ratingKey, userKey } from './keys.ts';
import { findItem, findItemsAtOnce, type Item } from './read.ts';
import { isErased } from './users.ts';
import { absent, is, transact } from './write.ts';

const ratingOf = (item: Item | undefined): number | undefined => item?.rating as number | undefined;

/** A user's rating of a project, 1 to 5. */
export const findRating = async (projectId: string, userId: string): Promise<number | undefined> =>
  ratingOf(await findItem(ratingKey(projectId, userId)));

/** The sum and the number of the ratings of all users but this one, and whether this one has been erased, at one moment. */
export const readRatingsOfOthers = async (
  projectId: string,
  userId: string,
): Promise<Pick<ProjectCounts, 'ratings_sum' | 'ratings_count'> & { readonly userIsErased: boolean }> => {
  const keys = [ratingKey(projectId, userId), countsKey(projectId), userKey(userId)];
  const [item, counts, user] = await findItemsAtOnce(keys);
  const { ratings_sum, ratings_count } = countsOf(counts);
  const own = ratingOf(item);
  return {
    ratings_sum: Math.max(0, ratings_sum - (own ?? 0)),
    ratings_count: Math.max(0, ratings_count - (own === undefined ? 0 : 1)),
    userIsErased: isErased(user),
  };
};

/**
 * Replaces a rating, or inserts it if `previous` is undefined. The caller then checks that the user has not been erased.
 * @throws 404 when the project is no longer open; ConditionFailed when the stored rating is not `previous`.
 */
export const replaceRating = async (
  projectId: string,
  userId: string,
  previous: number | undefined,
  rating: number,
): Promise<void> => {
  const ratedAt = now();
  await transact([
    {
      put: {
        ...ratingKey(projectId, userId),
        ...inOwnerCollection(userId, 'RATING', projectId),
        type: 'rating',
        project_id: projectId,
        user_id: userId,
        rating,
        updated_at: ratedAt,
      },
      when: previous === undefined ? absent : is('rating', previous),
    },
    countReaction(projectId, { ratings_sum: rating - (previous ?? 0), ratings_count: previous === undefined ? 1 : 0 }),
  ]);
};

/** @throws 404 when the project is no longer open; ConditionFailed when the stored rating is not `previous`. */
export const deleteRating = async (projectId: string, userId: string, previous: number): Promise<void> => {
  await transact([
    { delete: ratingKey(projectId, userId), when: is('rating', previous) },
    countReaction(projectId, { ratings_sum: -previous, ratings_count: -1 }),
  ]);
};
