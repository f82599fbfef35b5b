import { tellSubmitter } from '#domain/mail/tell-submitter.ts';
import { subscribe } from '#events/subscribe.ts';
import { mailSubmitter } from '#events/subscriptions.ts';
import { mailPorts } from '#ports/mail.ts';

export const handler = subscribe(mailSubmitter, mailPorts, async (event, ports) => {
  await tellSubmitter(ports, event);
});
