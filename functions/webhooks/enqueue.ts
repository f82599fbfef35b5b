import { deliverPorts } from '#data/webhook-ports.ts';
import { enqueueDeliveries } from '#domain/webhooks/enqueue.ts';
import { subscribe } from '#events/subscribe.ts';
import { enqueueWebhooks } from '#events/subscriptions.ts';

export const handler = subscribe(enqueueWebhooks, deliverPorts, async (event, ports) => {
  await enqueueDeliveries(ports, event);
});
