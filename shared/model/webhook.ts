import type { EventKind } from '#contract/events.ts';
import type { Webhook } from '#contract/webhooks.ts';

/** A signing secret, encrypted. */
export interface SealedSecret {
  /** The ciphertext in base64. */
  readonly sealed: string;
  /** Null for the current one. */
  readonly expires_at: string | null;
}

/** A stored signing secret; records from before secrets were encrypted hold plain ones. */
export type WebhookSecret = SealedSecret | { readonly secret: string; readonly expires_at: string | null };

/** A webhook as it is stored. */
export interface WebhookRecord {
  readonly id: string;
  readonly url: string;
  readonly kinds: readonly EventKind[];
  readonly description: string | null;
  readonly is_active: boolean;
  /** The current one first, then at most one that was rotated out. */
  readonly secrets: readonly WebhookSecret[];
  /** The first failure since the last success. */
  readonly failing_since: string | null;
  readonly disabled_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly version: number;
}

/** A message sent to a webhook: an event or a ping. */
export interface WebhookMessage {
  readonly id: string;
  readonly kind: EventKind | 'ping';
  readonly occurred_at: string;
  readonly actor_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The secrets that are valid at a time, the current one first. */
export const secretsAt = (webhook: WebhookRecord, at: string): WebhookSecret[] =>
  webhook.secrets.filter(({ expires_at }) => expires_at === null || expires_at > at);

/** The webhook without its secrets, as the API returns it. */
export const webhookView = (webhook: WebhookRecord, at: string): Webhook => ({
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
