import { list } from '#contract/saved-replies.ts';
import { handle, ok } from '#http/handle.ts';
import { listSavedReplies } from '#services/admin/saved-replies.ts';

export const handler = handle(list, async () => ok({ data: await listSavedReplies() }));
