import { type CheckoutRecord, wentBack } from '#domain/payments/checkout.ts';
import type { Message } from '#events/catalogue.ts';
import { paymentLetter } from '#shared/mail/payment-letters.ts';
import { mailOnce, type PostOffice } from './post-office.ts';

/** What telling whoever paid takes. */
export interface BuyerPorts extends PostOffice {
  readonly findCheckout: (checkoutId: string) => Promise<Pick<CheckoutRecord, 'status'> | undefined>;
}

/**
 * Mails whoever paid that the payment has arrived, once per event; nobody whose money has gone back meanwhile, for then he
 * has nothing of what the letter says.
 */
export const tellBuyer = async (office: BuyerPorts, event: Message<'paymentSettled'>): Promise<void> => {
  const checkout = await office.findCheckout(event.data.checkout_id);
  if (checkout && wentBack(checkout)) return;
  const user = await office.findUser(event.data.user_id);
  if (!user) return;
  await mailOnce(office, { user, wish: 'payment_received' }, 'mail.tellBuyer', event.id, (name, head) =>
    paymentLetter(event, name, head),
  );
};
