import type { Attempt, Delivery } from '#contract/webhooks.ts';
import { type Paging, pageMeta, skipOf } from '#domain/paging.ts';
import { notFound } from '#shared/errors.ts';
import { type AttemptPorts, attemptDelivery, type SendPorts, sendTo } from './attempt.ts';
import { type DeliveryRecord, restartedAt, shownDelivery } from './delivery.ts';
import { getWebhook, type ManagePorts } from './manage.ts';

/** What looking at deliveries takes. */
export interface LogPorts {
  readonly findWebhook: ManagePorts['findWebhook'];
  /** Deliveries of a webhook, newest first; `skip` of them passed over. */
  readonly pageOfDeliveries: (webhookId: string, skip: number, count: number) => Promise<DeliveryRecord[]>;
  readonly countDeliveries: (webhookId: string) => Promise<number>;
}

/** A page of the deliveries of a webhook, newest first. @throws 404. */
export const pageOfLog = async (ports: LogPorts, webhookId: string, query: Paging) => {
  await getWebhook(ports, webhookId);
  const total = await ports.countDeliveries(webhookId);
  const skip = skipOf(query);
  const found = skip < total ? await ports.pageOfDeliveries(webhookId, skip, query.limit) : [];
  return { data: found.map(shownDelivery), meta: pageMeta(query, total, found.length) };
};

/** What replaying takes. */
export interface ReplayPorts extends AttemptPorts {
  readonly findDelivery: (webhookId: string, deliveryId: string) => Promise<DeliveryRecord | undefined>;
  /** Whether the delivery was still as `previous`. */
  readonly restartDelivery: (previous: DeliveryRecord, next: DeliveryRecord) => Promise<boolean>;
}

const TRIES_MAX = 10;

/** Starts a delivery anew and tries it at once. @throws 404. */
export const replayDelivery = async (ports: ReplayPorts, webhookId: string, deliveryId: string): Promise<Delivery> => {
  await getWebhook(ports, webhookId);
  for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
    const delivery = await ports.findDelivery(webhookId, deliveryId);
    if (!delivery) throw notFound();
    const restarted = restartedAt(delivery, ports.now());
    if (!(await ports.restartDelivery(delivery, restarted))) continue;
    const tried = await attemptDelivery(ports, restarted, { ifInactive: true });
    // Where a retry was faster, what it has made of the delivery is the answer.
    const now = tried ?? (await ports.findDelivery(webhookId, deliveryId));
    if (!now) throw notFound();
    return shownDelivery(now);
  }
  throw new Error('The delivery keeps being changed by others.');
};

/** What a ping takes. */
export interface PingPorts extends SendPorts {
  readonly newId: (kind: 'evt') => string;
  readonly findWebhook: ManagePorts['findWebhook'];
}

/** Sends a ping at once, also to a webhook that is switched off. @throws 404. */
export const pingWebhook = async (
  ports: PingPorts,
  webhookId: string,
  actorId: string,
): Promise<Attempt & { event_id: string }> => {
  const webhook = await getWebhook(ports, webhookId);
  const id = ports.newId('evt');
  const attempt = await sendTo(ports, webhook, {
    id,
    kind: 'ping',
    occurred_at: ports.now(),
    actor_id: actorId,
    data: { webhook_id: webhook.id },
  });
  return { ...attempt, event_id: id };
};
