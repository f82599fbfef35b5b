import { refundUndeliverable } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { refundCheckout } from '#services/payments/refund.ts';

export const handler = subscribe(refundUndeliverable, async ({ data }) => {
  await refundCheckout(data.checkout_id);
});
