import { mailPorts } from '#data/mail-ports.ts';
import { tellAdmins } from '#domain/mail/tell-admins.ts';
import { subscribe } from '#events/subscribe.ts';
import { mailAdmins } from '#events/subscriptions.ts';

export const handler = subscribe(mailAdmins, mailPorts, async (event, ports) => {
  await tellAdmins(ports, event);
});
