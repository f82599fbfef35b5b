import { startCheckout } from '#contract/payments.ts';
import { idempotency } from '#data/idempotency.ts';
import { startCheckout as start } from '#domain/payments/open.ts';
import { handle, ok } from '#http/handle.ts';
import { buyPorts } from '#ports/buy.ts';

export const handler = handle(
  startCheckout,
  buyPorts,
  async ({ body, user, seed }, ports) => ok({ data: await start(ports, user, body, seed) }),
  { idempotency },
);
