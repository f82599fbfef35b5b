import { subscribe } from '#events/subscribe.ts';
import { mailAdmins as subscription } from '#events/subscriptions.ts';
import { mailAdmins } from '#services/mail/notifications.ts';

export const handler = subscribe(subscription, mailAdmins);
