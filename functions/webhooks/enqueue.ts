import { enqueueDeliveries } from '#domain/webhooks/enqueue.ts';
import { subscribe } from '#events/subscribe.ts';
import { enqueueWebhooks } from '#events/subscriptions.ts';
import { deliverPorts } from '#ports/webhooks.ts';

export const handler = subscribe(enqueueWebhooks, deliverPorts, async (event, ports) => {
  await enqueueDeliveries(ports, event);
});
