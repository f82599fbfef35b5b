import { update } from '#contract/comments.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { changeComment, permitChange } from '#services/reactions/comments.ts';

export const handler = handle(
  update,
  async ({ params, body, user }) =>
    ok({ data: await changeComment(user, params.project, params.comment, body.content) }),
  [authorize(({ params, user }) => permitChange(user, params.project, params.comment))],
);
