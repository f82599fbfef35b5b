import { notifyBuyer as subscription } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { notifyBuyer } from '#services/mail/notifications.ts';

export const handler = subscribe(subscription, notifyBuyer);
