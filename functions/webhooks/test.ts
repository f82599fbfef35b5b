import { test } from '#contract/webhooks.ts';
import { pingPorts } from '#data/webhook-ports.ts';
import { pingWebhook } from '#domain/webhooks/log.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(test, pingPorts, async ({ params, user }, ports) =>
  ok({ data: await pingWebhook(ports, params.webhook, user.id) }),
);
