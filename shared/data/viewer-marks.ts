import type { ViewerMarks } from '#contract/projects.ts';
import { ratingKey, voteKey } from './keys.ts';
import { findItems } from './read.ts';

/** What a user has done to a project. */
export const viewerMarks = async (projectId: string, userId: string): Promise<ViewerMarks> => {
  const [vote, rating] = await findItems([voteKey(projectId, userId), ratingKey(projectId, userId)]);
  return { upvoted: vote !== undefined, rating: rating ? Number(rating.rating) : null };
};
