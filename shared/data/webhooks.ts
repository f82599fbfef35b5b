import { encodeTime } from 'ulid';
import type { LoggedEvent } from '#contract/events.ts';
import type { Message } from '#events/catalogue.ts';
import { DEDUPLICATION_SECONDS } from '#events/subscriptions.ts';
import { afterRetries, type DeliveryRecord, type WebhookRecord } from '#model/webhook.ts';
import { collection } from './collection.ts';
import { inOutbox } from './event-log.ts';
import {
  deliveriesPartition,
  deliveryKey,
  deliveryPrefix,
  duePartition,
  dueUpTo,
  inDueDeliveries,
  type Key,
  webhookKey,
  webhookPrefix,
  webhooksPartition,
} from './keys.ts';
import { collectionPages, findRecord, firstOfCollection, type Item, recordOf } from './read.ts';
import { absent, deleteItem, every, exists, is, putItem, transact, tryTransact, updateItem } from './write.ts';

/** As long as a delivery is stored, in seconds, it can be replayed and a repeated event adds no second one. */
const DELIVERY_SECONDS = DEDUPLICATION_SECONDS;

/** The characters of a ULID that are its time. */
const ULID_TIME_LENGTH = 10;

const deliveryItem = (delivery: DeliveryRecord): Item & Key => ({
  ...deliveryKey(delivery.webhook_id, delivery.id),
  ...(delivery.next_attempt_at !== null && inDueDeliveries(delivery.next_attempt_at, delivery.webhook_id, delivery.id)),
  type: 'delivery',
  ttl: Math.floor(Date.parse(delivery.created_at) / 1000) + DELIVERY_SECONDS,
  ...delivery,
  // As JSON text, because DynamoDB maps do not keep the order of members and every attempt must send the same bytes.
  event: JSON.stringify(delivery.event),
});

const deliveryOf = (item: Item): DeliveryRecord => ({
  ...recordOf<DeliveryRecord>(item),
  event: JSON.parse(String(item.event)) as LoggedEvent,
});

/** Inserts a delivery. @returns false when the event already has a delivery for this webhook. */
export const insertDelivery = (delivery: DeliveryRecord): Promise<boolean> => putItem(deliveryItem(delivery), absent);

/** Reads a delivery, strongly consistent. */
export const findDelivery = (webhookId: string, deliveryId: string) =>
  findRecord(deliveryKey(webhookId, deliveryId), deliveryOf);

/** Replaces a delivery. @returns false when it was changed or deleted concurrently. */
export const replaceDelivery = (previous: DeliveryRecord, next: DeliveryRecord): Promise<boolean> =>
  putItem(deliveryItem(next), every(exists, is('version', previous.version)));

/**
 * Replaces a delivery on behalf of an administrator: in a transaction, because only transactions write the audit log.
 * @throws {ConditionFailed} when it was changed or deleted concurrently.
 */
export const replaceDeliveryAudited = (previous: DeliveryRecord, next: DeliveryRecord): Promise<void> =>
  transact([{ put: deliveryItem(next), when: every(exists, is('version', previous.version)) }]);

export const deleteDelivery = async (delivery: DeliveryRecord): Promise<void> => {
  await deleteItem(deliveryKey(delivery.webhook_id, delivery.id));
};

/** Deliveries that are due at a time, the longest due first; eventually consistent. */
export const dueDeliveries = async (at: string, count: number): Promise<DeliveryRecord[]> => {
  const all = { partition: duePartition, index: 'collection' } as const;
  const due = await firstOfCollection({ ...all, before: dueUpTo(at) }, count);
  if (due.length === count) return due.map(deliveryOf);
  const ahead = await firstOfCollection({ ...all, after: dueUpTo(afterRetries(at)) }, count - due.length);
  return [...due, ...ahead].map(deliveryOf);
};

/** Deliveries of a webhook, newest first, older than the one with the id `after`. @param count how many are read at once. */
export async function* deliveriesAfter(
  webhookId: string,
  after: string | undefined,
  count: number,
): AsyncGenerator<DeliveryRecord> {
  const before = after === undefined ? {} : { before: deliveryKey(webhookId, after).sk };
  const range = { partition: deliveriesPartition(webhookId), prefix: deliveryPrefix, newestFirst: true, ...before };
  for await (const items of collectionPages({ ...range, pageSize: count })) yield* items.map(deliveryOf);
}

/** Deliveries of a webhook whose events are not older than a time, oldest first. @param sinceMs since the epoch. */
export async function* deliveriesSince(webhookId: string, sinceMs: number): AsyncGenerator<DeliveryRecord> {
  // Ids have the ULID of the event, which begins with its time.
  const after = deliveryKey(webhookId, `dlv_${encodeTime(Math.max(0, sinceMs), ULID_TIME_LENGTH)}`).sk;
  const range = { partition: deliveriesPartition(webhookId), prefix: deliveryPrefix, after };
  for await (const items of collectionPages(range)) yield* items.map(deliveryOf);
}

export const webhooks = collection<WebhookRecord>({
  type: 'webhook',
  partition: webhooksPartition,
  prefix: webhookPrefix,
  keyOf: webhookKey,
});

/** Sets `failing_since` unless it is set. */
export const markFailing = async (id: string, since: string): Promise<void> => {
  const change = { set: { failing_since: since }, add: { version: 1 } };
  await updateItem(webhookKey(id), change, every(exists, is('failing_since', null)));
};

export const clearFailing = async (id: string): Promise<void> => {
  await updateItem(webhookKey(id), { set: { failing_since: null }, add: { version: 1 } }, exists);
};

/**
 * Switches a webhook off and records the event. Does nothing when the webhook was switched off, deleted or has worked
 * since `failingSince`.
 */
export const disableWebhook = async (id: string, failingSince: string, at: string, event: Message): Promise<void> => {
  await tryTransact([
    {
      update: webhookKey(id),
      change: { set: { is_active: false, disabled_at: at, updated_at: at }, add: { version: 1 } },
      when: every(exists, is('is_active', true), is('failing_since', failingSince)),
    },
    inOutbox(event),
  ]);
};
