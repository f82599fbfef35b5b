import { create } from '#contract/webhooks.ts';
import { createWebhook } from '#domain/webhooks/manage.ts';
import { created, handle } from '#http/handle.ts';
import { managePorts } from '#ports/webhooks.ts';

export const handler = handle(create, managePorts, async ({ body }, ports) =>
  created({ data: await createWebhook(ports, body) }),
);
