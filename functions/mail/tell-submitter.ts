import { subscribe } from '#events/subscribe.ts';
import { mailSubmitter as subscription } from '#events/subscriptions.ts';
import { mailSubmitter } from '#services/mail/notifications.ts';

export const handler = subscribe(subscription, mailSubmitter);
