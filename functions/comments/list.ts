import { list } from '#contract/comments.ts';
import { findAuthors, pageOfComments } from '#data/comments.ts';
import { findProject } from '#data/projects.ts';
import { listComments } from '#domain/comments/comment.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(list, { findProject, pageOfComments, findAuthors }, async ({ params, query }, ports) =>
  ok(await listComments(ports, params.project, query)),
);
