import type { EventKind, LedgerEvent } from '#contract/events.ts';
import type { Attempt, Delivery } from '#contract/webhooks.ts';

/** What a webhook is told: an event, or a ping. */
export interface Told {
  readonly id: string;
  readonly kind: EventKind | 'ping';
  readonly occurred_at: string;
  readonly actor_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A delivery as it is kept: one event for one webhook. */
export interface DeliveryRecord {
  readonly id: string;
  readonly webhook_id: string;
  readonly event: LedgerEvent;
  readonly state: Delivery['state'];
  /** How many attempts have been made since it was last started: by the event or by a replay. */
  readonly tries: number;
  readonly attempts: readonly Attempt[];
  /** When it is due, or, while somebody is at it, when others may take it over. Null unless it is pending. */
  readonly next_attempt_at: string | null;
  readonly created_at: string;
  readonly version: number;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The pauses after the first, second … failed attempt; after the last one there is no further attempt. */
export const RETRY_PAUSES_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  8 * HOUR_MS,
];

/** How long one attempt may take before others may believe that its process has died; sending ends long before. */
const CLAIM_MS = 60 * SECOND_MS;
const ATTEMPTS_KEPT = 20;

const later = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();

/** A new delivery, due at once. Its id is made from the event's, so one event makes one delivery however often it comes. */
export const newDelivery = (webhookId: string, event: LedgerEvent, at: string): DeliveryRecord => ({
  id: event.id.replace(/^evt_/, 'dlv_'),
  webhook_id: webhookId,
  event,
  state: 'pending',
  tries: 0,
  attempts: [],
  next_attempt_at: at,
  created_at: at,
  version: 1,
});

/** Taken in hand by one process: nobody else takes it until that one has had its time. */
export const claimedAt = (delivery: DeliveryRecord, at: string): DeliveryRecord => ({
  ...delivery,
  next_attempt_at: later(at, CLAIM_MS),
  version: delivery.version + 1,
});

/** Started anew. */
export const restartedAt = (delivery: DeliveryRecord, at: string): DeliveryRecord => ({
  ...delivery,
  state: 'pending',
  tries: 0,
  next_attempt_at: at,
  version: delivery.version + 1,
});

/** Given up because the webhook is switched off. */
export const cancelled = (delivery: DeliveryRecord): DeliveryRecord => ({
  ...delivery,
  state: 'cancelled',
  next_attempt_at: null,
  version: delivery.version + 1,
});

/** What has become of a delivery after an attempt that ended at a time. */
export const afterAttempt = (delivery: DeliveryRecord, attempt: Attempt, at: string): DeliveryRecord => {
  const tries = delivery.tries + 1;
  const pause = RETRY_PAUSES_MS[tries - 1];
  const again = !attempt.ok && pause !== undefined;
  const settled = attempt.ok ? 'delivered' : 'failed';
  return {
    ...delivery,
    tries,
    attempts: [...delivery.attempts, attempt].slice(-ATTEMPTS_KEPT),
    state: again ? 'pending' : settled,
    next_attempt_at: again ? later(at, pause) : null,
    version: delivery.version + 1,
  };
};

/** What administrators see of a delivery. */
export const shownDelivery = (delivery: DeliveryRecord): Delivery => ({
  id: delivery.id,
  webhook_id: delivery.webhook_id,
  event_id: delivery.event.id,
  kind: delivery.event.kind,
  state: delivery.state,
  attempts: [...delivery.attempts],
  next_attempt_at: delivery.next_attempt_at,
  created_at: delivery.created_at,
});
