import { list } from '#contract/replies.ts';
import { handle, ok } from '#http/handle.ts';
import { listSavedReplies } from '#services/replies/manage.ts';

export const handler = handle(list, async () => ok({ data: await listSavedReplies() }));
