import type { AdminComment } from '#contract/comments.ts';
import { commentsBy, commentsOn, findCommentById, newestComments, replaceHidden } from '#data/comments.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { findProject } from '#data/projects.ts';
import type { CommentRecord } from '#model/comment.ts';
import { ledgerPage } from '#model/paging.ts';
import { notFound } from '#shared/errors.ts';
import { adminCommentViews } from './view.ts';

interface CommentQuery {
  readonly project?: string | undefined;
  readonly user?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

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
  const { data, meta } = ledgerPage(await select(query), query.limit);
  const { project, user } = query;
  // The comments of a user are few; those on other projects are left out of the page.
  const id = project !== undefined && user !== undefined ? ((await findProject(project))?.project.id ?? '') : undefined;
  const shown = id === undefined ? data : data.filter(({ project_id }) => project_id === id);
  return { data: await adminCommentViews(shown), meta };
};

/** A comment on any project, hidden ones too. @throws 404. */
export const getAnyComment = async (commentId: string): Promise<CommentRecord> => {
  const comment = await findCommentById(commentId);
  if (!comment) throw notFound();
  return comment;
};

/** Hides a comment or shows it again. Nothing happens when it is in that state already. @throws 404. */
export const setHidden = (commentId: string, isHidden: boolean): Promise<AdminComment> =>
  retryOnConflict(async () => {
    const comment = await getAnyComment(commentId);
    if (comment.is_hidden !== isHidden) await replaceHidden(comment, isHidden);
    const [view] = await adminCommentViews([{ ...comment, is_hidden: isHidden }]);
    return view as AdminComment;
  });
