import { create } from '#contract/replies.ts';
import { created, handle } from '#http/handle.ts';
import { createSavedReply } from '#services/replies/manage.ts';

export const handler = handle(create, async ({ body }) => created({ data: await createSavedReply(body) }));
