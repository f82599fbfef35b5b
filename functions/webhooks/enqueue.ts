import { enqueueWebhooks } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { enqueueDeliveries } from '#services/webhooks/deliveries.ts';

export const handler = subscribe(enqueueWebhooks, enqueueDeliveries);
