import { restartDeliveries } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { restartFailed } from '#services/webhooks/deliveries.ts';

export const handler = subscribe(restartDeliveries, ({ data }) => restartFailed(data.webhook_id, data.since));
