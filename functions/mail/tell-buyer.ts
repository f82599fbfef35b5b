import { mailPorts } from '#data/mail-ports.ts';
import { tellBuyer } from '#domain/mail/tell-buyer.ts';
import { subscribe } from '#events/subscribe.ts';
import { mailBuyer } from '#events/subscriptions.ts';

export const handler = subscribe(mailBuyer, mailPorts, async (event, ports) => {
  await tellBuyer(ports, event);
});
