import { hide } from '#contract/comments.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getHideableComment, setHidden } from '#services/reactions/comments.ts';

export const handler = handle(
  hide,
  async ({ params, body, user }) => ok({ data: await setHidden(user, params.comment, body.is_hidden) }),
  [authorize(({ params, user }) => getHideableComment(user, params.comment))],
);
