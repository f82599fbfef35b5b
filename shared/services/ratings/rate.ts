import type { Rated } from '#contract/ratings.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { deleteRating, findRating, replaceRating, sumRatingsOfOthers } from '#data/ratings.ts';
import { averageRating } from '#model/project.ts';
import type { UserRecord } from '#model/user.ts';
import { getOpenProject } from '#services/projects/get.ts';

const changeRating = async (user: UserRecord, reference: string, rating: number | null): Promise<Rated> => {
  const { project } = await getOpenProject(reference);
  const projectId = project.id;
  await retryOnConflict(async () => {
    const previous = await findRating(projectId, user.id);
    if (rating !== null && rating !== previous) await replaceRating(projectId, user.id, previous, rating);
    if (rating === null && previous !== undefined) await deleteRating(projectId, user.id, previous);
  });
  // Another request of the same user may have changed the rating since.
  const others = await sumRatingsOfOthers(projectId, user.id);
  const ratings_count = others.ratings_count + (rating === null ? 0 : 1);
  const ratings_sum = others.ratings_sum + (rating ?? 0);
  return { rating, average_rating: averageRating({ ratings_sum, ratings_count }), ratings_count };
};

/** Sets the user's rating, 1 to 5. @throws 404 unless the project is open. */
export const rateProject = (user: UserRecord, reference: string, rating: number): Promise<Rated> =>
  changeRating(user, reference, rating);

/** Removes the user's rating; idempotent. @throws 404 unless the project is open. */
export const unrateProject = (user: UserRecord, reference: string): Promise<Rated> =>
  changeRating(user, reference, null);
