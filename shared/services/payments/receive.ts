import { findCheckoutIdByPayment } from '#data/checkouts.ts';
import { findCheckoutIdAtProvider } from '#platform/stripe.ts';
import type { ProviderEvent } from '#platform/stripe-event.ts';
import {
  type Decide,
  decideDisputed,
  decideDisputeWon,
  decideEnded,
  decidePaid,
  decideRefunded,
  settleCheckout,
} from './settle.ts';

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
    case 'expired':
    case 'failed':
      return decideEnded(event.kind);
    case 'refunded':
      return decideRefunded(event);
    case 'disputed':
      return decideDisputed(event);
    case 'disputeWon':
      return decideDisputeWon(event);
  }
};

/**
 * Applies an event of the provider exactly once; events may be repeated and out of order. Events of other services on
 * the same account are ignored.
 * @throws 503 when the provider is unavailable.
 */
export const receiveEvent = async (event: ProviderEvent): Promise<void> => {
  const checkoutId = await findCheckoutId(event);
  if (checkoutId !== undefined) await settleCheckout(checkoutId, event.id, decisionOn(event));
};
