import { subscribe } from '#events/subscribe.ts';
import { mailBuyer as subscription } from '#events/subscriptions.ts';
import { mailBuyer } from '#services/mail/notifications.ts';

export const handler = subscribe(subscription, mailBuyer);
