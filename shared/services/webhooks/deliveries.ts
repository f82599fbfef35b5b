import type { Attempt, Delivery } from '#contract/webhooks.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { inOutbox } from '#data/outbox.ts';
import {
  deliveriesAfter,
  deliveriesSince,
  findDelivery,
  replaceDelivery,
  replaceDeliveryAudited,
} from '#data/webhooks.ts';
import { transact } from '#data/write.ts';
import { newMessage } from '#events/catalogue.ts';
import { deliveryView, restarted } from '#model/delivery.ts';
import { boundedPage } from '#model/paging.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { conflict, notFound } from '#shared/errors.ts';
import { attemptDelivery } from './deliver.ts';
import { getWebhook } from './manage.ts';
import { signingSecrets } from './secrets.ts';
import { sendMessage } from './send.ts';

/** A page of the deliveries of a webhook, newest first, after the one with the id `after`. @throws 404. */
export const deliveriesOfWebhook = async (
  webhookId: string,
  { state, after, limit }: { state?: Delivery['state'] | undefined; after?: string | undefined; limit: number },
) => {
  await getWebhook(webhookId);
  // One more than a page, to see whether another page follows.
  const newestFirst = deliveriesAfter(webhookId, after, limit + 1);
  const page = await boundedPage(newestFirst, limit, (delivery) => state === undefined || delivery.state === state);
  return { ...page, data: page.data.map(deliveryView) };
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

/**
 * Requests the replay of all failed deliveries, which a task performs: at any number of deliveries, and also if this process
 * dies.
 * @throws 404; 409 while the webhook is disabled, because its pending deliveries are cancelled.
 */
export const requestReplay = async (webhookId: string, since: string, actorId: string) => {
  const { is_active } = await getWebhook(webhookId);
  if (!is_active) throw conflict('INVALID_TRANSITION', 'The webhook is disabled.');
  const message = newMessage('webhookReplayDue', actorId, { webhook_id: webhookId, since });
  await transact([inOutbox(message)]);
  return { webhook_id: webhookId, since, requested_at: message.occurred_at };
};

/** How long the task works before it enqueues itself again, in milliseconds. */
const TASK_BUDGET_MS = 240_000;

/**
 * Restarts the failed deliveries of a webhook since a time; the job for retries sends them. Safe to repeat.
 * @param budgetMs after this time the task enqueues itself again for the rest.
 */
export const restartFailed = async (
  webhookId: string,
  since: string,
  budgetMs: number = TASK_BUDGET_MS,
): Promise<void> => {
  const untilMs = performance.now() + budgetMs;
  for await (const delivery of deliveriesSince(webhookId, Date.parse(since))) {
    if (performance.now() >= untilMs) {
      const rest = { webhook_id: webhookId, since: delivery.event.occurred_at };
      await transact([inOutbox(newMessage('webhookReplayDue', null, rest))]);
      return;
    }
    // Deliveries that have been changed concurrently are no longer failed.
    if (delivery.state === 'failed') await replaceDelivery(delivery, restarted(delivery, now()));
  }
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
