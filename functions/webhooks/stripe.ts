import { stripe } from '#contract/webhooks.ts';
import { handle, ok } from '#http/handle.ts';
import { receiveEvent } from '#services/payments/receive.ts';

export const handler = handle(stripe, async ({ body }) => {
  await receiveEvent(body.bytes, body.signature);
  return ok({ data: { received: true } });
});
