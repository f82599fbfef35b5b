import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerEvent } from '#contract/events.ts';
import type { Attempt } from '#contract/webhooks.ts';
import {
  allWebhooks,
  clearFailing,
  deleteDelivery,
  disableWebhook,
  dueDeliveries,
  findWebhook,
  insertDelivery,
  markFailing,
  replaceDelivery,
} from '#data/webhooks.ts';
import { newMessage } from '#events/catalogue.ts';
import {
  afterAttempt,
  cancelled,
  claimed,
  type DeliveryRecord,
  newDelivery,
  RETRY_PAUSES_MS,
} from '#model/delivery.ts';
import type { WebhookRecord } from '#model/webhook.ts';
import { now } from '#platform/clock.ts';
import { encryptStoredSecrets, signingSecrets } from './secrets.ts';
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

/**
 * Attempts a delivery once. A conditional write claims it first, so that one of several concurrent processes sends; the
 * claim of a process that died expires after a minute.
 * @returns the delivery afterwards; undefined when another process has claimed it or its webhook was deleted.
 */
export const attemptDelivery = async (
  delivery: DeliveryRecord,
  { evenIfInactive = false }: { readonly evenIfInactive?: boolean } = {},
): Promise<DeliveryRecord | undefined> => {
  const webhook = await findWebhook(delivery.webhook_id);
  if (!webhook) {
    await deleteDelivery(delivery);
    return undefined;
  }
  await encryptStoredSecrets(webhook);
  if (!webhook.is_active && !evenIfInactive) {
    const next = cancelled(delivery);
    return (await replaceDelivery(delivery, next)) ? next : undefined;
  }
  // Before the claim: without the key service the delivery stays due.
  const secrets = await signingSecrets(webhook, now());
  const claim = claimed(delivery, now());
  if (!(await replaceDelivery(delivery, claim))) return undefined;
  const attempt = await sendMessage(webhook, secrets, delivery.event);
  const next = afterAttempt(claim, attempt, now());
  // Before the delivery: if the process dies in between, the attempt is repeated and `failing_since` is correct.
  await trackFailures(webhook, attempt, next.state === 'failed');
  return (await replaceDelivery(claim, next)) ? next : undefined;
};

// A function instance that waits processes no other event, so at most one delivery per process waits.
let isWaiting = false;

/** Waits unless another delivery of this process is waiting. @returns whether it waited. */
const waitAlone = async (ms: number): Promise<boolean> => {
  if (isWaiting) return false;
  isWaiting = true;
  try {
    await sleep(ms);
    return true;
  } finally {
    isWaiting = false;
  }
};

/**
 * Creates a delivery of an event for each subscribed webhook and attempts each immediately. `retryDueDeliveries` does
 * the retries, except the first one, which is due before the next scheduled run. It is made here, but only for webhooks
 * that were working: waiting for failing ones would delay the following events.
 */
export const enqueueDeliveries = async (event: LedgerEvent): Promise<void> => {
  const webhooks = (await allWebhooks()).filter(({ is_active, kinds }) => is_active && kinds.includes(event.kind));
  const deliver = async (webhook: WebhookRecord): Promise<void> => {
    const delivery = newDelivery(webhook.id, event, now());
    if (!(await insertDelivery(delivery))) return;
    const attempted = await attemptDelivery(delivery);
    if (attempted?.state !== 'pending' || webhook.failing_since !== null) return;
    if (await waitAlone(RETRY_PAUSES_MS[0] ?? 0)) await attemptDelivery(attempted);
  };
  const results = await Promise.allSettled(webhooks.map(deliver));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
};

/** The result of a run of retries. */
export interface RetrySummary {
  /** Deliveries that were attempted. */
  readonly processed: number;
  readonly delivered: number;
  /** Failed attempts; the deliveries are retried or have no retries left. */
  readonly failed: number;
  /** Given up because their webhook is switched off. */
  readonly cancelled: number;
  /** Whether the run ended before all due deliveries were attempted. */
  readonly unfinished: boolean;
}

const CONCURRENCY = 20;
const BATCH = 100;
/** How long a run starts new attempts; the last of them ends within the 29 seconds of the gateway. */
const RUN_MS = 15_000;

/**
 * Attempts every delivery that is due. Safe to run concurrently: each delivery is sent by one of the runs. The next run
 * continues what this one does not finish in time.
 */
export const retryDueDeliveries = async (): Promise<RetrySummary> => {
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
    const queue = unseen.values();
    const work = async (): Promise<void> => {
      for (const delivery of queue) {
        if (performance.now() >= until) {
          unfinished = true;
          return;
        }
        const attempted = await attemptDelivery(delivery);
        if (!attempted) continue;
        if (attempted.state === 'delivered' || attempted.state === 'cancelled') counts[attempted.state] += 1;
        else counts.failed += 1;
      }
    };
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, unseen.length) }, work));
  }
  return { processed: counts.delivered + counts.failed, ...counts, unfinished };
};
