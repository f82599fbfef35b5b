import { ConflictError, retryOnConflict } from '#data/conflict.ts';
import { findCheckout, type Settlement, writeSettlement } from '#data/payments.ts';
import { type MessageData, newMessage } from '#events/catalogue.ts';
import { type CheckoutRecord, isRefunded, type LedgerRecord } from '#model/payment.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import type { Payment, ProviderEvent } from '#platform/stripe-event.ts';
import { AppError, type ErrorCode } from '#shared/errors.ts';
import { fulfil, restore, reverse } from './fulfil.ts';

/** Decides what a report about a payment changes; undefined when it changes nothing. */
export type Decide = (current: CheckoutRecord) => Promise<Omit<Settlement, 'previous' | 'eventId'> | undefined>;

/** Errors of a slug, address, slot, category or buyer that disappeared between the decision and the write. */
const STALE_DECISION: ReadonlySet<ErrorCode> = new Set([
  'SLUG_TAKEN',
  'DUPLICATE_URL',
  'SOLD_OUT',
  'INVALID_INPUT',
  'UNAUTHORIZED',
]);

const isStale = (error: unknown): boolean =>
  error instanceof ConflictError || (error instanceof AppError && STALE_DECISION.has(error.code));

/**
 * Applies a report about a payment exactly once. Concurrent changes repeat the decision on the new state.
 * @param eventId the provider's event, for deduplication; undefined when the state was polled.
 * @returns whether it changed anything.
 */
export const settleCheckout = (checkoutId: string, eventId: string | undefined, decide: Decide): Promise<boolean> =>
  retryOnConflict(
    async () => {
      const previous = await findCheckout(checkoutId);
      const decision = previous && (await decide(previous));
      return decision ? await writeSettlement({ ...decision, eventId, previous }) : false;
    },
    { isConflict: isStale },
  );

const ledgerEntry = (
  checkout: CheckoutRecord,
  entry: {
    readonly type: LedgerRecord['type'];
    readonly amount: number;
    readonly currency?: string;
    readonly note?: string;
    readonly at: string;
  },
): LedgerRecord => ({
  id: newId('pay'),
  type: entry.type,
  checkout_id: checkout.id,
  user_id: checkout.user_id,
  kind: checkout.kind,
  project_id: checkout.project_id,
  amount: entry.amount,
  currency: entry.currency ?? checkout.currency,
  note: entry.note ?? null,
  created_at: entry.at,
});

const paymentEventData = (checkout: CheckoutRecord): MessageData<'paymentSettled'> => ({
  checkout_id: checkout.id,
  purpose: checkout.kind,
  project_id: checkout.project_id,
  user_id: checkout.user_id,
  amount: checkout.amount,
  currency: checkout.currency,
});

const refundedMessage = (checkout: CheckoutRecord, reason: 'refund' | 'dispute') =>
  newMessage('paymentRefunded', null, {
    ...paymentEventData(checkout),
    reason,
    amount_refunded: checkout.amount_refunded,
  });

const updated = (current: CheckoutRecord, at: string, changes: Partial<CheckoutRecord>): CheckoutRecord => ({
  ...current,
  ...changes,
  updated_at: at,
  version: current.version + 1,
});

const reportMismatch = ({ id, amount, currency }: CheckoutRecord, payment: Payment): void => {
  count('PaymentMismatch');
  log.error('payment does not match the checkout', {
    checkout_id: id,
    expected_amount: amount,
    expected_currency: currency,
    amount: payment.amount,
    currency: payment.currency,
  });
};

/**
 * A payment was received. It is applied whatever the status of the checkout is, and even when nothing can be delivered:
 * then `refundDue` is published.
 */
export const decidePaid =
  (payment: Payment): Decide =>
  async (current) => {
    if (current.paid_at !== null) return undefined;
    const at = now();
    const { sessionId, paymentIntent, amount, currency } = payment;
    const paid = { session_id: sessionId, payment_intent: paymentIntent ?? current.payment_intent, paid_at: at };
    const status = isRefunded(current) ? 'refunded' : 'paid';
    const entry = { type: 'payment', amount, currency, at } as const;

    if (amount !== current.amount || currency !== current.currency) {
      reportMismatch(current, payment);
      const next = updated(current, at, { ...paid, status, delivery: 'mismatch' });
      const note = `Expected ${current.amount} ${current.currency}.`;
      return { next, entries: [ledgerEntry(next, { ...entry, note })], messages: [] };
    }

    const result = await fulfil(current, at);
    if ('reason' in result) {
      const next = updated(current, at, { ...paid, status, delivery: 'refundDue' });
      return {
        next,
        entries: [ledgerEntry(next, { ...entry, note: result.reason })],
        messages: status === 'paid' ? [newMessage('refundDue', null, { checkout_id: current.id })] : [],
      };
    }
    const { projectId, messages, ...writes } = result;
    const next = updated(current, at, {
      ...paid,
      status: status === 'paid' ? 'fulfilled' : status,
      project_id: projectId,
      // A disputed purchase of a promotion delivers nothing, and is refunded if the dispute is won.
      delivery: status === 'refunded' && current.kind === 'promotion' ? 'refundDue' : 'done',
    });
    return {
      ...writes,
      next,
      entries: [ledgerEntry(next, entry)],
      messages: [...messages, newMessage('paymentSettled', next.user_id, paymentEventData(next))],
    };
  };

/** The session ended without a payment. A paid checkout stays as it is. */
export const decideEnded =
  (status: 'expired' | 'failed'): Decide =>
  async (current) =>
    current.status === 'open' ? { next: updated(current, now(), { status }), entries: [], messages: [] } : undefined;

/** The payment was refunded, in part or in full. Only a full refund reverses what was bought. */
export const decideRefunded =
  (refund: Extract<ProviderEvent, { kind: 'refunded' }>): Decide =>
  async (current) => {
    // Events carry the total, so one that arrives after a later one has no effect.
    const amount = refund.amountRefunded - current.amount_refunded;
    if (amount <= 0) return undefined;
    const at = now();
    const reversal = refund.full ? await reverse(current, at) : { messages: [] };
    const next = updated(current, at, {
      payment_intent: refund.paymentIntent,
      amount_refunded: refund.amountRefunded,
      ...(refund.full && { status: 'refunded' as const, is_fully_refunded: true }),
    });
    return {
      ...reversal,
      next,
      entries: [ledgerEntry(next, { type: 'refund', amount, at })],
      messages: [...reversal.messages, refundedMessage(next, 'refund')],
    };
  };

type DisputeEvent = Extract<ProviderEvent, { kind: 'disputed' | 'disputeWon' }>;

/** The buyer's bank withdrew the payment. */
export const decideDisputed =
  ({ disputeId, paymentIntent, amount }: DisputeEvent): Decide =>
  async (current) => {
    if (current.disputes.some(({ id }) => id === disputeId)) return undefined;
    const at = now();
    const reversal = await reverse(current, at);
    const next = updated(current, at, {
      payment_intent: paymentIntent,
      disputes: [...current.disputes, { id: disputeId, state: 'open' }],
      status: 'refunded',
    });
    return {
      ...reversal,
      next,
      entries: [ledgerEntry(next, { type: 'dispute', amount, at })],
      messages: [...reversal.messages, refundedMessage(next, 'dispute')],
    };
  };

/** The status of a checkout whose payment counts again. */
const restoredStatus = ({ paid_at, delivery }: CheckoutRecord): CheckoutRecord['status'] => {
  if (paid_at === null) return 'open';
  return delivery === 'done' ? 'fulfilled' : 'paid';
};

/**
 * A dispute was decided in favour of the service: the payment counts again, unless it was refunded or another dispute is
 * open. When the event arrives before the one that opened the dispute, both have no other effect.
 */
export const decideDisputeWon =
  ({ disputeId, paymentIntent, amount }: DisputeEvent): Decide =>
  async (current) => {
    const known = current.disputes.find(({ id }) => id === disputeId);
    if (known?.state === 'won') return undefined;
    const at = now();
    const others = current.disputes.filter(({ id }) => id !== disputeId);
    const isRestored =
      isRefunded(current) && !current.is_fully_refunded && others.every(({ state }) => state === 'won');
    const status = isRestored ? restoredStatus(current) : current.status;
    const next = updated(current, at, {
      payment_intent: paymentIntent,
      disputes: [...others, { id: disputeId, state: 'won' }],
      status,
    });
    const restoration = status === 'fulfilled' && isRestored ? await restore(current) : { messages: [] };
    const isRefundDue = isRestored && current.delivery === 'refundDue';
    return {
      ...restoration,
      next,
      entries: known || isRestored ? [ledgerEntry(next, { type: 'dispute_won', amount, at })] : [],
      messages: [
        ...restoration.messages,
        ...(isRefundDue ? [newMessage('refundDue', null, { checkout_id: current.id })] : []),
      ],
    };
  };
