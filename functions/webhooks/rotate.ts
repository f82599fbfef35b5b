import { rotate } from '#contract/webhooks.ts';
import { managePorts } from '#data/webhook-ports.ts';
import { rotateSecret } from '#domain/webhooks/manage.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(rotate, managePorts, async ({ params }, ports) =>
  ok({ data: await rotateSecret(ports, params.webhook) }),
);
