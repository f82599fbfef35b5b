import { startCheckout } from '#contract/payments.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { permitCheckout, startCheckout as start } from '#services/payments/open.ts';

export const handler = handle(
  startCheckout,
  async ({ body, user, seed }) => ok({ data: await start(user, body, seed) }),
  [authorize(({ body, user }) => permitCheckout(user, body)), idempotency],
);
