import { stripe } from '#contract/payments.ts';
import { receiveEvent } from '#domain/payments/receive.ts';
import { handle, ok } from '#http/handle.ts';
import { signedEvent } from '#platform/stripe.ts';
import { settlePorts } from '#ports/settle.ts';

export const handler = handle(stripe, settlePorts, async ({ body }, ports) => {
  const event = await signedEvent(body.bytes, body.signature);
  if (event) await receiveEvent(ports, event);
  return ok({ data: { received: true } });
});
