import { create } from '#contract/webhooks.ts';
import { created, handle } from '#http/handle.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { createWebhook } from '#services/webhooks/manage.ts';

export const handler = handle(create, async ({ body, seed }) => created({ data: await createWebhook(body, seed) }), [
  idempotency,
]);
