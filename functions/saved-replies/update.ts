import { update } from '#contract/saved-replies.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getSavedReply, updateSavedReply } from '#services/admin/saved-replies.ts';

export const handler = handle(
  update,
  async ({ params, body }) => ok({ data: await updateSavedReply(params.reply, body) }),
  [authorize(({ params }) => getSavedReply(params.reply))],
);
