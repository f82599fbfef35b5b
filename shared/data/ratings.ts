import { now } from '#platform/clock.ts';
import { absent, is } from './conditions.ts';
import { changeCounts, projectIsOpen } from './counts.ts';
import { ofUser, ratingKey } from './keys.ts';
import { findItem } from './read.ts';
import { userIsThere } from './user-records.ts';
import { transact } from './write.ts';

/** A user's rating of a project, 1 to 5. */
export const findRating = async (projectId: string, userId: string): Promise<number | undefined> =>
  (await findItem(ratingKey(projectId, userId)))?.rating as number | undefined;

/**
 * Writes a rating in place of `previous`.
 * @throws 404 when the project is not open; ConditionFailed when the rating is not `previous` any more.
 */
export const replaceRating = async (
  projectId: string,
  userId: string,
  previous: number | undefined,
  rating: number,
): Promise<void> => {
  const ratedAt = now();
  await transact([
    projectIsOpen(projectId),
    userIsThere(userId),
    {
      put: {
        ...ratingKey(projectId, userId),
        ...ofUser(userId, 'RATING', projectId),
        type: 'rating',
        project_id: projectId,
        user_id: userId,
        rating,
        updated_at: ratedAt,
      },
      when: previous === undefined ? absent : is('rating', previous),
    },
    changeCounts(projectId, { ratings_sum: rating - (previous ?? 0), ratings_count: previous === undefined ? 1 : 0 }),
  ]);
};

/** Removes a rating. @throws 404 when the project is not open; ConditionFailed when it is not `previous` any more. */
export const removeRating = async (projectId: string, userId: string, previous: number): Promise<void> => {
  await transact([
    projectIsOpen(projectId),
    { remove: ratingKey(projectId, userId), when: is('rating', previous) },
    changeCounts(projectId, { ratings_sum: -previous, ratings_count: -1 }),
  ]);
};
