import { refundPayment } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { refundCheckout } from '#services/payments/fulfil.ts';

export const handler = subscribe(refundPayment, async ({ data }) => {
  await refundCheckout(data);
});
