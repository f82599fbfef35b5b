import type { EventKind } from '#contract/events.ts';
import type { Webhook } from '#contract/webhooks.ts';

/** A secret and until when messages are signed with it. */
export interface WebhookSecret {
  readonly secret: string;
  /** Null for the present one. */
  readonly expires_at: string | null;
}

/** A webhook as it is kept. */
export interface WebhookRecord {
  readonly id: string;
  readonly url: string;
  readonly kinds: readonly EventKind[];
  readonly description: string | null;
  readonly is_active: boolean;
  /** The present one first, then at most one that was rotated out. */
  readonly secrets: readonly WebhookSecret[];
  /** The first of the failures that no success has interrupted. */
  readonly failing_since: string | null;
  readonly disabled_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly version: number;
}

/** The secrets that hold at a time, the present one first. */
export const secretsAt = (webhook: WebhookRecord, at: string): string[] =>
  webhook.secrets.filter(({ expires_at }) => expires_at === null || expires_at > at).map(({ secret }) => secret);

/** What administrators see of a webhook: everything but its secrets. */
export const shownWebhook = (webhook: WebhookRecord, at: string): Webhook => ({
  id: webhook.id,
  url: webhook.url,
  kinds: [...webhook.kinds],
  description: webhook.description,
  is_active: webhook.is_active,
  failing_since: webhook.failing_since,
  disabled_at: webhook.disabled_at,
  previous_secret_expires_at:
    webhook.secrets.find(({ expires_at }) => expires_at !== null && expires_at > at)?.expires_at ?? null,
  created_at: webhook.created_at,
  updated_at: webhook.updated_at,
});
