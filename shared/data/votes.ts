import { now } from '#platform/clock.ts';
import { absent, exists } from './conditions.ts';
import { changeCounts, projectIsOpen } from './counts.ts';
import { ofUser, voteKey } from './keys.ts';
import { findItem } from './read.ts';
import { userIsThere } from './user-records.ts';
import { transact } from './write.ts';

/** Whether a user's vote for a project stands. */
export const hasVoted = async (projectId: string, userId: string): Promise<boolean> =>
  (await findItem(voteKey(projectId, userId))) !== undefined;

/** Writes a vote. @throws 404 when the project is not open; ConditionFailed when the vote stands already. */
export const insertVote = async (projectId: string, userId: string): Promise<void> => {
  const createdAt = now();
  await transact([
    projectIsOpen(projectId),
    userIsThere(userId),
    {
      put: {
        ...voteKey(projectId, userId),
        ...ofUser(userId, 'VOTE', projectId),
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

/** Takes a vote back. @throws 404 when the project is not open; ConditionFailed when there is none. */
export const removeVote = async (projectId: string, userId: string): Promise<void> => {
  await transact([
    projectIsOpen(projectId),
    { remove: voteKey(projectId, userId), when: exists },
    changeCounts(projectId, { upvote_count: -1 }),
  ]);
};
