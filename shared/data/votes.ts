import { now } from '#platform/clock.ts';
import { changeCounts, projectIsOpen } from './counts.ts';
import { countsKey, inOwnerCollection, voteKey } from './keys.ts';
import { countsOf } from './projects.ts';
import { findItem, findItemsAtOnce } from './read.ts';
import { userNotErased } from './users.ts';
import { absent, exists, transact } from './write.ts';

export const hasVoted = async (projectId: string, userId: string): Promise<boolean> =>
  (await findItem(voteKey(projectId, userId))) !== undefined;

/** The number of votes of all users but this one. */
export const countVotesOfOthers = async (projectId: string, userId: string): Promise<number> => {
  const [vote, counts] = await findItemsAtOnce([voteKey(projectId, userId), countsKey(projectId)]);
  return Math.max(0, countsOf(counts).upvote_count - (vote ? 1 : 0));
};

/** @throws 404 when the project is not open; ConditionFailed when the vote exists. */
export const insertVote = async (projectId: string, userId: string): Promise<void> => {
  const createdAt = now();
  await transact([
    projectIsOpen(projectId),
    userNotErased(userId),
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
    changeCounts(projectId, { upvote_count: 1 }),
  ]);
};

/** @throws 404 when the project is not open; ConditionFailed when there is no vote. */
export const deleteVote = async (projectId: string, userId: string): Promise<void> => {
  await transact([
    projectIsOpen(projectId),
    { delete: voteKey(projectId, userId), when: exists },
    changeCounts(projectId, { upvote_count: -1 }),
  ]);
};
