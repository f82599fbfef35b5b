import { update } from '#contract/comments.ts';
import { changeComment, permitChange } from '#domain/comments/comment.ts';
import { handle, ok } from '#http/handle.ts';
import { commentPorts } from '#ports/reactions.ts';

export const handler = handle(
  update,
  commentPorts,
  async ({ params, body, user }, ports) =>
    ok({ data: await changeComment(ports, user, params.project, params.comment, body.content) }),
  { permit: ({ params, user }) => permitChange(commentPorts, user, params.project, params.comment) },
);
