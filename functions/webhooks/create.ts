import { create } from '#contract/webhooks.ts';
import { created, handle } from '#http/handle.ts';
import { createWebhook } from '#services/webhooks/manage.ts';

export const handler = handle(create, async ({ body }) => created({ data: await createWebhook(body) }));
