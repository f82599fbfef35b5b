import type { CommentRecord } from '#domain/comments/comment.ts';
import type { UserRecord } from '#domain/users/user.ts';
import type { Message } from '#events/catalogue.ts';
import { notFound } from '#shared/errors.ts';
import { absent, exists } from './conditions.ts';
import { changeCounts, projectIsOpen } from './counts.ts';
import { commentKey, type Key, ofUser, projectPartition, projectPrefix, userKey } from './keys.ts';
import { inOutbox } from './outbox.ts';
import { findItem, findItems, type Item, pageOfCollection } from './read.ts';
import { userOf } from './user-items.ts';
import { changeUserCounts } from './user-records.ts';
import { ConditionFailed, transact } from './write.ts';

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
  ...ofUser(comment.user_id, 'COMMENT', comment.id),
  type: 'comment',
  ...comment,
});

/** Stores a new comment. @throws 404 when the project is not open. */
export const insertComment = async (comment: CommentRecord, message: Message): Promise<void> => {
  await transact([
    projectIsOpen(comment.project_id),
    { put: commentItem(comment), when: absent },
    changeCounts(comment.project_id, { comments_count: 1 }),
    changeUserCounts(comment.user_id, 1),
    inOutbox(message),
  ]);
};

/** A comment of a project. */
export const findComment = async (projectId: string, commentId: string): Promise<CommentRecord | undefined> => {
  const item = await findItem(commentKey(projectId, commentId));
  return item && commentOf(item);
};

/** Stores a changed comment. @throws 404 when the project is not open or the comment is gone. */
export const replaceComment = async (comment: CommentRecord): Promise<void> => {
  await transact([projectIsOpen(comment.project_id), { put: commentItem(comment), when: exists, orElse: notFound }]);
};

/** Removes a comment. @throws 404 when the project is not open or the comment is gone. */
export const removeComment = async (comment: CommentRecord): Promise<void> => {
  await transact([
    projectIsOpen(comment.project_id),
    { remove: commentKey(comment.project_id, comment.id), when: exists, orElse: notFound },
    changeCounts(comment.project_id, { comments_count: -1 }),
    changeUserCounts(comment.user_id, -1),
  ]);
};

// Each comes with its author's counter at worst, and a transaction takes a hundred writes.
const REMOVED_AT_ONCE = 45;

const isOvertaken = (error: unknown): boolean => error instanceof ConditionFailed;

/** Removes a page of the comments of a project that is gone. @returns how many; fewer than there are when others do it too. */
const removePage = async (comments: readonly CommentRecord[]): Promise<number> => {
  const byAuthor = Map.groupBy(comments, (comment) => comment.user_id);
  const authors = await findAuthors([...byAuthor.keys()]);
  try {
    await transact([
      ...comments.map((comment) => ({ remove: commentKey(comment.project_id, comment.id), when: exists })),
      ...[...byAuthor].flatMap(([userId, written]) =>
        authors.has(userId) ? [changeUserCounts(userId, -written.length)] : [],
      ),
    ]);
    return comments.length;
  } catch (error) {
    if (!isOvertaken(error)) throw error;
    return 0;
  }
};

/** Removes all comments of a project that is gone, each with its author's count. It may run any number of times. */
export const removeComments = async (projectId: string): Promise<number> => {
  let removed = 0;
  for (;;) {
    const comments = await pageOfComments(projectId, 0, REMOVED_AT_ONCE);
    if (comments.length === 0) return removed;
    removed += await removePage(comments);
  }
};

/** Comments of a project, newest first; `skip` of them passed over. Deep pages cost less when it is known how many there are. */
export const pageOfComments = async (
  projectId: string,
  skip: number,
  count: number,
  total?: number,
): Promise<CommentRecord[]> => {
  const range = { partition: projectPartition(projectId), prefix: projectPrefix.comments, newestFirst: true };
  return (await pageOfCollection(range, skip, count, total)).map(commentOf);
};

/** The users behind some ids; those who are not known are left out. */
export const findAuthors = async (userIds: readonly string[]): Promise<ReadonlyMap<string, UserRecord>> => {
  const items = await findItems(userIds.map(userKey));
  return new Map(items.flatMap((item) => (item ? [[String(item.id), userOf(item)]] : [])));
};
