import { update } from '#contract/webhooks.ts';
import { updateWebhook } from '#domain/webhooks/manage.ts';
import { handle, ok } from '#http/handle.ts';
import { managePorts } from '#ports/webhooks.ts';

export const handler = handle(update, managePorts, async ({ params, body }, ports) =>
  ok({ data: await updateWebhook(ports, params.webhook, body) }),
);
