import { notifyAdmins as subscription } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { notifyAdmins } from '#services/mail/notifications.ts';

export const handler = subscribe(subscription, notifyAdmins);
