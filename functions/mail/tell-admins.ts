import { tellAdmins } from '#domain/mail/tell-admins.ts';
import { subscribe } from '#events/subscribe.ts';
import { mailAdmins } from '#events/subscriptions.ts';
import { mailPorts } from '#ports/mail.ts';

export const handler = subscribe(mailAdmins, mailPorts, async (event, ports) => {
  await tellAdmins(ports, event);
});
