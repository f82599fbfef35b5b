import type { LedgerEvent } from '#contract/events.ts';
import type { DeliveryRecord } from '#domain/webhooks/delivery.ts';
import { REMEMBERED_SECONDS } from '#events/memory.ts';
import { absent, every, exists, is } from './conditions.ts';
import { amongDue, deliveriesPartition, deliveryKey, deliveryPrefix, duePartition, dueUpTo, type Key } from './keys.ts';
import { countCollection, findItem, firstOfCollection, type Item, pageOfCollection } from './read.ts';
import { ConditionFailed, putItem, removeItem, transact } from './write.ts';

/** How long a delivery can be looked at and replayed, in seconds; as long, its event makes no second one. */
const DELIVERY_SECONDS = REMEMBERED_SECONDS;

const deliveryItem = (delivery: DeliveryRecord): Item & Key => ({
  ...deliveryKey(delivery.webhook_id, delivery.id),
  ...(delivery.next_attempt_at !== null && amongDue(delivery.next_attempt_at, delivery.webhook_id, delivery.id)),
  type: 'delivery',
  ttl: Math.floor(Date.parse(delivery.created_at) / 1000) + DELIVERY_SECONDS,
  ...delivery,
  // As text, so that every attempt sends the same bytes: the table does not keep the order of a map's members.
  event: JSON.stringify(delivery.event),
});

const deliveryOf = (item: Item): DeliveryRecord => ({
  id: String(item.id),
  webhook_id: String(item.webhook_id),
  event: JSON.parse(String(item.event)) as LedgerEvent,
  state: item.state as DeliveryRecord['state'],
  tries: Number(item.tries),
  attempts: item.attempts as DeliveryRecord['attempts'],
  next_attempt_at: (item.next_attempt_at ?? null) as string | null,
  created_at: String(item.created_at),
  version: Number(item.version),
});

/** Stores a new delivery. @returns false when there is one of this event for this webhook already. */
export const insertDelivery = (delivery: DeliveryRecord): Promise<boolean> => putItem(deliveryItem(delivery), absent);

/** A delivery of a webhook; the newest state. */
export const findDelivery = async (webhookId: string, deliveryId: string): Promise<DeliveryRecord | undefined> => {
  const item = await findItem(deliveryKey(webhookId, deliveryId));
  return item && deliveryOf(item);
};

/** Stores the next state of a delivery. @returns whether it was still as `previous`. */
export const replaceDelivery = (previous: DeliveryRecord, next: DeliveryRecord): Promise<boolean> =>
  putItem(deliveryItem(next), every(exists, is('version', previous.version)));

/**
 * Stores a delivery that an administrator has started anew: as a transaction, which the audit log is told of.
 * @returns whether it was still as `previous`.
 */
export const restartDelivery = async (previous: DeliveryRecord, next: DeliveryRecord): Promise<boolean> => {
  try {
    await transact([{ put: deliveryItem(next), when: every(exists, is('version', previous.version)) }]);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
};

/** Removes a delivery whose webhook is gone. */
export const removeDelivery = async (delivery: DeliveryRecord): Promise<void> => {
  await removeItem(deliveryKey(delivery.webhook_id, delivery.id));
};

/** Deliveries that are due at a time, the longest due first. What was settled a moment ago may still be among them. */
export const dueDeliveries = async (at: string, count: number): Promise<DeliveryRecord[]> => {
  const items = await firstOfCollection({ partition: duePartition, index: 'collection', before: dueUpTo(at) }, count);
  return items.map(deliveryOf);
};

/** How many deliveries of a webhook are kept. */
export const countDeliveries = (webhookId: string): Promise<number> =>
  countCollection(deliveriesPartition(webhookId), deliveryPrefix);

/** Deliveries of a webhook, newest first; `skip` of them passed over. */
export const pageOfDeliveries = async (webhookId: string, skip: number, count: number): Promise<DeliveryRecord[]> => {
  const range = { partition: deliveriesPartition(webhookId), prefix: deliveryPrefix, newestFirst: true };
  return (await pageOfCollection(range, skip, count)).map(deliveryOf);
};
