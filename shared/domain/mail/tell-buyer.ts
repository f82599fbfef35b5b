import type { Message } from '#events/catalogue.ts';
import { paymentLetter } from '#shared/mail/payment-letters.ts';
import { mailOnce, type PostOffice } from './post-office.ts';

/** Mails whoever paid that the payment has arrived, once per event. */
export const tellBuyer = async (office: PostOffice, event: Message<'paymentSettled'>): Promise<void> => {
  const user = await office.findUser(event.data.user_id);
  if (!user) return;
  await mailOnce(office, { user, wish: 'payment_received' }, 'mail.tellBuyer', event.id, (name, head) =>
    paymentLetter(event, name, head),
  );
};
