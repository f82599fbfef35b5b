import type { Webhook, WebhookBody, WebhookUpdate } from '#contract/webhooks.ts';
import { type Paging, pageOf } from '#domain/paging.ts';
import { invalidField, notFound } from '#shared/errors.ts';
import { shownWebhook, type WebhookRecord } from './webhook.ts';

/** What managing webhooks takes. */
export interface ManagePorts {
  readonly now: () => string;
  readonly newId: (kind: 'whk') => string;
  readonly newSecret: () => string;
  /** Why nothing may be sent to an address; undefined when nothing speaks against it. */
  readonly refusalOf: (url: string) => Promise<string | undefined>;
  /** All of them, oldest first. */
  readonly allWebhooks: () => Promise<WebhookRecord[]>;
  readonly findWebhook: (id: string) => Promise<WebhookRecord | undefined>;
  readonly insertWebhook: (webhook: WebhookRecord) => Promise<void>;
  /** Whether it was still as `previous`. */
  readonly replaceWebhook: (previous: WebhookRecord, next: WebhookRecord) => Promise<boolean>;
  /** Whether it was there. */
  readonly removeWebhook: (id: string) => Promise<boolean>;
}

type Port<Name extends keyof ManagePorts> = Pick<ManagePorts, Name>;

/** How long the secret before a rotation holds, in milliseconds. */
const OVERLAP_MS = 24 * 3600 * 1000;
const TRIES_MAX = 10;

/** A webhook by its id. @throws 404. */
export const getWebhook = async (ports: Port<'findWebhook'>, id: string): Promise<WebhookRecord> => {
  const webhook = await ports.findWebhook(id);
  if (!webhook) throw notFound();
  return webhook;
};

/** A page of the webhooks, oldest first. */
export const listWebhooks = async (ports: Port<'allWebhooks' | 'now'>, query: Paging) => {
  const { data, meta } = pageOf(await ports.allWebhooks(), query);
  const at = ports.now();
  return { data: data.map((webhook) => shownWebhook(webhook, at)), meta };
};

const mustBeReachable = async (ports: Port<'refusalOf'>, url: string): Promise<void> => {
  const refusal = await ports.refusalOf(url);
  if (refusal !== undefined) throw invalidField(['url'], refusal);
};

/** A webhook with its secret, which only those see who have just made it. */
const withSecret = (webhook: WebhookRecord, secret: string, at: string): Webhook & { secret: string } => ({
  ...shownWebhook(webhook, at),
  secret,
});

/** Makes a webhook. @throws 400 when its address may not be sent to. */
export const createWebhook = async (ports: ManagePorts, body: WebhookBody): Promise<Webhook & { secret: string }> => {
  await mustBeReachable(ports, body.url);
  const at = ports.now();
  const secret = ports.newSecret();
  const webhook: WebhookRecord = {
    id: ports.newId('whk'),
    url: body.url,
    kinds: body.kinds,
    description: body.description ?? null,
    is_active: body.is_active ?? true,
    secrets: [{ secret, expires_at: null }],
    failing_since: null,
    disabled_at: null,
    created_at: at,
    updated_at: at,
    version: 1,
  };
  await ports.insertWebhook(webhook);
  return withSecret(webhook, secret, at);
};

/** Changes a webhook as it is now; when somebody else is faster, as it is then. @throws 404. */
const replaced = async (
  ports: Port<'findWebhook' | 'replaceWebhook'>,
  id: string,
  change: (webhook: WebhookRecord) => WebhookRecord,
): Promise<WebhookRecord> => {
  for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
    const previous = await getWebhook(ports, id);
    const next = { ...change(previous), version: previous.version + 1 };
    if (await ports.replaceWebhook(previous, next)) return next;
  }
  throw new Error('The webhook keeps being changed by others.');
};

const HEALTHY = { failing_since: null, disabled_at: null } as const;

/** Changes a webhook; what is absent stays. @throws 404; 400 when its new address may not be sent to. */
export const updateWebhook = async (ports: ManagePorts, id: string, body: WebhookUpdate): Promise<Webhook> => {
  await getWebhook(ports, id);
  if (body.url !== undefined) await mustBeReachable(ports, body.url);
  const at = ports.now();
  const changed = await replaced(ports, id, (webhook) => ({
    ...webhook,
    url: body.url ?? webhook.url,
    kinds: body.kinds ?? webhook.kinds,
    description: body.description === undefined ? webhook.description : body.description,
    is_active: body.is_active ?? webhook.is_active,
    // Another address has not failed yet, and whoever switches it on again expects it to work.
    ...((body.is_active === true || (body.url !== undefined && body.url !== webhook.url)) && HEALTHY),
    updated_at: at,
  }));
  return shownWebhook(changed, at);
};

/** Gives a webhook a new secret; the one before holds for another day. @throws 404. */
export const rotateSecret = async (ports: ManagePorts, id: string): Promise<Webhook & { secret: string }> => {
  const at = ports.now();
  const secret = ports.newSecret();
  const expiresAt = new Date(Date.parse(at) + OVERLAP_MS).toISOString();
  const changed = await replaced(ports, id, (webhook) => ({
    ...webhook,
    secrets: [
      { secret, expires_at: null },
      ...webhook.secrets.slice(0, 1).map((before) => ({ secret: before.secret, expires_at: expiresAt })),
    ],
    updated_at: at,
  }));
  return withSecret(changed, secret, at);
};

/** Removes a webhook; what waits for it is not sent any more. @throws 404. */
export const deleteWebhook = async (ports: Port<'removeWebhook'>, id: string): Promise<string> => {
  if (!(await ports.removeWebhook(id))) throw notFound();
  return id;
};
