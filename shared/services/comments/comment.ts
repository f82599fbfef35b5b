import type { Comment } from '#contract/comments.ts';
import { deleteComment, findComment, insertComment, pageOfComments, replaceComment } from '#data/comments.ts';
import { findUsers } from '#data/users.ts';
import { newMessage } from '#events/catalogue.ts';
import { type CommentRecord, isEditable } from '#model/comment.ts';
import { type Paging, pageMeta, skipOf } from '#model/paging.ts';
import { hasAdminRights } from '#model/policy.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { getOpenProject } from '#services/projects/get.ts';
import { forbidden, notFound } from '#shared/errors.ts';

const commentView = (comment: CommentRecord, author: UserRecord | undefined): Comment => ({
  id: comment.id,
  project_id: comment.project_id,
  content: comment.content,
  created_at: comment.created_at,
  updated_at: comment.updated_at,
  user: {
    id: comment.user_id,
    name: author?.name ?? null,
    avatar_url: author?.avatar_url ?? null,
    role: author?.role ?? 'user',
  },
});

/** A page of comments, newest first. @throws 404 unless the project is open. */
export const listComments = async (reference: string, query: Paging) => {
  const { project, counts } = await getOpenProject(reference);
  const total = counts.comments_count;
  const skip = skipOf(query);
  const comments = skip < total ? await pageOfComments(project.id, skip, query.limit, total) : [];
  const authors = await findUsers([...new Set(comments.map((comment) => comment.user_id))]);
  return {
    data: comments.map((comment) => commentView(comment, authors.get(comment.user_id))),
    meta: pageMeta(query, total, comments.length),
  };
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

/** Checks the permission for a change before its body is validated. @throws 404, 403. */
export const permitChange = async (author: UserRecord, reference: string, commentId: string): Promise<void> => {
  const comment = await getComment(reference, commentId);
  if (!isEditable(comment, author.id, now())) throw forbidden();
};

/** Changes a comment; for its author, within 24 hours. @throws 404, 403. */
export const changeComment = async (
  author: UserRecord,
  reference: string,
  commentId: string,
  content: string,
): Promise<Comment> => {
  const comment = await getComment(reference, commentId);
  const at = now();
  if (!isEditable(comment, author.id, at)) throw forbidden();
  const next = { ...comment, content, updated_at: at };
  await replaceComment(next);
  return commentView(next, author);
};

/** Deletes a comment; for its author and administrators. @returns its id. @throws 404, 403. */
export const removeComment = async (actor: UserRecord, reference: string, commentId: string): Promise<string> => {
  const comment = await getComment(reference, commentId);
  if (comment.user_id !== actor.id && !hasAdminRights(actor)) throw forbidden();
  await deleteComment(comment);
  return comment.id;
};
