import { mailAdmins as subscription } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { mailAdmins } from '#services/mail/notifications.ts';

export const handler = subscribe(subscription, mailAdmins);
