import { rotate } from '#contract/webhooks.ts';
import { rotateSecret } from '#domain/webhooks/manage.ts';
import { handle, ok } from '#http/handle.ts';
import { managePorts } from '#ports/webhooks.ts';

export const handler = handle(rotate, managePorts, async ({ params }, ports) =>
  ok({ data: await rotateSecret(ports, params.webhook) }),
);
