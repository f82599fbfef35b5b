import { now } from '#platform/clock.ts';
import { countReaction, countsOf } from './counts.ts';
import { countsKey, inOwnerCollection, userKey, voteKey } from './keys.ts';
import { findItem, findItemsAtOnce } from './read.ts';
import { isErased } from './users.ts';
import { absent, exists, transact } from './write.ts';

export const hasVoted = async (projectId: string, userId: string): Promise<boolean> =>
  (await findItem(voteKey(projectId, userId))) !== undefined;

/** The number of votes of all users but this one, and whether this one has been erased, at one moment. */
export const readVotesOfOthers = async (
  projectId: string,
  userId: string,
): Promise<{ readonly others: number; readonly userIsErased: boolean }> => {
  const keys = [voteKey(projectId, userId), countsKey(projectId), userKey(userId)];
  const [vote, counts, user] = await findItemsAtOnce(keys);
  return {
    others: Math.max(0, countsOf(counts).upvote_count - (vote ? 1 : 0)),
    userIsErased: isErased(user),
  };
};

/**
 * Inserts a vote. The caller then checks that the user has not been erased.
 * @throws 404 when the project is no longer open; ConditionFailed when the vote exists.
 */
export const insertVote = async (projectId: string, userId: string): Promise<void> => {
  const createdAt = now();
  await transact([
    {
      put: {
        ...voteKey(projectId, userId),
        ...inOwnerCollection(userId, 'VOTE', projectId),
        type: 'vote',
        project_id: projectId,
        user_id: userId,
        created_at: createdAt,
      },
      when: absent,
    },
    countReaction(projectId, { upvote_count: 1 }),
  ]);
};

/** @throws 404 when the project is no longer open; ConditionFailed when there is no vote. */
export const deleteVote = async (projectId: string, userId: string): Promise<void> => {
  await transact([
    { delete: voteKey(projectId, userId), when: exists },
    countReaction(projectId, { upvote_count: -1 }),
  ]);
};
