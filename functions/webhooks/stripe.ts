import { stripe } from '#contract/webhooks.ts';
import { handle, ok } from '#http/handle.ts';
import { verifyEvent } from '#platform/stripe.ts';
import { receiveEvent } from '#services/payments/receive.ts';

export const handler = handle(stripe, async ({ body }) => {
  const event = await verifyEvent(body.bytes, body.signature);
  if (event) await receiveEvent(event);
  return ok({ data: { received: true } });
});
