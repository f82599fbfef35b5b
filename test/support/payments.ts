import Stripe from 'stripe';
import { expect, vi } from 'vitest';
import type { Checkout, LedgerEntry } from '#contract/payments.ts';
import type { CallResponse, Client } from './client.ts';
import { type Directory, dataOf, type Person, submission } from './fixtures.ts';

/** Helpers for tests of payments: purchases, and signed events of the payment provider. */

/** The signing secret of the local server. */
const WEBHOOK_SECRET = 'whsec_local';

let eventCount = 0;

/** An event in the format of the provider. */
export const stripeEvent = (type: string, object: object, id?: string): { id: string; type: string; data: object } => {
  eventCount += 1;
  return { id: id ?? `evt_test_${process.pid}_${eventCount}`, type, data: { object } };
};

/** An event that the provider created at a time, in seconds since 1970. */
export const stripeEventAt = (created: number, type: string, object: object) => ({
  ...stripeEvent(type, object),
  created,
});

/** The value of `stripe-signature` for a body. */
export const signatureOf = (payload: string, options: { secret?: string; timestamp?: number } = {}): string =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET, ...options });

/** Sends a signed event to the webhook. */
export const sendStripeEvent = (client: Client, event: object): Promise<CallResponse> => {
  const payload = JSON.stringify(event);
  return client.call('POST', '/api/webhooks/stripe', {
    rawBody: payload,
    headers: { 'stripe-signature': signatureOf(payload) },
  });
};

/** Runs work while the events of the local provider do not arrive. Afterwards the provider repeats them. */
export const withoutStripeEvents = async (work: () => Promise<void>): Promise<void> => {
  const { fetch } = globalThis;
  const held = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const isHeld = typeof input === 'string' && input.endsWith('/api/webhooks/stripe');
    return isHeld ? new Response(null, { status: 503 }) : await fetch(input, init);
  });
  try {
    await work();
  } finally {
    held.mockRestore();
  }
};

/** A paid session; `more` overrides its members. */
export const paidSession = (
  checkoutId: string,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  id: `cs_test_${checkoutId.toLowerCase()}`,
  object: 'checkout.session',
  client_reference_id: checkoutId,
  metadata: { checkout_id: checkoutId },
  payment_status: 'paid',
  payment_intent: `pi_of_${checkoutId}`,
  amount_total: 4900,
  currency: 'usd',
  ...more,
});

/** A charge with a full or partial refund. */
export const refundedCharge = (checkoutId: string, amountRefunded: number, amount = 4900): Record<string, unknown> => ({
  id: `ch_of_${checkoutId}`,
  object: 'charge',
  payment_intent: `pi_of_${checkoutId}`,
  metadata: { checkout_id: checkoutId },
  amount,
  amount_refunded: amountRefunded,
  refunded: amountRefunded >= amount,
});

/** A refund of the payment of a checkout that failed. */
export const failedRefund = (
  checkoutId: string,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  id: `re_of_${checkoutId}`,
  object: 'refund',
  payment_intent: `pi_of_${checkoutId}`,
  amount: 4900,
  status: 'failed',
  ...more,
});

/** A dispute about the payment of a checkout. */
export const disputeOf = (
  checkoutId: string,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  id: `du_of_${checkoutId}`,
  object: 'dispute',
  payment_intent: `pi_of_${checkoutId}`,
  amount: 4900,
  status: 'needs_response',
  ...more,
});

/** The response to a purchase. */
export interface StartedCheckout {
  readonly checkoutUrl: string;
  readonly checkout_id: string;
}

/** Submits a project on the premium plan. */
export const startPremium = async (
  directory: Directory,
  buyer: Person,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<StartedCheckout> => {
  const body = submission({ plan: 'premium', categories: [directory.category], ...fields });
  const response = await directory.as(buyer, 'POST', '/api/projects', body);
  expect(response).toMatchObject({ status: 200 });
  return dataOf<StartedCheckout>(response);
};

/** Chooses an outcome on the local payment page. */
export const chooseOutcome = async (directory: Directory, checkoutId: string, outcome: string, amount?: number) => {
  const body = { outcome, ...(amount !== undefined && { amount }) };
  const response = await directory.as(undefined, 'POST', `/_local/checkout/${checkoutId}`, body);
  expect(response).toMatchObject({ status: 200 });
  return response;
};

/** A checkout as its buyer sees it. */
export const checkoutOf = async (directory: Directory, buyer: Person, checkoutId: string): Promise<Checkout> => {
  const response = await directory.get(`/api/payments/checkouts/${checkoutId}`, buyer);
  expect(response).toMatchObject({ status: 200 });
  return dataOf<Checkout>(response);
};

/** The first 100 entries of a buyer's ledger, newest first. */
export const ledgerOf = async (directory: Directory, buyer: Person): Promise<LedgerEntry[]> => {
  const response = await directory.get('/api/payments?limit=100', buyer);
  expect(response).toMatchObject({ status: 200 });
  return dataOf<LedgerEntry[]>(response);
};
