import { replay } from '#contract/webhooks.ts';
import { replayDelivery } from '#domain/webhooks/log.ts';
import { handle, ok } from '#http/handle.ts';
import { deliverPorts } from '#ports/webhooks.ts';

export const handler = handle(replay, deliverPorts, async ({ params }, ports) =>
  ok({ data: await replayDelivery(ports, params.webhook, params.delivery) }),
);
