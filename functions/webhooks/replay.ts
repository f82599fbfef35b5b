import { replay } from '#contract/webhooks.ts';
import { handle, ok } from '#http/handle.ts';
import { replayDelivery } from '#services/webhooks/deliveries.ts';

export const handler = handle(replay, async ({ params }) =>
  ok({ data: await replayDelivery(params.webhook, params.delivery) }),
);
