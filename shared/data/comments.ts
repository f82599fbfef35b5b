import type { Message } from '#events/catalogue.ts';
import type { CommentRecord } from '#model/comment.ts';
import { notFound } from '#shared/errors.ts';
import { countReaction, projectIsOpen } from './counts.ts';
import {
  commentKey,
  inOwnerCollection,
  type Key,
  ownerPartition,
  ownerPrefix,
  projectPartition,
  projectPrefix,
} from './keys.ts';
import { inOutbox } from './outbox.ts';
import { findItem, firstOfCollection, type Item, pageOfCollection } from './read.ts';
import { changeUserCounts, findUsers } from './users.ts';
import { absent, ConditionFailed, exists, transact } from './write.ts';

const commentOf = (item: Item): CommentRecord => ({
  id: String(item.id),
  project_id: String(item.project_id),
  user_id: String(item.user_id),
  content: String(item.content),
  created_at: String(item.created_at),
  updated_at: String(item.updated_at),
});

const commentItem = (comment: CommentRecord): Item & Key => ({
  ...commentKey(comment.project_id, comment.id),
  ...inOwnerCollection(comment.user_id, 'COMMENT', comment.id),
  type: 'comment',
  ...comment,
});

/** Inserts a comment and publishes its event. @throws 404 when the project is not open. */
export const insertComment = async (comment: CommentRecord, message: Message): Promise<void> => {
  await transact([
    countReaction(comment.project_id, { comments_count: 1 }),
    { put: commentItem(comment), when: absent },
    changeUserCounts(comment.user_id, 1),
    inOutbox(message),
  ]);
};

export const findComment = async (projectId: string, commentId: string): Promise<CommentRecord | undefined> => {
  const item = await findItem(commentKey(projectId, commentId));
  return item && commentOf(item);
};

/** @throws 404 when the project is not open or the comment was deleted. */
export const replaceComment = async (comment: CommentRecord): Promise<void> => {
  await transact([projectIsOpen(comment.project_id), { put: commentItem(comment), when: exists, orElse: notFound }]);
};

/** @throws 404 when the project is not open or the comment was deleted. */
export const deleteComment = async (comment: CommentRecord): Promise<void> => {
  await transact([
    countReaction(comment.project_id, { comments_count: -1 }),
    { delete: commentKey(comment.project_id, comment.id), when: exists, orElse: notFound },
    changeUserCounts(comment.user_id, -1),
  ]);
};

/** A transaction takes 100 writes: a comment and, at worst, its author's counter each. */
const REMOVED_PER_TRANSACTION = 45;

/** Deletes comments of a purged project. @returns how many; 0 if some were removed concurrently. */
const removePage = async (comments: readonly CommentRecord[]): Promise<number> => {
  const byAuthor = Map.groupBy(comments, (comment) => comment.user_id);
  const authors = await findUsers([...byAuthor.keys()]);
  try {
    await transact([
      ...comments.map((comment) => ({ delete: commentKey(comment.project_id, comment.id), when: exists })),
      ...[...byAuthor].flatMap(([userId, written]) =>
        authors.has(userId) ? [changeUserCounts(userId, -written.length)] : [],
      ),
    ]);
    return comments.length;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return 0;
  }
};

/** Deletes all comments of a purged project and subtracts them from their authors' counters. Idempotent. */
export const deleteComments = async (projectId: string): Promise<number> => {
  let removed = 0;
  for (;;) {
    const comments = await pageOfComments(projectId, 0, REMOVED_PER_TRANSACTION);
    if (comments.length === 0) return removed;
    removed += await removePage(comments);
  }
};

/** The newest comments of a user, from the index, which follows the table within moments. */
export const newestCommentsBy = async (userId: string, count: number): Promise<CommentRecord[]> => {
  const range = { partition: ownerPartition(userId), index: 'collection', newestFirst: true } as const;
  return (await firstOfCollection({ ...range, prefix: ownerPrefix.comments }, count)).map(commentOf);
};

/**
 * Comments of a project, newest first.
 * @param total if known, pages past the middle are read from the other end.
 */
export const pageOfComments = async (
  projectId: string,
  skip: number,
  count: number,
  total?: number,
): Promise<CommentRecord[]> => {
  const range = { partition: projectPartition(projectId), prefix: projectPrefix.comments, newestFirst: true };
  return (await pageOfCollection(range, skip, count, total)).map(commentOf);
};
