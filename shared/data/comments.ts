import type { CommentRecord } from '#domain/comments/comment.ts';
import type { UserRecord } from '#domain/users/user.ts';
import type { Message } from '#events/catalogue.ts';
import { notFound } from '#shared/errors.ts';
import { absent, exists } from './conditions.ts';
import { changeCounts, projectIsOpen } from './counts.ts';
import { commentKey, type Key, ofUser, projectPartition, projectPrefix, userKey } from './keys.ts';
import { inOutbox } from './outbox.ts';
import { collectionPages, findItem, findItems, type Item } from './read.ts';
import { transact } from './write.ts';

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
export const removeComment = async (projectId: string, commentId: string): Promise<void> => {
  await transact([
    projectIsOpen(projectId),
    { remove: commentKey(projectId, commentId), when: exists, orElse: notFound },
    changeCounts(projectId, { comments_count: -1 }),
  ]);
};

/** Comments of a project, newest first; `skip` of them passed over. */
export const pageOfComments = async (projectId: string, skip: number, count: number): Promise<CommentRecord[]> => {
  const pages = collectionPages({
    partition: projectPartition(projectId),
    prefix: projectPrefix.comments,
    newestFirst: true,
    pageSize: skip + count,
  });
  const found: CommentRecord[] = [];
  let passed = 0;
  for await (const items of pages) {
    for (const item of items) {
      passed += 1;
      if (passed > skip) found.push(commentOf(item));
      if (found.length === count) return found;
    }
  }
  return found;
};

/** The users behind some ids; those who are not known are left out. */
export const findAuthors = async (userIds: readonly string[]): Promise<ReadonlyMap<string, UserRecord>> => {
  const items = await findItems(userIds.map(userKey));
  return new Map(items.flatMap((item) => (item ? [[String(item.id), item as unknown as UserRecord]] : [])));
};
