import { subscribe } from '#events/subscribe.ts';
import { enqueueWebhooks } from '#events/subscriptions.ts';
import { enqueueDeliveries } from '#services/webhooks/deliver.ts';

export const handler = subscribe(enqueueWebhooks, enqueueDeliveries);
