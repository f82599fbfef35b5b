import type { Comment } from '#contract/comments.ts';
import { message, type Workshop } from '#domain/messages.ts';
import { type Paging, pageMeta, skipOf } from '#domain/paging.ts';
import { isOpen } from '#domain/projects/policy.ts';
import type { ProjectCounts, ProjectRecord } from '#domain/projects/project.ts';
import type { UserRecord } from '#domain/users/user.ts';
import type { Message } from '#events/catalogue.ts';
import { forbidden, notFound } from '#shared/errors.ts';

/** A comment as it is kept. */
export interface CommentRecord {
  readonly id: string;
  readonly project_id: string;
  readonly user_id: string;
  readonly content: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What reading the project of comments takes. */
export interface CommentedProject {
  readonly findProject: (reference: string) => Promise<{ project: ProjectRecord; counts: ProjectCounts } | undefined>;
}

const openProject = async (ports: CommentedProject, reference: string) => {
  const stored = await ports.findProject(reference);
  if (!stored || !isOpen(stored.project)) throw notFound();
  return stored;
};

type Author = Pick<UserRecord, 'id' | 'name' | 'avatar_url' | 'role'>;

const view = (comment: CommentRecord, author: Author | undefined): Comment => ({
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

/** What listing comments takes. */
export interface ListPorts extends CommentedProject {
  /** Comments newest first; `skip` of the `total` passed over. */
  readonly pageOfComments: (projectId: string, skip: number, count: number, total: number) => Promise<CommentRecord[]>;
  readonly findAuthors: (userIds: readonly string[]) => Promise<ReadonlyMap<string, Author>>;
}

/** A page of comments, newest first. @throws 404 unless the project is open. */
export const listComments = async (ports: ListPorts, reference: string, query: Paging) => {
  const { project, counts } = await openProject(ports, reference);
  const total = counts.comments_count;
  const skip = skipOf(query);
  const comments = skip < total ? await ports.pageOfComments(project.id, skip, query.limit, total) : [];
  const authors = await ports.findAuthors([...new Set(comments.map((comment) => comment.user_id))]);
  return {
    data: comments.map((comment) => view(comment, authors.get(comment.user_id))),
    meta: pageMeta(query, total, comments.length),
  };
};

/** What writing comments takes. */
export interface WritePorts extends CommentedProject, Workshop {
  readonly insertComment: (comment: CommentRecord, message: Message) => Promise<void>;
  readonly findComment: (projectId: string, commentId: string) => Promise<CommentRecord | undefined>;
  readonly replaceComment: (comment: CommentRecord) => Promise<void>;
  readonly removeComment: (comment: CommentRecord) => Promise<void>;
}

type Port<Name extends keyof WritePorts> = CommentedProject & Pick<WritePorts, Name>;

/** Adds a comment; `commentCreated` fires. @throws 404 unless the project is open. */
export const addComment = async (
  ports: Port<'insertComment' | 'now' | 'newId'>,
  author: UserRecord,
  reference: string,
  content: string,
): Promise<Comment> => {
  const { project } = await openProject(ports, reference);
  const at = ports.now();
  const comment: CommentRecord = {
    id: ports.newId('cmt'),
    project_id: project.id,
    user_id: author.id,
    content,
    created_at: at,
    updated_at: at,
  };
  await ports.insertComment(
    comment,
    message(ports, 'commentCreated', author.id, {
      comment_id: comment.id,
      project_id: project.id,
      user_id: author.id,
      content,
    }),
  );
  return view(comment, author);
};

/** How long an author may change his comment, in milliseconds. */
const CHANGE_MS = 24 * 3600 * 1000;

const commentOf = async (ports: Port<'findComment'>, reference: string, commentId: string): Promise<CommentRecord> => {
  const { project } = await openProject(ports, reference);
  const comment = await ports.findComment(project.id, commentId);
  if (!comment) throw notFound();
  return comment;
};

/** Whether this caller may change this comment: asked before his words are looked at. @throws 404, 403. */
export const permitChange = async (
  ports: Port<'findComment' | 'now'>,
  author: UserRecord,
  reference: string,
  commentId: string,
): Promise<void> => {
  const comment = await commentOf(ports, reference, commentId);
  const ageMs = Date.parse(ports.now()) - Date.parse(comment.created_at);
  if (comment.user_id !== author.id || ageMs > CHANGE_MS) throw forbidden();
};

/** Changes a comment by its author within 24 hours. @throws 404, 403. */
export const changeComment = async (
  ports: Port<'findComment' | 'replaceComment' | 'now'>,
  author: UserRecord,
  reference: string,
  commentId: string,
  content: string,
): Promise<Comment> => {
  const comment = await commentOf(ports, reference, commentId);
  const at = ports.now();
  if (comment.user_id !== author.id || Date.parse(at) - Date.parse(comment.created_at) > CHANGE_MS) throw forbidden();
  const next = { ...comment, content, updated_at: at };
  await ports.replaceComment(next);
  return view(next, author);
};

/** Deletes a comment by its author or an administrator. @throws 404, 403. */
export const deleteComment = async (
  ports: Port<'findComment' | 'removeComment'>,
  actor: UserRecord,
  reference: string,
  commentId: string,
): Promise<string> => {
  const comment = await commentOf(ports, reference, commentId);
  if (comment.user_id !== actor.id && !actor.is_admin) throw forbidden();
  await ports.removeComment(comment);
  return comment.id;
};
