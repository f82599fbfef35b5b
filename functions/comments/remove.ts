import { remove } from '#contract/comments.ts';
import { handle, ok } from '#http/handle.ts';
import { removeComment } from '#services/reactions/comments.ts';

export const handler = handle(remove, async ({ params, user }) =>
  ok({ data: { id: await removeComment(user, params.project, params.comment), deleted: true } }),
);
