import Stripe from 'stripe';
import { expect } from 'vitest';
import type { Checkout, LedgerEntry } from '#contract/payments.ts';
import type { CallAnswer, Client } from './client.ts';
import { type Directory, dataOf, type Person, submission } from './fixtures.ts';

/** What tests of payments are made of: purchases, and the provider's events as it signs them. */

/** The secret of the single-machine world. */
const WEBHOOK_SECRET = 'whsec_local';

let made = 0;

/** An event as the provider writes it. */
export const eventOf = (type: string, object: object, id?: string): { id: string; type: string; data: object } => {
  made += 1;
  return { id: id ?? `evt_test_${process.pid}_${made}`, type, data: { object } };
};

/** The head that the provider signs a body with. */
export const signatureOf = (payload: string, options: { secret?: string; timestamp?: number } = {}): string =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET, ...options });

/** Tells the service an event as the provider would. */
export const tell = (client: Client, event: object): Promise<CallAnswer> => {
  const payload = JSON.stringify(event);
  return client.call('POST', '/api/webhooks/stripe', {
    rawBody: payload,
    headers: { 'stripe-signature': signatureOf(payload) },
  });
};

/** What a session says when it is paid. */
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

/** A charge of which some was given back. */
export const refundedCharge = (checkoutId: string, amountRefunded: number, amount = 4900): Record<string, unknown> => ({
  id: `ch_of_${checkoutId}`,
  object: 'charge',
  payment_intent: `pi_of_${checkoutId}`,
  metadata: { checkout_id: checkoutId },
  amount,
  amount_refunded: amountRefunded,
  refunded: amountRefunded >= amount,
});

/** A dispute about what a checkout took. */
export const disputeOf = (checkoutId: string, amount = 4900): Record<string, unknown> => ({
  id: `du_of_${checkoutId}`,
  object: 'dispute',
  payment_intent: `pi_of_${checkoutId}`,
  amount,
});

/** What begins a purchase. */
export interface Started {
  readonly checkoutUrl: string;
  readonly checkout_id: string;
}

/** Submits on the premium plan. */
export const startPremium = async (
  directory: Directory,
  buyer: Person,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Started> => {
  const body = submission({ plan: 'premium', categories: [directory.category], ...fields });
  const answer = await directory.as(buyer, 'POST', '/api/projects', body);
  expect(answer).toMatchObject({ status: 200 });
  return dataOf<Started>(answer);
};

/** Decides at the rehearsal's payment page. */
export const decide = async (directory: Directory, checkoutId: string, outcome: string, amount?: number) => {
  const body = { outcome, ...(amount !== undefined && { amount }) };
  const answer = await directory.as(undefined, 'POST', `/_local/checkout/${checkoutId}`, body);
  expect(answer).toMatchObject({ status: 200 });
  return answer;
};

/** What became of a purchase, as its buyer sees it. */
export const checkoutOf = async (directory: Directory, buyer: Person, checkoutId: string): Promise<Checkout> => {
  const answer = await directory.get(`/api/payments/checkouts/${checkoutId}`, buyer);
  expect(answer).toMatchObject({ status: 200 });
  return dataOf<Checkout>(answer);
};

/** Somebody's ledger, newest first. */
export const ledgerOf = async (directory: Directory, buyer: Person): Promise<LedgerEntry[]> => {
  const answer = await directory.get('/api/payments?limit=100', buyer);
  expect(answer).toMatchObject({ status: 200 });
  return dataOf<LedgerEntry[]>(answer);
};
