import type { AdminComment, Comment } from '#contract/comments.ts';
import { findUsers } from '#data/users.ts';
import type { CommentRecord } from '#model/comment.ts';
import type { UserRecord } from '#model/user.ts';

export const commentView = (comment: CommentRecord, author: UserRecord | undefined): Comment => ({
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

/** Comments with their authors. */
export const commentViews = async (comments: readonly CommentRecord[]): Promise<Comment[]> => {
  const authors = await findUsers([...new Set(comments.map((comment) => comment.user_id))]);
  return comments.map((comment) => commentView(comment, authors.get(comment.user_id)));
};

/** Comments for administrators and moderators. */
export const adminCommentViews = async (comments: readonly CommentRecord[]): Promise<AdminComment[]> => {
  const views = await commentViews(comments);
  return views.map((view, index) => ({ ...view, is_hidden: comments[index]?.is_hidden === true }));
};
