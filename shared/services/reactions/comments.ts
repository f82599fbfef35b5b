import type * as z from 'zod';
import type { AdminComment, browse, Comment } from '#contract/comments.ts';
import {
  type CommentRecord,
  commentsBy,
  commentsOn,
  deleteComment,
  findComment,
  findCommentById,
  insertComment,
  isEditable,
  newestComments,
  pageOfComments,
  replaceComment,
  replaceHidden,
} from '#data/comments.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { cursorPageOf, type Paging, pageMeta, skipOf } from '#data/paging.ts';
import { existingProjects, findProject, type StoredProject } from '#data/projects.ts';
import { findUsers } from '#data/users.ts';
import { newMessage } from '#events/catalogue.ts';
import type { Caller } from '#model/api-key.ts';
import { hasAdminRights, mustNotBeOwn } from '#model/policy.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { createOnce } from '#services/create-once.ts';
import { getOpenProject } from '#services/projects/read.ts';
import { forbidden, mustExist, notFound } from '#shared/errors.ts';

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

const commentViews = async (comments: readonly CommentRecord[]): Promise<Comment[]> => {
  const authors = await findUsers([...new Set(comments.map((comment) => comment.user_id))]);
  return comments.map((comment) => commentView(comment, authors.get(comment.user_id)));
};

const adminCommentViews = async (comments: readonly CommentRecord[]): Promise<AdminComment[]> => {
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

/** A page of the comments on an open project, newest first. */
export const commentsOnProject = async ({ project, counts }: StoredProject, query: Paging) => {
  const total = counts.comments_count;
  const skip = skipOf(query);
  const comments = skip < total ? await pageOfComments(project.id, skip, query.limit, total) : [];
  return { data: await commentViews(comments), meta: pageMeta(query, total, comments.length) };
};

/** A page of comments, newest first. @throws 404 unless the project is open. */
export const listComments = async (reference: string, query: Paging) =>
  commentsOnProject(await getOpenProject(reference), query);

/** Adds a comment and publishes `commentCreated`. @param seed as in `createOnce`. @throws 404 unless the project is open. */
export const addComment = async (
  author: UserRecord,
  reference: string,
  content: string,
  seed?: string,
): Promise<Comment> => {
  const { id: project_id } = (await getOpenProject(reference)).project;
  const comment = await createOnce('cmt', seed, {
    find: (id) => findComment(project_id, id),
    create: async (id) => {
      const at = now();
      const added: CommentRecord = {
        id,
        project_id,
        user_id: author.id,
        content,
        created_at: at,
        updated_at: at,
        is_hidden: false,
      };
      const data = { comment_id: id, project_id, user_id: author.id, content };
      await insertComment(added, newMessage('commentCreated', author.id, data));
      return added;
    },
  });
  return commentView(comment, author);
};

const getComment = async (reference: string, commentId: string): Promise<CommentRecord> => {
  const { project } = await getOpenProject(reference);
  const comment = mustExist(await findComment(project.id, commentId));
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

type CommentQuery = z.output<typeof browse.query>;

/** Comments, newest first, hidden ones too: one more than a page, to see whether another page follows. */
const select = async ({ project, user, after, limit }: CommentQuery): Promise<CommentRecord[]> => {
  const range = { before: after, count: limit + 1 };
  if (user !== undefined) return await commentsBy(user, range);
  if (project === undefined) return await newestComments(range);
  const stored = await findProject(project);
  return stored ? await commentsOn(stored.project.id, range) : [];
};

/** A page of the comments of all projects, of one, by one user, or by one user on one project. */
export const browseComments = async (query: CommentQuery) => {
  const { data, meta } = cursorPageOf(await select(query), query.limit);
  const { project, user } = query;
  // The comments of a user are few; those on other projects are left out of the page.
  const id = project !== undefined && user !== undefined ? ((await findProject(project))?.project.id ?? '') : undefined;
  const shown = id === undefined ? data : data.filter(({ project_id }) => project_id === id);
  return { data: await adminCommentViews(shown), meta };
};

/** A comment on any project, hidden ones too. @throws 404. */
const getAnyComment = async (commentId: string): Promise<CommentRecord> => mustExist(await findCommentById(commentId));

/** A comment that the staff may hide. @throws 404; 403 for a moderator who wrote it or owns the project. */
export const getHideableComment = async (staff: Caller, commentId: string): Promise<CommentRecord> => {
  const comment = await getAnyComment(commentId);
  const project = (await findProject(comment.project_id))?.project;
  mustNotBeOwn({ owner_id: comment.user_id }, staff);
  if (project) mustNotBeOwn(project, staff);
  return comment;
};

/**
 * Hides a comment or shows it again. Nothing happens when it is in that state already.
 * @throws 404; 403 for a moderator who wrote it or owns the project.
 */
export const setHidden = (staff: Caller, commentId: string, isHidden: boolean): Promise<AdminComment> =>
  retryOnConflict(async () => {
    const comment = await getHideableComment(staff, commentId);
    if (comment.is_hidden !== isHidden) await replaceHidden(comment, isHidden);
    const [view] = await adminCommentViews([{ ...comment, is_hidden: isHidden }]);
    return view as AdminComment;
  });
