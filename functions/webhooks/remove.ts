import { remove } from '#contract/webhooks.ts';
import { handle, ok } from '#http/handle.ts';
import { removeWebhook } from '#services/webhooks/manage.ts';

export const handler = handle(remove, async ({ params }) =>
  ok({ data: { id: await removeWebhook(params.webhook), deleted: true } }),
);
