import { notifySubmitter as subscription } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { notifySubmitter } from '#services/mail/notifications.ts';

export const handler = subscribe(subscription, notifySubmitter);
