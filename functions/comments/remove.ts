import { remove } from '#contract/comments.ts';
import { deleteComment } from '#domain/comments/comment.ts';
import { handle, ok } from '#http/handle.ts';
import { commentPorts } from '#ports/reactions.ts';

export const handler = handle(remove, commentPorts, async ({ params, user }, ports) =>
  ok({ data: { id: await deleteComment(ports, user, params.project, params.comment), deleted: true } }),
);
