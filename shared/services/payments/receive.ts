import { findCheckoutIdByPayment, openCheckouts } from '#data/payments.ts';
import type { CheckoutRecord } from '#model/payment.ts';
import { now } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { findCheckoutIdAtProvider, findSessionState, type SessionState, verifyEvent } from '#platform/stripe.ts';
import type { ProviderEvent } from '#platform/stripe-event.ts';
import { type Decide, decideEnded, decidePaid, decideProcessing, decideReturned, settleCheckout } from './settle.ts';

/** A refund or dispute can arrive before the payment; then only the provider has the id of the checkout. */
const findCheckoutId = async (event: ProviderEvent): Promise<string | undefined> => {
  if ('checkoutId' in event && event.checkoutId !== undefined) return event.checkoutId;
  if (!('paymentIntent' in event)) return undefined;
  return (await findCheckoutIdByPayment(event.paymentIntent)) ?? (await findCheckoutIdAtProvider(event.paymentIntent));
};

const decisionOn = (event: ProviderEvent): Decide => {
  switch (event.kind) {
    case 'paid':
      return decidePaid(event.payment);
    case 'processing':
      return decideProcessing(event.sessionId);
    case 'expired':
    case 'failed':
      return decideEnded(event.kind);
    default:
      return decideReturned(event);
  }
};

/**
 * Verifies and applies an event of the provider exactly once; events may be repeated and out of order. Events of unhandled
 * kinds and of other services on the same account are ignored.
 * @param signature the header as sent.
 * @throws 400 when the signature is wrong, 503 when the provider is unavailable.
 */
export const receiveEvent = async (body: Buffer, signature: string | undefined): Promise<void> => {
  const event = await verifyEvent(body, signature);
  if (!event) return;
  const checkoutId = await findCheckoutId(event);
  if (checkoutId !== undefined) await settleCheckout(checkoutId, event.id, decisionOn(event));
};

/** Younger checkouts are left to the events of the provider. */
const AGE_MIN_MS = 15 * 60_000;
/** Sessions expire within 24 hours, also those that were never created. */
const SESSION_MAX_MS = 25 * 3_600_000;
const BUDGET_MS = 20_000;

const stateOf = async ({ session_id, created_at }: CheckoutRecord, at: string): Promise<SessionState> => {
  // Without a session the buyer never received a payment page.
  const state = session_id === null ? undefined : await findSessionState(session_id);
  // Also one that a clock which was ahead has stamped.
  const isOld = Math.abs(Date.parse(at) - Date.parse(created_at)) > SESSION_MAX_MS;
  return state ?? { state: isOld ? 'expired' : 'open' };
};

const decisionOnState = (found: SessionState, sessionId: string): Decide | undefined => {
  switch (found.state) {
    case 'open':
      return undefined;
    case 'paid':
      return decidePaid(found.payment);
    case 'processing':
      return decideProcessing(sessionId);
    default:
      return decideEnded(found.state);
  }
};

const reconcileOne = async (checkout: CheckoutRecord, at: string): Promise<'settled' | 'ended' | undefined> => {
  const found = await stateOf(checkout, at);
  const decide = decisionOnState(found, checkout.session_id ?? '');
  if (!decide || !(await settleCheckout(checkout.id, undefined, decide))) return undefined;
  if (found.state === 'processing') return undefined;
  return found.state === 'paid' ? 'settled' : 'ended';
};

/** Checkouts with payments under way, which can take weeks, come after those whose page is open. */
async function* openFirst(checkouts: AsyncIterable<CheckoutRecord>): AsyncGenerator<CheckoutRecord> {
  const underWay: CheckoutRecord[] = [];
  for await (const checkout of checkouts) {
    if (checkout.status === 'processing') underWay.push(checkout);
    else yield checkout;
  }
  yield* underWay;
}

/**
 * Polls the provider for checkouts that have been open for a while and applies their state, in case events were lost.
 * Idempotent and safe to run concurrently with events and other runs.
 */
export const reconcilePayments = async (at = now()) => {
  const deadline = performance.now() + BUDGET_MS;
  const createdBefore = new Date(Date.parse(at) - AGE_MIN_MS).toISOString();
  const counts = { settled: 0, ended: 0, failed: 0 };
  const reconcile = async (checkout: CheckoutRecord): Promise<void> => {
    try {
      const outcome = await reconcileOne(checkout, at);
      if (outcome) counts[outcome] += 1;
    } catch (error) {
      counts.failed += 1;
      log.warn('reconciliation of a checkout failed', { checkout_id: checkout.id, error });
    }
  };
  const { results, isComplete } = await mapConcurrently(openFirst(openCheckouts(createdBefore)), reconcile, {
    until: deadline,
  });
  return { processed: results.length, ...counts, unfinished: !isComplete };
};
