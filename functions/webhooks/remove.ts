import { remove } from '#contract/webhooks.ts';
import { deleteWebhook } from '#domain/webhooks/manage.ts';
import { handle, ok } from '#http/handle.ts';
import { managePorts } from '#ports/webhooks.ts';

export const handler = handle(remove, managePorts, async ({ params }, ports) =>
  ok({ data: { id: await deleteWebhook(ports, params.webhook), deleted: true } }),
);
