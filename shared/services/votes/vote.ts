import type { Upvote } from '#contract/votes.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { eraseVote } from '#data/erasure.ts';
import { deleteVote, hasVoted, insertVote, readVotesOfOthers } from '#data/votes.ts';
import type { UserRecord } from '#model/user.ts';
import { getOpenProject } from '#services/projects/get.ts';
import { unauthorized } from '#shared/errors.ts';

const changeVote = async (
  user: UserRecord,
  reference: string,
  next: (hasVote: boolean) => boolean,
): Promise<Upvote> => {
  const { project } = await getOpenProject(reference);
  const projectId = project.id;
  const upvoted = await retryOnConflict(async () => {
    const hasVote = await hasVoted(projectId, user.id);
    const votes = next(hasVote);
    if (votes && !hasVote) await insertVote(projectId, user.id);
    if (!votes && hasVote) await deleteVote(projectId, user.id);
    return votes;
  });
  const { others, userIsErased } = await readVotesOfOthers(projectId, user.id);
  if (userIsErased) {
    // A concurrent erasure may have looked for votes before this one was written.
    await eraseVote(projectId, user.id);
    throw unauthorized();
  }
  // Another request of the same user may have changed the vote since: the count is that of the others and this result.
  return { upvoted, upvote_count: others + (upvoted ? 1 : 0) };
};

/** Adds the user's upvote if there is none, and removes it otherwise. @throws 404 unless the project is open. */
export const toggleVote = (user: UserRecord, reference: string): Promise<Upvote> =>
  changeVote(user, reference, (hasVote) => !hasVote);

/** Adds the user's upvote; idempotent. @throws 404 unless the project is open. */
export const castVote = (user: UserRecord, reference: string): Promise<Upvote> =>
  changeVote(user, reference, () => true);

/** Removes the user's upvote; idempotent. @throws 404 unless the project is open. */
export const withdrawVote = (user: UserRecord, reference: string): Promise<Upvote> =>
  changeVote(user, reference, () => false);
