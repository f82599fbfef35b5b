import { notifyOwners as subscription } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { notifyOwners } from '#services/mail/notifications.ts';

export const handler = subscribe(subscription, notifyOwners);
