import { findCheckout } from '#data/checkouts.ts';
import { tellBuyer } from '#domain/mail/tell-buyer.ts';
import { subscribe } from '#events/subscribe.ts';
import { mailBuyer } from '#events/subscriptions.ts';
import { mailPorts } from '#ports/mail.ts';

export const handler = subscribe(mailBuyer, { ...mailPorts, findCheckout }, async (event, ports) => {
  await tellBuyer(ports, event);
});
