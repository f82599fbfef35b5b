import type { LedgerEvent } from '#contract/events.ts';
import type { Attempt, Delivery } from '#contract/webhooks.ts';

/** The delivery of one event to one webhook, as it is stored. */
export interface DeliveryRecord {
  readonly id: string;
  readonly webhook_id: string;
  readonly event: LedgerEvent;
  readonly state: Delivery['state'];
  /** Attempts since the delivery was started, by the event or by a replay. */
  readonly tries: number;
  readonly attempts: readonly Attempt[];
  /** When it is due; during an attempt, when its claim expires. Null unless it is pending. */
  readonly next_attempt_at: string | null;
  readonly created_at: string;
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

const later = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();

/** The id of the deliveries of an event, one per webhook. */
export const deliveryIdOf = (eventId: string): string => eventId.replace(/^evt_/, 'dlv_');

/** A new delivery, due immediately. Its id derives from the event's, so a repeated event adds no second delivery. */
export const newDelivery = (webhookId: string, event: LedgerEvent, at: string): DeliveryRecord => ({
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

/** The delivery as the API returns it. */
export const deliveryView = (delivery: DeliveryRecord): Delivery => ({
  id: delivery.id,
  webhook_id: delivery.webhook_id,
  event_id: delivery.event.id,
  kind: delivery.event.kind,
  state: delivery.state,
  // Attempts of earlier versions have no request.
  attempts: delivery.attempts.map((attempt) => ({ ...attempt, request: attempt.request ?? null })),
  next_attempt_at: delivery.next_attempt_at,
  created_at: delivery.created_at,
});
