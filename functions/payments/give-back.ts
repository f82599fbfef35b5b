import { giveBackPorts } from '#data/payment-ports.ts';
import { giveBack } from '#domain/payments/give-back.ts';
import { subscribe } from '#events/subscribe.ts';
import { giveBackPayment } from '#events/subscriptions.ts';

export const handler = subscribe(giveBackPayment, giveBackPorts, async ({ data }, ports) => {
  await giveBack(ports, data.checkout_id);
});
