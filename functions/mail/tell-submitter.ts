import { mailSubmitter as subscription } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { mailSubmitter } from '#services/mail/notifications.ts';

export const handler = subscribe(subscription, mailSubmitter);
