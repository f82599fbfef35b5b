import type { Attempt, Delivery } from '#contract/webhooks.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { deliveriesAfter, findDelivery, replaceDeliveryAudited } from '#data/webhooks.ts';
import { deliveryView, restarted } from '#model/delivery.ts';
import { ledgerPage } from '#model/paging.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { notFound } from '#shared/errors.ts';
import { attemptDelivery } from './deliver.ts';
import { getWebhook } from './manage.ts';
import { signingSecrets } from './secrets.ts';
import { sendMessage } from './send.ts';

/** A page of the deliveries of a webhook, newest first, after the one with the id `after`. @throws 404. */
export const deliveriesOfWebhook = async (webhookId: string, query: { after?: string | undefined; limit: number }) => {
  await getWebhook(webhookId);
  // One more than a page, to see whether another page follows.
  const found = await deliveriesAfter(webhookId, query.after, query.limit + 1);
  return ledgerPage(found.map(deliveryView), query.limit);
};

/** Restarts a delivery and attempts it immediately, even if its webhook is switched off. @throws 404. */
export const replayDelivery = async (webhookId: string, deliveryId: string): Promise<Delivery> => {
  await getWebhook(webhookId);
  const delivery = await retryOnConflict(async () => {
    const previous = await findDelivery(webhookId, deliveryId);
    if (!previous) throw notFound();
    const next = restarted(previous, now());
    await replaceDeliveryAudited(previous, next);
    return next;
  });
  // Undefined when a concurrent retry has claimed the delivery: then the state that it stored is returned.
  const current =
    (await attemptDelivery(delivery, { evenIfInactive: true })) ?? (await findDelivery(webhookId, deliveryId));
  if (!current) throw notFound();
  return deliveryView(current);
};

/** Sends a ping, even if the webhook is switched off. Nothing is stored. @throws 404. */
export const pingWebhook = async (webhookId: string, actorId: string): Promise<Attempt & { event_id: string }> => {
  const webhook = await getWebhook(webhookId);
  const id = newId('evt');
  const at = now();
  const secrets = await signingSecrets(webhook, at);
  const attempt = await sendMessage(webhook, secrets, {
    id,
    kind: 'ping',
    occurred_at: at,
    actor_id: actorId,
    data: { webhook_id: webhook.id },
  });
  return { ...attempt, event_id: id };
};
