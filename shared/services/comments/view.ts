import type { AdminComment, Comment } from '#contract/comments.ts';
import { existingProjects } from '#data/projects.ts';
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

/** Comments for administrators and moderators, with their projects. */
export const adminCommentViews = async (comments: readonly CommentRecord[]): Promise<AdminComment[]> => {
  const [views, projects] = await Promise.all([
    commentViews(comments),
    existingProjects([...new Set(comments.map(({ project_id }) => project_id))]),
  ]);
  const references = new Map(projects.map(({ id, slug, name }) => [id, { id, slug, name }]));
  return views.map((view, index) => ({
    ...view,
    project: references.get(view.project_id) ?? null,
    is_hidden: comments[index]?.is_hidden === true,
  }));
};
