import type { Rated, Upvote } from '#contract/reactions.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { eraseRating, eraseVote } from '#data/erasure.ts';
import {
  clearVote,
  deleteRating,
  findRating,
  findVote,
  readRatingsOfOthers,
  readVotesOfOthers,
  replaceRating,
  setVote,
  viewerState,
} from '#data/reactions.ts';
import { averageRating } from '#model/project.ts';
import type { UserRecord } from '#model/user.ts';
import { environment } from '#platform/environment.ts';
import { getOpenProject } from '#services/projects/read.ts';
import { unauthorized } from '#shared/errors.ts';

const changeVote = async (
  user: UserRecord,
  reference: string,
  network: string | undefined,
  next: (hasVote: boolean) => boolean,
): Promise<Upvote> => {
  const { project } = await getOpenProject(reference);
  const projectId = project.id;
  const voter = environment().features.vote_review ? { joinedAt: user.joined_at, network } : undefined;
  const upvoted = await retryOnConflict(async () => {
    const previous = await findVote(projectId, user.id);
    const votes = next(previous?.isSet === true);
    if (votes && !previous?.isSet) await setVote(projectId, user.id, previous, voter);
    if (!votes && previous?.isSet) await clearVote(projectId, user.id, previous);
    return votes;
  });
  const { others, isHeld, userIsErased } = await readVotesOfOthers(projectId, user.id);
  if (userIsErased) {
    // A concurrent erasure may have looked for votes before this one was written.
    await eraseVote(projectId, user.id);
    throw unauthorized();
  }
  // Another request of the same user may have changed the vote since: the count is that of the others and this result.
  return { upvoted, upvote_count: others + (upvoted && !isHeld ? 1 : 0) };
};

/**
 * Adds the user's upvote if there is none, and removes it otherwise.
 * @param network of the client, see `Voter`.
 * @throws 404 unless the project is open.
 */
export const toggleVote = (user: UserRecord, reference: string, network: string | undefined): Promise<Upvote> =>
  changeVote(user, reference, network, (hasVote) => !hasVote);

/** Adds the user's upvote; idempotent. @throws 404 unless the project is open. */
export const castVote = (user: UserRecord, reference: string, network: string | undefined): Promise<Upvote> =>
  changeVote(user, reference, network, () => true);

/** Removes the user's upvote; idempotent. @throws 404 unless the project is open. */
export const withdrawVote = (user: UserRecord, reference: string): Promise<Upvote> =>
  changeVote(user, reference, undefined, () => false);

/** A user's votes, ratings and bookmarks by project reference: id, slug or earlier slug. */
export const readReactions = (user: UserRecord, references: readonly string[]) => viewerState(user.id, references);

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
