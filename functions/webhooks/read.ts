import { read } from '#contract/webhooks.ts';
import { findWebhook } from '#data/webhooks.ts';
import { getWebhook } from '#domain/webhooks/manage.ts';
import { shownWebhook } from '#domain/webhooks/webhook.ts';
import { handle, ok } from '#http/handle.ts';
import { now } from '#platform/clock.ts';

export const handler = handle(read, { now, findWebhook }, async ({ params }, ports) =>
  ok({ data: shownWebhook(await getWebhook(ports, params.webhook), ports.now()) }),
);
