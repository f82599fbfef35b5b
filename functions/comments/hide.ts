import { hide } from '#contract/comments.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getAnyComment, setHidden } from '#services/comments/moderate.ts';

export const handler = handle(
  hide,
  async ({ params, body }) => ok({ data: await setHidden(params.comment, body.is_hidden) }),
  [authorize(({ params }) => getAnyComment(params.comment))],
);
