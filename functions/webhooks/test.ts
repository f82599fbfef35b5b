import { test } from '#contract/webhooks.ts';
import { pingWebhook } from '#domain/webhooks/log.ts';
import { handle, ok } from '#http/handle.ts';
import { sendPorts } from '#ports/send-webhook.ts';

export const handler = handle(test, sendPorts, async ({ params, user }, ports) =>
  ok({ data: await pingWebhook(ports, params.webhook, user.id) }),
);
