import { test } from '#contract/webhooks.ts';
import { handle, ok } from '#http/handle.ts';
import { pingWebhook } from '#services/webhooks/deliveries.ts';

export const handler = handle(test, async ({ params, user }) =>
  ok({ data: await pingWebhook(params.webhook, user.id) }),
);
