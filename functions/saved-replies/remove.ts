import { remove } from '#contract/saved-replies.ts';
import { handle, ok } from '#http/handle.ts';
import { removeSavedReply } from '#services/admin/saved-replies.ts';

export const handler = handle(remove, async ({ params }) =>
  ok({ data: { id: await removeSavedReply(params.reply), deleted: true as const } }),
);
