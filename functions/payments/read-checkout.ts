import { readCheckout } from '#contract/payments.ts';
import { handle, ok } from '#http/handle.ts';
import { getCheckout } from '#services/payments/list.ts';

export const handler = handle(readCheckout, async ({ params, user }) =>
  ok({ data: await getCheckout(user, params.checkout) }),
);
