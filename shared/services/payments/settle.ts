import { moneyInText } from '#contract/money.ts';
import { ConflictError, retryOnConflict } from '#data/conflict.ts';
import {
  findCheckout,
  findCheckoutSubmission,
  type Settlement,
  underWayWrites,
  writeSettlement,
} from '#data/payments.ts';
import { type MessageData, newMessage } from '#events/catalogue.ts';
import { type CheckoutRecord, isRefunded, isUnpaid, type LedgerRecord, refundsOf } from '#model/payment.ts';
import {
  bookingsBetween,
  isReturned,
  type Returns,
  withDispute,
  withFailedRefund,
  withRefundTotal,
} from '#model/returns.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { ALL, type Payment, type ReturnEvent } from '#platform/stripe-event.ts';
import { AppError, type ErrorCode } from '#shared/errors.ts';
import { type Effect, fulfil, restore, revoke } from './fulfil.ts';

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
    ...refundsOf(checkout),
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
      const note = `Expected ${moneyInText(current.amount, current.currency)}.`;
      return { next, entries: [ledgerEntry(next, { ...entry, note })], messages: [] };
    }

    if (status === 'refunded' && current.kind !== 'submission') {
      // It is delivered when the payment counts again.
      const next = updated(current, at, { ...paid, status });
      const messages = [newMessage('paymentSettled', next.user_id, paymentEventData(next))];
      return { next, entries: [ledgerEntry(next, entry)], messages };
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
      delivery: 'done',
    });
    return {
      ...writes,
      next,
      entries: [ledgerEntry(next, entry)],
      messages: [...messages, newMessage('paymentSettled', next.user_id, paymentEventData(next))],
    };
  };

/** The buyer chose a payment method that takes days. A checkout that was paid or has ended stays as it is. */
export const decideProcessing =
  (sessionId: string): Decide =>
  async (current) => {
    if (current.status !== 'open') return undefined;
    const at = now();
    const next = updated(current, at, { status: 'processing', session_id: sessionId, processing_at: at });
    const submission = current.kind === 'submission' ? await findCheckoutSubmission(current.id) : undefined;
    return { next, entries: [], writes: underWayWrites(next, submission), messages: [] };
  };

/** The session ended without a payment. A paid checkout stays as it is. */
export const decideEnded =
  (status: 'expired' | 'failed'): Decide =>
  async (current) =>
    isUnpaid(current) ? { next: updated(current, now(), { status }), entries: [], messages: [] } : undefined;

/** The status of a checkout whose returns changed. */
const statusAfter = (current: CheckoutRecord, next: CheckoutRecord): CheckoutRecord['status'] => {
  if (isReturned(next.returns)) return 'refunded';
  if (next.paid_at === null) return isRefunded(current) ? 'open' : current.status;
  return next.delivery === 'done' || next.delivery === 'partDue' ? 'fulfilled' : 'paid';
};

/** An event in a currency of its own, or else in that of the checkout. */
const inCurrency = <Of extends { readonly currency: string | undefined }>(
  reported: Of,
  { currency }: CheckoutRecord,
) => ({
  ...reported,
  currency: reported.currency ?? currency,
});

const returnsAfter = (current: CheckoutRecord, event: ReturnEvent): Returns => {
  switch (event.kind) {
    case 'refunded':
      return withRefundTotal(current.returns, inCurrency(event.total, current));
    case 'refundFailed':
      return withFailedRefund(current.returns, event.refund);
    case 'disputed':
      return withDispute(current.returns, inCurrency(event.dispute, current));
  }
};

const INQUIRY = "The buyer's bank asks about the payment. Nothing was withdrawn.";

interface Outcome extends Effect, Pick<CheckoutRecord, 'delivery' | 'parts_due'> {}

/**
 * A payment that was returned counts again. What cannot be delivered any more is refunded, unless a refund of this
 * payment has failed: another one would fail as well, so an administrator has to return the money.
 */
const outcomeOfRestoration = async (next: CheckoutRecord, event: ReturnEvent, at: string): Promise<Outcome> => {
  const { due, ...effect } = await restore(next, at);
  const known = next.parts_due ?? [];
  const added = due === 'all' ? [] : due.filter(({ id }) => known.every((part) => part.id !== id));
  // Parts of an earlier dispute are due again: the provider knows which of them were refunded.
  const parts = [...known, ...added];
  if (due !== 'all' && parts.length === 0) {
    return { ...effect, delivery: next.paid_at === null ? null : (next.delivery ?? 'done') };
  }
  const isFailing = event.kind !== 'disputed' || next.returns.failedRefunds.length > 0;
  if (isFailing) log.error('a payment counts that can be neither delivered nor refunded', { checkout_id: next.id });
  const refunds = (due === 'all' ? [undefined] : parts).map((part) =>
    newMessage('refundDue', null, { checkout_id: next.id, ...(part && { part }) }),
  );
  return {
    ...effect,
    delivery: due === 'all' ? 'refundDue' : isFailing ? 'partDue' : 'done',
    ...(parts.length > 0 && { parts_due: parts }),
    messages: isFailing ? effect.messages : [...effect.messages, ...refunds],
  };
};

/** What a change of the returns leads to: only the first and the last return of the whole payment has an effect. */
const outcomeOf = async (current: CheckoutRecord, next: CheckoutRecord, event: ReturnEvent): Promise<Outcome> => {
  const { delivery } = current;
  const isNow = isReturned(next.returns);
  if (isNow === isReturned(current.returns)) return { messages: [], delivery };
  if (isNow) return { ...(await revoke(current, next.updated_at)), delivery };
  return await outcomeOfRestoration(next, event, next.updated_at);
};

/** The delivery after a refund by the service failed, which it made because it could not deliver. */
const deliveryAfterFailure = (event: ReturnEvent, delivery: CheckoutRecord['delivery']): CheckoutRecord['delivery'] => {
  if (event.kind !== 'refundFailed' || event.part === undefined) return delivery;
  return event.part === ALL || delivery === 'refundDue' ? 'refundDue' : 'partDue';
};

/**
 * Money of the payment went back to the buyer, or stays after all. A full refund or a dispute revokes what was bought,
 * until the payment counts again. An inquiry of the bank is only entered in the ledger.
 */
export const decideReturned =
  (event: ReturnEvent): Decide =>
  async (current) => {
    const returns = returnsAfter(current, event);
    if (returns === current.returns) return undefined;
    const at = now();
    const changed = updated(current, at, { payment_intent: event.paymentIntent, returns });
    const { messages, delivery: delivered, parts_due, ...writes } = await outcomeOf(current, changed, event);
    const delivery = deliveryAfterFailure(event, delivered);
    const status = statusAfter(current, { ...changed, delivery });
    const next = { ...changed, ...(parts_due && { parts_due }), delivery, status };
    const bookings = bookingsBetween(current.returns, returns);
    const isMore = bookings.some(({ type }) => type === 'refund' || type === 'dispute');
    return {
      ...writes,
      next,
      entries: bookings.map((booking) =>
        ledgerEntry(next, { ...booking, at, ...(booking.type === 'inquiry' && { note: INQUIRY }) }),
      ),
      messages: [
        ...messages,
        ...(isMore ? [refundedMessage(next, event.kind === 'disputed' ? 'dispute' : 'refund')] : []),
      ],
    };
  };
