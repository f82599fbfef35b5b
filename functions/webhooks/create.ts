import { create } from '#contract/webhooks.ts';
import { managePorts } from '#data/webhook-ports.ts';
import { createWebhook } from '#domain/webhooks/manage.ts';
import { created, handle } from '#http/handle.ts';

export const handler = handle(create, managePorts, async ({ body }, ports) =>
  created({ data: await createWebhook(ports, body) }),
);
