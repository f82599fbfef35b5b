import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggedEvent } from '#contract/events.ts';
import type { Attempt, Delivery } from '#contract/webhooks.ts';
import { ConflictError, retryOnConflict } from '#data/conflict.ts';
import { withoutErasedUsers } from '#data/erased-users.ts';
import { inOutbox } from '#data/event-log.ts';
import { filteredPage } from '#data/paging.ts';
import {
  clearFailing,
  deleteDelivery,
  deliveriesAfter,
  deliveriesSince,
  disableWebhook,
  dueDeliveries,
  findDelivery,
  insertDelivery,
  markFailing,
  replaceDelivery,
  replaceDeliveryAudited,
  webhooks,
} from '#data/webhooks.ts';
import { transact } from '#data/write.ts';
import { newMessage } from '#events/catalogue.ts';
import {
  afterAttempt,
  cancelled,
  claimed,
  type DeliveryRecord,
  deliveryView,
  newDelivery,
  RETRY_PAUSES_MS,
  restarted,
  type WebhookRecord,
  withEvent,
} from '#model/webhook.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { conflict, mustExist, notFound } from '#shared/errors.ts';
import { getWebhook, signingSecrets } from './manage.ts';
import { sendMessage } from './send.ts';

/** A webhook without any success for this long is switched off, in milliseconds. */
const FAILING_MS = 5 * 24 * 3600 * 1000;

/** Updates `failing_since` of a webhook after an attempt, and switches the webhook off when it has failed too long. */
const trackFailures = async (webhook: WebhookRecord, attempt: Attempt, isFinal: boolean): Promise<void> => {
  const { failing_since: since } = webhook;
  if (attempt.ok) {
    if (since !== null) await clearFailing(webhook.id);
    return;
  }
  if (since === null) {
    await markFailing(webhook.id, attempt.at);
    return;
  }
  // Only a delivery without retries left switches off: two isolated failures a week apart are not five days of failure.
  const at = now();
  if (!isFinal || !webhook.is_active || Date.parse(at) - Date.parse(since) < FAILING_MS) return;
  const host = URL.parse(webhook.url)?.host ?? '';
  const event = newMessage('webhookDisabled', null, { webhook_id: webhook.id, host, failing_since: since });
  await disableWebhook(webhook.id, since, at, event);
};

const withoutErased = async (delivery: DeliveryRecord): Promise<DeliveryRecord> =>
  withEvent(delivery, await withoutErasedUsers(delivery.event));

/**
 * Attempts a delivery once, without users who have been erased since. A conditional write claims it first, so that one of several concurrent processes sends; the
 * claim of a process that died expires after a minute.
 * @returns the delivery afterwards; undefined when another process has claimed it, an erasure has changed it or its webhook was
 * deleted.
 */
const attemptDelivery = async (
  stored: DeliveryRecord,
  { evenIfInactive = false }: { readonly evenIfInactive?: boolean } = {},
): Promise<DeliveryRecord | undefined> => {
  const webhook = await webhooks.find(stored.webhook_id);
  if (!webhook) {
    await deleteDelivery(stored);
    return undefined;
  }
  if (!webhook.is_active && !evenIfInactive) {
    const next = cancelled(await withoutErased(stored));
    return (await replaceDelivery(stored, next)) ? next : undefined;
  }
  // Before the claim: without the key service the delivery stays due.
  const secrets = await signingSecrets(webhook, now());
  const claim = claimed(await withoutErased(stored), now());
  if (!(await replaceDelivery(stored, claim))) return undefined;
  const attempt = await sendMessage(webhook, secrets, claim.event);
  const next = afterAttempt(claim, attempt, now());
  // Before the delivery: if the process dies in between, the attempt is repeated and `failing_since` is correct.
  await trackFailures(webhook, attempt, next.state === 'failed');
  return (await replaceDelivery(claim, next)) ? next : undefined;
};

// A function instance that waits processes no other event, so at most one delivery per process waits.
let isPending = false;

/** Waits unless another delivery of this process is waiting. @returns whether it waited. */
const waitAlone = async (ms: number): Promise<boolean> => {
  if (isPending) return false;
  isPending = true;
  try {
    await sleep(ms);
    return true;
  } finally {
    isPending = false;
  }
};

/**
 * Creates a delivery of an event for each subscribed webhook and attempts each immediately. `retryDueDeliveries` does
 * the retries, except the first one, which is due before the next scheduled run. It is made here, but only for webhooks
 * that were working: waiting for failing ones would delay the following events.
 */
export const enqueueDeliveries = async (event: LoggedEvent): Promise<void> => {
  const subscribed = (await webhooks.all()).filter(({ is_active, kinds }) => is_active && kinds.includes(event.kind));
  const deliver = async (webhook: WebhookRecord): Promise<void> => {
    const delivery = newDelivery(webhook.id, event, now());
    if (!(await insertDelivery(delivery))) return;
    const attempted = await attemptDelivery(delivery);
    if (attempted?.state !== 'pending' || webhook.failing_since !== null) return;
    if (await waitAlone(RETRY_PAUSES_MS[0] ?? 0)) await attemptDelivery(attempted);
  };
  const results = await Promise.allSettled(subscribed.map(deliver));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
};

const CONCURRENCY = 20;
const BATCH = 100;
/** How long a run starts new attempts; the last of them ends within the 29 seconds of the gateway. */
const RUN_MS = 15_000;

/**
 * Attempts every delivery that is due. Safe to run concurrently: each delivery is sent by one of the runs. The next run
 * continues what this one does not finish in time.
 */
export const retryDueDeliveries = async () => {
  const until = performance.now() + RUN_MS;
  const counts = { delivered: 0, failed: 0, cancelled: 0 };
  const seen = new Set<string>();
  let unfinished = false;
  while (!unfinished) {
    const due = await dueDeliveries(now(), BATCH);
    // The index is eventually consistent: it may still list deliveries that this run has attempted.
    const unseen = due.filter(({ webhook_id, id, version }) => !seen.has(`${webhook_id} ${id} ${version}`));
    if (unseen.length === 0) break;
    for (const { webhook_id, id, version } of unseen) seen.add(`${webhook_id} ${id} ${version}`);
    const { results, isComplete } = await mapConcurrently(unseen, (delivery) => attemptDelivery(delivery), {
      concurrency: CONCURRENCY,
      until,
    });
    for (const attempted of results) {
      if (!attempted) continue;
      if (attempted.state === 'delivered' || attempted.state === 'cancelled') counts[attempted.state] += 1;
      else counts.failed += 1;
    }
    unfinished = !isComplete;
  }
  return { processed: counts.delivered + counts.failed, ...counts, unfinished };
};

/** A page of the deliveries of a webhook, newest first, after the one with the id `after`. @throws 404. */
export const deliveriesOfWebhook = async (
  webhookId: string,
  { state, after, limit }: { state?: Delivery['state'] | undefined; after?: string | undefined; limit: number },
) => {
  await getWebhook(webhookId);
  // One more than a page, to see whether another page follows.
  const newestFirst = deliveriesAfter(webhookId, after, limit + 1);
  const page = await filteredPage(newestFirst, limit, (delivery) => state === undefined || delivery.state === state);
  return { ...page, data: page.data.map(deliveryView) };
};

/** Restarts a delivery and attempts it immediately, even if its webhook is switched off. @throws 404. */
export const replayDelivery = async (webhookId: string, deliveryId: string): Promise<Delivery> => {
  await getWebhook(webhookId);
  const delivery = await retryOnConflict(async () => {
    const previous = mustExist(await findDelivery(webhookId, deliveryId));
    const next = restarted(previous, now());
    await replaceDeliveryAudited(previous, next);
    return next;
  });
  // Undefined when a concurrent retry has claimed the delivery, or an erasure changed it: then the state that it stored is returned.
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

/** Restarts a delivery if it is still failed: an erasure may have changed it since it was read. */
const restart = ({ webhook_id, id }: DeliveryRecord): Promise<void> =>
  retryOnConflict(async () => {
    const current = await findDelivery(webhook_id, id);
    if (current?.state !== 'failed') return;
    if (!(await replaceDelivery(current, restarted(current, now())))) {
      throw new ConflictError('The delivery was changed concurrently.');
    }
  });

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
    if (delivery.state === 'failed') await restart(delivery);
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
