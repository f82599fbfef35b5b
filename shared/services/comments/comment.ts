import type { Comment } from '#contract/comments.ts';
import { deleteComment, findComment, insertComment, pageOfComments, replaceComment } from '#data/comments.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { newMessage } from '#events/catalogue.ts';
import { type CommentRecord, isEditable } from '#model/comment.ts';
import { type Paging, pageMeta, skipOf } from '#model/paging.ts';
import { hasAdminRights } from '#model/policy.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { getOpenProject } from '#services/projects/get.ts';
import { forbidden, notFound } from '#shared/errors.ts';
import { commentView, commentViews } from './view.ts';

/** A page of comments, newest first. @throws 404 unless the project is open. */
export const listComments = async (reference: string, query: Paging) => {
  const { project, counts } = await getOpenProject(reference);
  const total = counts.comments_count;
  const skip = skipOf(query);
  const comments = skip < total ? await pageOfComments(project.id, skip, query.limit, total) : [];
  return { data: await commentViews(comments), meta: pageMeta(query, total, comments.length) };
};

/** Adds a comment and publishes `commentCreated`. @throws 404 unless the project is open. */
export const addComment = async (author: UserRecord, reference: string, content: string): Promise<Comment> => {
  const { project } = await getOpenProject(reference);
  const at = now();
  const comment: CommentRecord = {
    id: newId('cmt'),
    project_id: project.id,
    user_id: author.id,
    content,
    created_at: at,
    updated_at: at,
    is_hidden: false,
  };
  await insertComment(
    comment,
    newMessage('commentCreated', author.id, {
      comment_id: comment.id,
      project_id: project.id,
      user_id: author.id,
      content,
    }),
  );
  return commentView(comment, author);
};

const getComment = async (reference: string, commentId: string): Promise<CommentRecord> => {
  const { project } = await getOpenProject(reference);
  const comment = await findComment(project.id, commentId);
  if (!comment) throw notFound();
  return comment;
};

/** A comment that its author may change. @throws 404 for a hidden one too, 403. */
const getEditable = async (author: UserRecord, reference: string, commentId: string): Promise<CommentRecord> => {
  const comment = await getComment(reference, commentId);
  if (comment.is_hidden) throw notFound();
  if (!isEditable(comment, author.id, now())) throw forbidden();
  return comment;
};

/** Checks the permission for a change before its body is validated. @throws 404, 403. */
export const permitChange = async (author: UserRecord, reference: string, commentId: string): Promise<void> => {
  await getEditable(author, reference, commentId);
};

/** Changes a comment; for its author, within 24 hours. @throws 404, 403. */
export const changeComment = async (
  author: UserRecord,
  reference: string,
  commentId: string,
  content: string,
): Promise<Comment> => {
  const comment = await getEditable(author, reference, commentId);
  const next = { ...comment, content, updated_at: now() };
  await replaceComment(next);
  return commentView(next, author);
};

/**
 * Deletes a comment; for its author and administrators.
 * @returns its id.
 * @throws 404, also for a hidden comment of another user, 403.
 */
export const removeComment = (actor: UserRecord, reference: string, commentId: string): Promise<string> =>
  retryOnConflict(async () => {
    const comment = await getComment(reference, commentId);
    if (comment.user_id !== actor.id && !hasAdminRights(actor)) throw comment.is_hidden ? notFound() : forbidden();
    await deleteComment(comment);
    return comment.id;
  });
