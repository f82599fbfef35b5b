import { create } from '#contract/saved-replies.ts';
import { created, handle } from '#http/handle.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { createSavedReply } from '#services/admin/saved-replies.ts';

export const handler = handle(create, async ({ body, seed }) => created({ data: await createSavedReply(body, seed) }), [
  idempotency,
]);
