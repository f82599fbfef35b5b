import { listDeliveries } from '#contract/webhooks.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { deliveriesOfWebhook } from '#services/webhooks/deliveries.ts';
import { getWebhook } from '#services/webhooks/manage.ts';

export const handler = handle(
  listDeliveries,
  async ({ params, query }) => ok(await deliveriesOfWebhook(params.webhook, query)),
  [authorize(({ params }) => getWebhook(params.webhook))],
);
