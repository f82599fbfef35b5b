import { findCheckout } from '#data/checkouts.ts';
import { giveBack } from '#domain/payments/give-back.ts';
import { subscribe } from '#events/subscribe.ts';
import { giveBackPayment } from '#events/subscriptions.ts';
import { refund } from '#platform/stripe.ts';

export const handler = subscribe(giveBackPayment, { findCheckout, refund }, async ({ data }, ports) => {
  await giveBack(ports, data.checkout_id);
});
