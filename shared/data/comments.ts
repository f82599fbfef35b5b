import type { Comment } from '#contract/comments.ts';
import type { Message } from '#events/catalogue.ts';
import { notFound } from '#shared/errors.ts';
import { changeCounts, countReaction, projectIsOpen } from './counts.ts';
import { inOutbox } from './event-log.ts';
import {
  commentKey,
  commentPartition,
  commentPartitions,
  hiddenCommentKey,
  type IndexName,
  inComments,
  inOwnerCollection,
  type Key,
  ownerPartition,
  ownerPrefix,
  projectKey,
  projectPartition,
  projectPrefix,
} from './keys.ts';
import { findItems, firstOfCollection, type Item, itemsOfPartitions, pageOfCollection, recordOf } from './read.ts';
import { changeUserCounts, findUsers } from './users.ts';
import { absent, every, exists, is, transact, tryTransact, type Write } from './write.ts';

export interface CommentRecord extends Readonly<Omit<Comment, 'user'>> {
  readonly user_id: string;
  /** Only administrators, moderators and its author know of a hidden comment. */
  readonly is_hidden: boolean;
}

/** How long an author can change a comment, in milliseconds. */
const EDITABLE_MS = 24 * 3600 * 1000;

export const isEditable = (
  comment: Pick<CommentRecord, 'user_id' | 'created_at'>,
  userId: string,
  at: string,
): boolean => comment.user_id === userId && Date.parse(at) - Date.parse(comment.created_at) <= EDITABLE_MS;

const commentOf = (item: Item): CommentRecord => ({
  ...recordOf<CommentRecord>(item),
  is_hidden: item.is_hidden === true,
});

const keyOfComment = ({ project_id, id, is_hidden }: CommentRecord): Key =>
  is_hidden ? hiddenCommentKey(project_id, id) : commentKey(project_id, id);

const commentItem = ({ is_hidden, ...comment }: CommentRecord): Item & Key => ({
  ...keyOfComment({ ...comment, is_hidden }),
  ...inOwnerCollection(comment.user_id, is_hidden ? 'HIDDEN_COMMENT' : 'COMMENT', comment.id),
  ...inComments(comment.id),
  type: 'comment',
  ...comment,
  ...(is_hidden && { is_hidden }),
});

/** The writes of a new comment, to be part of the transaction that counts it for its project. */
export const commentInsertion = (comment: CommentRecord): readonly Write[] => [
  { put: commentItem(comment), when: absent },
  changeUserCounts(comment.user_id, 1),
];

/** Inserts a comment and publishes its event. @throws 404 when the project is not open. */
export const insertComment = async (comment: CommentRecord, message: Message): Promise<void> => {
  await transact([
    countReaction(comment.project_id, { comments_count: 1 }),
    ...commentInsertion(comment),
    inOutbox(message),
  ]);
};

/** Reads a comment, hidden or not, strongly consistent. */
export const findComment = async (projectId: string, commentId: string): Promise<CommentRecord | undefined> => {
  const items = await findItems([commentKey(projectId, commentId), hiddenCommentKey(projectId, commentId)]);
  const item = items.find((one) => one !== undefined);
  return item && commentOf(item);
};

/** Finds a comment by its id alone. The index, which names its project, follows the table within moments. */
export const findCommentById = async (commentId: string): Promise<CommentRecord | undefined> => {
  const range = { partition: commentPartition(commentId), index: 'feed', prefix: commentId } as const;
  const [listed] = await firstOfCollection(range, 1);
  return listed && (await findComment(String(listed.project_id), commentId));
};

/**
 * Hides a comment or shows it again, with the counters of its project and its author.
 * @throws 404 when the project was purged; {ConditionFailed} when the comment was changed or deleted concurrently.
 */
export const replaceHidden = async (comment: CommentRecord, isHidden: boolean): Promise<void> => {
  const by = isHidden ? -1 : 1;
  await transact([
    { check: projectKey(comment.project_id), when: exists, orElse: notFound },
    { delete: keyOfComment(comment), when: every(exists, is('updated_at', comment.updated_at)) },
    { put: commentItem({ ...comment, is_hidden: isHidden }), when: absent },
    changeCounts(comment.project_id, { comments_count: by }),
    changeUserCounts(comment.user_id, by, false),
  ]);
};

/** @throws 404 when the project is not open or the comment was deleted. */
export const replaceComment = async (comment: CommentRecord): Promise<void> => {
  await transact([projectIsOpen(comment.project_id), { put: commentItem(comment), when: exists, orElse: notFound }]);
};

/** A hidden comment is not counted. @throws 404 when the project is not open; {ConditionFailed} as `replaceHidden`. */
export const deleteComment = async (comment: CommentRecord): Promise<void> => {
  await transact([
    { delete: keyOfComment(comment), when: exists },
    ...(comment.is_hidden
      ? [projectIsOpen(comment.project_id)]
      : [countReaction(comment.project_id, { comments_count: -1 }), changeUserCounts(comment.user_id, -1)]),
  ]);
};

/** A transaction takes 100 writes: a comment and, at worst, its author's counter each. */
const REMOVED_PER_TRANSACTION = 45;

/** Deletes comments of a purged project. @returns how many; 0 if some were removed concurrently. */
const removePage = async (comments: readonly CommentRecord[]): Promise<number> => {
  const byAuthor = Map.groupBy(comments, (comment) => comment.user_id);
  const authors = await findUsers([...byAuthor.keys()]);
  const isRemoved = await tryTransact([
    ...comments.map((comment) => ({ delete: commentKey(comment.project_id, comment.id), when: exists })),
    ...[...byAuthor].flatMap(([userId, written]) =>
      authors.has(userId) ? [changeUserCounts(userId, -written.length)] : [],
    ),
  ]);
  return isRemoved ? comments.length : 0;
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

interface CommentRange {
  /** The id of the comment to continue after. */
  readonly before?: string | undefined;
  readonly count: number;
}

/** The newest comments of two ranges, of visible and of hidden ones. */
const newestOf = async (
  partition: string,
  prefixes: readonly string[],
  { before, count }: CommentRange,
  index?: IndexName,
): Promise<CommentRecord[]> => {
  const lists = await Promise.all(
    prefixes.map((prefix) => {
      const bound = before !== undefined && { before: `${prefix}${before}` };
      return firstOfCollection({ partition, prefix, newestFirst: true, ...bound, ...(index && { index }) }, count);
    }),
  );
  return lists
    .flat()
    .map(commentOf)
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, count);
};

/** Comments on a project, newest first, hidden ones too. */
export const commentsOn = (projectId: string, range: CommentRange): Promise<CommentRecord[]> =>
  newestOf(projectPartition(projectId), [projectPrefix.comments, projectPrefix.hiddenComments], range);

/** Comments by a user, newest first, hidden ones too, from the index. */
export const commentsBy = (userId: string, range: CommentRange): Promise<CommentRecord[]> =>
  newestOf(ownerPartition(userId), [ownerPrefix.comments, ownerPrefix.hiddenComments], range, 'collection');

/** Comments on all projects, newest first, hidden ones too, from the index. */
export const newestComments = async ({ before, count }: CommentRange): Promise<CommentRecord[]> => {
  const bound = before !== undefined && { before };
  const comments: CommentRecord[] = [];
  for await (const item of itemsOfPartitions(
    commentPartitions,
    { index: 'feed', newestFirst: true, ...bound },
    count,
  )) {
    comments.push(commentOf(item));
    if (comments.length === count) break;
  }
  return comments;
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
