import { read } from '#contract/webhooks.ts';
import { managePorts } from '#data/webhook-ports.ts';
import { getWebhook } from '#domain/webhooks/manage.ts';
import { shownWebhook } from '#domain/webhooks/webhook.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(read, managePorts, async ({ params }, ports) =>
  ok({ data: shownWebhook(await getWebhook(ports, params.webhook), ports.now()) }),
);
