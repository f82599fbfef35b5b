import type { LedgerEvent } from '#contract/events.ts';
import { type AttemptPorts, attemptDelivery } from './attempt.ts';
import { type DeliveryRecord, newDelivery, RETRY_PAUSES_MS } from './delivery.ts';
import type { WebhookRecord } from './webhook.ts';

/** What turning events into deliveries takes. */
export interface EnqueuePorts extends AttemptPorts {
  readonly allWebhooks: () => Promise<WebhookRecord[]>;
  /** Whether it is new: an event that comes again makes no second delivery. */
  readonly insertDelivery: (delivery: DeliveryRecord) => Promise<boolean>;
  /** Whether there was time to wait. */
  readonly wait: (ms: number) => Promise<boolean>;
}

/**
 * Makes a delivery of an event for every webhook that wants it and tries each at once. What is not delivered stands in the
 * table and is tried again by `retryDueDeliveries`. The first retry comes sooner than any schedule, so it is made here where there
 * is time, for webhooks that worked until now: those that fail anyway would only hold up what comes behind.
 */
export const enqueueDeliveries = async (ports: EnqueuePorts, event: LedgerEvent): Promise<void> => {
  const webhooks = (await ports.allWebhooks()).filter(
    ({ is_active, kinds }) => is_active && kinds.includes(event.kind),
  );
  const deliver = async (webhook: WebhookRecord): Promise<void> => {
    const delivery = newDelivery(webhook.id, event, ports.now());
    if (!(await ports.insertDelivery(delivery))) return;
    const tried = await attemptDelivery(ports, delivery);
    if (tried?.state !== 'pending' || webhook.failing_since !== null) return;
    if (await ports.wait(RETRY_PAUSES_MS[0] ?? 0)) await attemptDelivery(ports, tried);
  };
  const results = await Promise.allSettled(webhooks.map(deliver));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
};
