import { readCheckout } from '#contract/payments.ts';
import { findParts } from '#data/checkout-project.ts';
import { findCheckout } from '#data/checkouts.ts';
import { readCheckout as read } from '#domain/payments/read.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(readCheckout, { findCheckout, findParts }, async ({ params, user }, ports) =>
  ok({ data: await read(ports, user, params.checkout) }),
);
