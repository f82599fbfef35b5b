import { update } from '#contract/webhooks.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getWebhook, updateWebhook } from '#services/webhooks/manage.ts';

export const handler = handle(
  update,
  async ({ params, body }) => ok({ data: await updateWebhook(params.webhook, body) }),
  [authorize(({ params }) => getWebhook(params.webhook))],
);
