import type { Webhook, WebhookBody, WebhookUpdate } from '#contract/webhooks.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { type Paging, pageOf } from '#data/paging.ts';
import { webhooks } from '#data/webhooks.ts';
import { secretsAt, type WebhookRecord, webhookView } from '#model/webhook.ts';
import { now } from '#platform/clock.ts';
import { openSecret, sealSecret } from '#platform/kms.ts';
import { urlError } from '#platform/outbound.ts';
import { createOnce } from '#services/create-once.ts';
import { invalidField, mustExist, notFound } from '#shared/errors.ts';
import { newWebhookSecret } from './send.ts';

/** The secrets that sign a message at a time, in plain text, the current one first; without those of a lost key. */
export const signingSecrets = async (webhook: WebhookRecord, at: string): Promise<string[]> => {
  const opened = await Promise.all(secretsAt(webhook, at).map(({ sealed }) => openSecret(webhook.id, sealed)));
  return opened.filter((secret) => secret !== undefined);
};

/** How long the previous secret stays valid after a rotation, in milliseconds. */
const OVERLAP_MS = 24 * 3600 * 1000;

type WebhookWithSecret = Webhook & { readonly secret: string };

/** @throws 404. */
export const getWebhook = async (id: string): Promise<WebhookRecord> => mustExist(await webhooks.find(id));

/** @throws 404. */
export const getWebhookView = async (id: string): Promise<Webhook> => webhookView(await getWebhook(id), now());

/** A page of the webhooks, oldest first. */
export const listWebhooks = async (query: Paging) => {
  const { data, meta } = pageOf(await webhooks.all(), query);
  const at = now();
  return { data: data.map((webhook) => webhookView(webhook, at)), meta };
};

const validateUrl = async (url: string): Promise<void> => {
  const error = await urlError(url);
  if (error !== undefined) throw invalidField(['url'], error);
};

/** Applies a change to the current state of a webhook. @throws 404. */
const changeWebhook = (id: string, change: (webhook: WebhookRecord) => WebhookRecord): Promise<WebhookRecord> =>
  retryOnConflict(async () => {
    const previous = await getWebhook(id);
    const next = { ...change(previous), version: previous.version + 1 };
    await webhooks.replace(previous, next);
    return next;
  });

const NO_FAILURES = { failing_since: null, disabled_at: null } as const;

/** Changes the given fields of a webhook. @throws 404; 400 when the new URL is not allowed. */
export const updateWebhook = async (id: string, body: WebhookUpdate): Promise<Webhook> => {
  await getWebhook(id);
  if (body.url !== undefined) await validateUrl(body.url);
  const at = now();
  const changed = await changeWebhook(id, (webhook) => ({
    ...webhook,
    url: body.url ?? webhook.url,
    kinds: body.kinds ?? webhook.kinds,
    description: body.description === undefined ? webhook.description : body.description,
    is_active: body.is_active ?? webhook.is_active,
    // A new URL has not failed yet, and a webhook that is switched on gets the full five days again.
    ...((body.is_active === true || (body.url !== undefined && body.url !== webhook.url)) && NO_FAILURES),
    updated_at: at,
  }));
  return webhookView(changed, at);
};

/** Replaces the secret of a webhook; the previous one stays valid for 24 hours. @throws 404. */
export const rotateSecret = async (id: string): Promise<WebhookWithSecret> => {
  const at = now();
  const secret = newWebhookSecret();
  const current = { sealed: await sealSecret(id, secret), expires_at: null };
  const expiresAt = new Date(Date.parse(at) + OVERLAP_MS).toISOString();
  const changed = await changeWebhook(id, (webhook) => ({
    ...webhook,
    secrets: [current, ...webhook.secrets.slice(0, 1).map((previous) => ({ ...previous, expires_at: expiresAt }))],
    updated_at: at,
  }));
  return { ...webhookView(changed, at), secret };
};

const insertWebhook = async (id: string, body: WebhookBody): Promise<WebhookWithSecret> => {
  await validateUrl(body.url);
  const at = now();
  const secret = newWebhookSecret();
  const webhook: WebhookRecord = {
    id,
    url: body.url,
    kinds: body.kinds,
    description: body.description ?? null,
    is_active: body.is_active ?? true,
    secrets: [{ sealed: await sealSecret(id, secret), expires_at: null }],
    failing_since: null,
    disabled_at: null,
    created_at: at,
    updated_at: at,
    version: 1,
  };
  await webhooks.insert(webhook);
  return { ...webhookView(webhook, at), secret };
};

/**
 * Creates a webhook. Its secret is returned here and never again.
 * @param seed as in `createOnce`.
 * @throws 400 when its URL is not allowed.
 */
export const createWebhook = (body: WebhookBody, seed?: string): Promise<WebhookWithSecret> =>
  createOnce('whk', seed, {
    // No response has contained the secret of the earlier attempt, but one that has replaced it stays valid for a while.
    find: async (id) => ((await webhooks.find(id)) ? await rotateSecret(id) : undefined),
    create: (id) => insertWebhook(id, body),
  });

/** Deletes a webhook; its pending deliveries are not sent. @throws 404. */
export const removeWebhook = async (id: string): Promise<string> => {
  if (!(await webhooks.remove(id))) throw notFound();
  return id;
};
