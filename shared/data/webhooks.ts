import type { WebhookRecord } from '#domain/webhooks/webhook.ts';
import type { Message } from '#events/catalogue.ts';
import { absent, every, exists, is } from './conditions.ts';
import { type Key, webhookKey, webhookPrefix, webhooksPartition } from './keys.ts';
import { inOutbox } from './outbox.ts';
import { findItem, type Item, wholeCollection } from './read.ts';
import { ConditionFailed, transact, updateItem, type Write } from './write.ts';

const webhookOf = (item: Item): WebhookRecord => ({
  id: String(item.id),
  url: String(item.url),
  kinds: item.kinds as WebhookRecord['kinds'],
  description: (item.description ?? null) as string | null,
  is_active: item.is_active === true,
  secrets: item.secrets as WebhookRecord['secrets'],
  failing_since: (item.failing_since ?? null) as string | null,
  disabled_at: (item.disabled_at ?? null) as string | null,
  created_at: String(item.created_at),
  updated_at: String(item.updated_at),
  version: Number(item.version),
});

const webhookItem = (webhook: WebhookRecord): Item & Key => ({
  ...webhookKey(webhook.id),
  type: 'webhook',
  ...webhook,
});

/** All webhooks, oldest first; the newest state. There are some dozens, so they are read together. */
export const allWebhooks = async (): Promise<WebhookRecord[]> => {
  const items = await wholeCollection({ partition: webhooksPartition, prefix: webhookPrefix });
  return items.map(webhookOf);
};

/** A webhook by its id; the newest state. */
export const findWebhook = async (id: string): Promise<WebhookRecord | undefined> => {
  const item = await findItem(webhookKey(id));
  return item && webhookOf(item);
};

/** Does writes, unless a condition does not hold. @returns whether it was done. */
const unlessChanged = async (writes: readonly Write[]): Promise<boolean> => {
  try {
    await transact(writes);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
};

/** Stores a new webhook. */
export const insertWebhook = (webhook: WebhookRecord): Promise<void> =>
  transact([{ put: webhookItem(webhook), when: absent }]);

/** Stores the next state of a webhook. @returns whether it was still as `previous`. */
export const replaceWebhook = (previous: WebhookRecord, next: WebhookRecord): Promise<boolean> =>
  unlessChanged([{ put: webhookItem(next), when: every(exists, is('version', previous.version)) }]);

/** Removes a webhook. @returns whether it was there. */
export const removeWebhook = (id: string): Promise<boolean> =>
  unlessChanged([{ remove: webhookKey(id), when: exists }]);

/** Notes since when nothing gets through to a webhook, unless that is noted already. */
export const noteFailing = async (id: string, since: string): Promise<void> => {
  const change = { set: { failing_since: since }, add: { version: 1 } };
  await updateItem(webhookKey(id), change, every(exists, is('failing_since', null)));
};

/** Notes that something has got through. */
export const noteWorking = async (id: string): Promise<void> => {
  await updateItem(webhookKey(id), { set: { failing_since: null }, add: { version: 1 } }, exists);
};

/** Switches a webhook off that still fails since that time, with the event that says so; otherwise nothing happens. */
export const disableWebhook = async (id: string, failingSince: string, at: string, event: Message): Promise<void> => {
  // Unless somebody else has switched it off, repaired or removed it.
  await unlessChanged([
    {
      update: webhookKey(id),
      change: { set: { is_active: false, disabled_at: at, updated_at: at }, add: { version: 1 } },
      when: every(exists, is('is_active', true), is('failing_since', failingSince)),
    },
    inOutbox(event),
  ]);
};
