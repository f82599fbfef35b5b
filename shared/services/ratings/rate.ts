import type { Rated } from '#contract/ratings.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { eraseRating } from '#data/erasure.ts';
import { deleteRating, findRating, readRatingsOfOthers, replaceRating } from '#data/ratings.ts';
import { averageRating } from '#model/project.ts';
import type { UserRecord } from '#model/user.ts';
import { getOpenProject } from '#services/projects/get.ts';
import { unauthorized } from '#shared/errors.ts';

const changeRating = async (user: UserRecord, reference: string, rating: number | null): Promise<Rated> => {
  const { project } = await getOpenProject(reference);
  const projectId = project.id;
  await retryOnConflict(async () => {
    const previous = await findRating(projectId, user.id);
    if (rating !== null && rating !== previous) await replaceRating(projectId, user.id, previous, rating);
    if (rating === null && previous !== undefined) await deleteRating(projectId, user.id, previous);
  });
  const others = await readRatingsOfOthers(projectId, user.id);
  if (others.userIsErased) {
    // A concurrent erasure may have looked for ratings before this one was written.
    await eraseRating(projectId, user.id);
    throw unauthorized();
  }
  // Another request of the same user may have changed the rating since.
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
