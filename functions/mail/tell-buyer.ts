import { mailBuyer as subscription } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { mailBuyer } from '#services/mail/notifications.ts';

export const handler = subscribe(subscription, mailBuyer);
