import { update } from '#contract/replies.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getSavedReply, updateSavedReply } from '#services/replies/manage.ts';

export const handler = handle(
  update,
  async ({ params, body }) => ok({ data: await updateSavedReply(params.reply, body) }),
  [authorize(({ params }) => getSavedReply(params.reply))],
);
