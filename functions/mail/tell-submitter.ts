import { once } from '#data/receipts.ts';
import { findUser } from '#data/users.ts';
import { tellSubmitter } from '#domain/mail/tell-submitter.ts';
import { subscribe } from '#events/subscribe.ts';
import { mailSubmitter } from '#events/subscriptions.ts';
import { sendMail } from '#platform/mail.ts';
import { settings } from '#platform/settings.ts';

const letterhead = () => ({ siteName: settings().siteName, siteUrl: settings().siteUrl });

export const handler = subscribe(mailSubmitter, { findUser, once, sendMail, letterhead }, async (event, ports) => {
  await tellSubmitter(ports, event);
});
