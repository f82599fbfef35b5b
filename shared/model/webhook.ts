import type { EventKind, LoggedEvent } from '#contract/events.ts';
import type { Attempt, Delivery, Webhook } from '#contract/webhooks.ts';

interface WebhookSecret {
  /** The ciphertext in base64. */
  readonly sealed: string;
  /** Null for the current one. */
  readonly expires_at: string | null;
}

export interface WebhookRecord extends Readonly<Omit<Webhook, 'kinds' | 'previous_secret_expires_at'>> {
  readonly kinds: readonly EventKind[];
  /** The current one first, then at most one that was rotated out. */
  readonly secrets: readonly WebhookSecret[];
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
export const webhookView = ({ secrets, kinds, ...webhook }: WebhookRecord, at: string): Webhook => ({
  ...webhook,
  kinds: [...kinds],
  previous_secret_expires_at:
    secrets.find(({ expires_at }) => expires_at !== null && expires_at > at)?.expires_at ?? null,
});

export interface DeliveryRecord extends Readonly<Omit<Delivery, 'event_id' | 'kind' | 'attempts'>> {
  readonly event: LoggedEvent;
  /** Attempts since the delivery was started, by the event or by a replay. */
  readonly tries: number;
  readonly attempts: readonly Attempt[];
  /** When it is due; during an attempt, when its claim expires. Null unless it is pending. */
  readonly next_attempt_at: string | null;
  readonly version: number;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The pause after each failed attempt; the attempt after the last pause is final. */
export const RETRY_PAUSES_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  8 * HOUR_MS,
];

const later = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();

/** Later than every retry that is planned at a time, ISO 8601: what is due then was stored by a clock that was ahead. */
export const afterRetries = (at: string): string => later(at, 2 * Math.max(...RETRY_PAUSES_MS));

/** After this time the process of an attempt counts as dead; the timeout of a request is much shorter. */
const CLAIM_MS = 60 * SECOND_MS;
const ATTEMPTS_KEPT = 20;
/** Items are limited to 400 KB, of which the event takes its part. */
const ATTEMPTS_BYTES_MAX = 300_000;

const bytesOf = (attempts: readonly Attempt[]): number => Buffer.byteLength(JSON.stringify(attempts));

/** The last attempts. The oldest lose their bodies where all are too large for an item. */
const keptAttempts = (all: readonly Attempt[]): readonly Attempt[] => {
  let kept = all.slice(-ATTEMPTS_KEPT);
  for (let oldest = 0; bytesOf(kept) > ATTEMPTS_BYTES_MAX && oldest < kept.length; oldest += 1) {
    kept = kept.map((attempt, index) => (index === oldest ? { ...attempt, request: null, response: null } : attempt));
  }
  return kept;
};

/** The id of the deliveries of an event, one per webhook. */
export const deliveryIdOf = (eventId: string): string => eventId.replace(/^evt_/, 'dlv_');

/** A new delivery, due immediately. Its id derives from the event's, so a repeated event adds no second delivery. */
export const newDelivery = (webhookId: string, event: LoggedEvent, at: string): DeliveryRecord => ({
  id: deliveryIdOf(event.id),
  webhook_id: webhookId,
  event,
  state: 'pending',
  tries: 0,
  attempts: [],
  next_attempt_at: at,
  created_at: at,
  version: 1,
});

/** The delivery claimed by a process for one attempt. */
export const claimed = (delivery: DeliveryRecord, at: string): DeliveryRecord => ({
  ...delivery,
  next_attempt_at: later(at, CLAIM_MS),
  version: delivery.version + 1,
});

/** The delivery pending again, with all its retries. */
export const restarted = (delivery: DeliveryRecord, at: string): DeliveryRecord => ({
  ...delivery,
  state: 'pending',
  tries: 0,
  next_attempt_at: at,
  version: delivery.version + 1,
});

/**
 * The delivery with its event as it may be sent now. When that names fewer users than before, the bodies of earlier attempts,
 * which named them, are removed.
 */
export const withEvent = (delivery: DeliveryRecord, event: LoggedEvent): DeliveryRecord =>
  event === delivery.event
    ? delivery
    : {
        ...delivery,
        event,
        attempts: delivery.attempts.map((attempt) => ({ ...attempt, request: null, response: null })),
        version: delivery.version + 1,
      };

/** The delivery given up because its webhook is switched off. */
export const cancelled = (delivery: DeliveryRecord): DeliveryRecord => ({
  ...delivery,
  state: 'cancelled',
  next_attempt_at: null,
  version: delivery.version + 1,
});

/** The delivery after an attempt that ended at `at`: delivered, pending until the next retry, or failed. */
export const afterAttempt = (delivery: DeliveryRecord, attempt: Attempt, at: string): DeliveryRecord => {
  const tries = delivery.tries + 1;
  const pause = RETRY_PAUSES_MS[tries - 1];
  const isRetried = !attempt.ok && pause !== undefined;
  const finalState = attempt.ok ? 'delivered' : 'failed';
  return {
    ...delivery,
    tries,
    attempts: keptAttempts([...delivery.attempts, attempt]),
    state: isRetried ? 'pending' : finalState,
    next_attempt_at: isRetried ? later(at, pause) : null,
    version: delivery.version + 1,
  };
};

export const deliveryView = ({ event, attempts, ...delivery }: DeliveryRecord): Delivery => ({
  ...delivery,
  event_id: event.id,
  kind: event.kind,
  attempts: [...attempts],
});
