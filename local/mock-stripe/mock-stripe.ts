import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '../journal.ts';

/** A Stripe Checkout session. */
export interface CheckoutSession {
  readonly id: string;
  /** Id of the service's checkout. */
  readonly reference: string;
  readonly status: 'open' | 'complete' | 'expired';
  readonly payment_status: 'unpaid' | 'paid';
  readonly payment_intent: string;
  readonly charge: string;
  readonly name: string;
  readonly amount: number;
  readonly currency: string;
  readonly email: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly success_url: string;
  readonly cancel_url: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly amount_refunded: number;
  readonly disputed: boolean;
  /** Ids of its webhook events on the bus. */
  readonly events: readonly string[];
}

export type NewSession = Pick<
  CheckoutSession,
  'reference' | 'name' | 'amount' | 'currency' | 'email' | 'metadata' | 'success_url' | 'cancel_url'
>;

export const outcomes = ['paid', 'failed', 'expired', 'refunded', 'disputed'] as const;
export type Outcome = (typeof outcomes)[number];

/** The state of the mock: checkout sessions and responses by idempotency key. */
export interface MockStripe {
  open(session: NewSession): CheckoutSession;
  /** By session id, checkout id or payment intent. */
  find(reference: string): CheckoutSession | undefined;
  /**
   * Applies an outcome and publishes its webhook events in one transaction. Applying the current outcome again changes
   * nothing.
   * @param amount of a refund; the remaining amount when absent.
   * @returns undefined when the session's state does not allow the outcome.
   */
  applyOutcome(id: string, outcome: Outcome, amount?: number): CheckoutSession | undefined;
  /**
   * Executes a request once per idempotency key and returns the stored response afterwards.
   * @returns undefined when the key was used for a different request.
   */
  processOnce(key: string | undefined, request: string, work: () => string): string | undefined;
}

const SESSION_SECONDS = 86_400;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS checkout_sessions (
    id TEXT PRIMARY KEY, reference TEXT NOT NULL UNIQUE, payment_intent TEXT NOT NULL UNIQUE, body TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS checkout_responses (
    key TEXT PRIMARY KEY, request TEXT NOT NULL, response TEXT NOT NULL
  ) WITHOUT ROWID;
`;

const seconds = (): number => Math.floor(Date.now() / 1000);
const newId = (kind: string): string => `${kind}_${randomBytes(12).toString('hex')}`;

/** A session in the form of Stripe's API. */
export const sessionObject = (session: CheckoutSession, origin: string, expand = false): Record<string, unknown> => ({
  id: session.id,
  object: 'checkout.session',
  livemode: false,
  mode: 'payment',
  status: session.status,
  payment_status: session.payment_status,
  client_reference_id: session.reference,
  customer_email: session.email,
  metadata: session.metadata,
  amount_subtotal: session.amount,
  amount_total: session.amount,
  currency: session.currency,
  // Stripe creates the payment intent when the buyer submits a payment, successful or not.
  payment_intent: session.status === 'complete' ? (expand ? intentObject(session) : session.payment_intent) : null,
  url: session.status === 'open' ? `${origin}/_local/checkout/${session.reference}` : null,
  success_url: session.success_url,
  cancel_url: session.cancel_url,
  created: session.created,
  expires_at: session.created + SESSION_SECONDS,
});

/** A session's payment intent in the form of Stripe's API. */
export const intentObject = (session: CheckoutSession): Record<string, unknown> => ({
  id: session.payment_intent,
  object: 'payment_intent',
  livemode: false,
  amount: session.amount,
  amount_received: session.payment_status === 'paid' ? session.amount : 0,
  currency: session.currency,
  metadata: session.metadata,
  latest_charge: session.payment_status === 'paid' ? session.charge : null,
  status: session.payment_status === 'paid' ? 'succeeded' : 'requires_payment_method',
});

const chargeObject = (session: CheckoutSession): Record<string, unknown> => ({
  id: session.charge,
  object: 'charge',
  livemode: false,
  amount: session.amount,
  amount_refunded: session.amount_refunded,
  currency: session.currency,
  disputed: session.disputed,
  metadata: session.metadata,
  paid: true,
  payment_intent: session.payment_intent,
  refunded: session.amount_refunded >= session.amount,
  status: 'succeeded',
});

const disputeObject = (session: CheckoutSession): Record<string, unknown> => ({
  id: `du_${session.charge}`,
  object: 'dispute',
  livemode: false,
  amount: session.amount,
  charge: session.charge,
  currency: session.currency,
  payment_intent: session.payment_intent,
  reason: 'general',
  status: 'needs_response',
});

/** @returns undefined when the session's state does not allow the outcome. */
const afterOutcome = (
  session: CheckoutSession,
  outcome: Outcome,
  amount: number | undefined,
): CheckoutSession | undefined => {
  const isOpen = session.status === 'open';
  const isPaid = session.payment_status === 'paid';
  const remaining = session.amount - session.amount_refunded;
  switch (outcome) {
    case 'paid':
      return isOpen || isPaid ? { ...session, status: 'complete', payment_status: 'paid' } : undefined;
    case 'failed':
      return isOpen || (session.status === 'complete' && !isPaid) ? { ...session, status: 'complete' } : undefined;
    case 'expired':
      return isOpen || session.status === 'expired' ? { ...session, status: 'expired' } : undefined;
    case 'refunded':
      return isPaid && (amount ?? remaining) <= remaining
        ? { ...session, amount_refunded: session.amount_refunded + (amount ?? remaining) }
        : undefined;
    case 'disputed':
      return isPaid ? { ...session, disputed: true } : undefined;
  }
};

/** The webhook events that Stripe sends for an outcome. */
const eventsFor = (session: CheckoutSession, outcome: Outcome, origin: string): readonly [string, object][] => {
  const object = sessionObject(session, origin);
  switch (outcome) {
    case 'paid':
      return [['checkout.session.completed', object]];
    case 'failed':
      return [
        ['checkout.session.completed', object],
        ['checkout.session.async_payment_failed', object],
      ];
    case 'expired':
      return [['checkout.session.expired', object]];
    case 'refunded':
      return [['charge.refunded', chargeObject(session)]];
    case 'disputed':
      return [['charge.dispute.created', disputeObject(session)]];
  }
};

/**
 * Opens the mock; its state is kept in the journal.
 * @param origin of the payment pages.
 * @param publish stores a webhook event for delivery. @returns its id on the bus.
 */
export const openMockStripe = (
  journal: DatabaseSync,
  origin: string,
  publish: (type: string, event: object) => string,
): MockStripe => {
  journal.exec(SCHEMA);

  const insert = journal.prepare(
    'INSERT INTO checkout_sessions (id, reference, payment_intent, body) VALUES (?, ?, ?, ?)',
  );
  const replace = journal.prepare('UPDATE checkout_sessions SET body = ? WHERE id = ?');
  const select = journal.prepare(
    'SELECT body FROM checkout_sessions WHERE id = ?1 OR reference = ?1 OR payment_intent = ?1',
  );

  const find = (reference: string): CheckoutSession | undefined => {
    const row = select.get(reference) as { body: string } | undefined;
    return row && (JSON.parse(row.body) as CheckoutSession);
  };

  const open = (given: NewSession): CheckoutSession => {
    const session: CheckoutSession = {
      ...given,
      id: newId('cs_test'),
      status: 'open',
      payment_status: 'unpaid',
      payment_intent: newId('pi'),
      charge: newId('ch'),
      created: seconds(),
      amount_refunded: 0,
      disputed: false,
      events: [],
    };
    insert.run(session.id, session.reference, session.payment_intent, JSON.stringify(session));
    return session;
  };

  const apply = (id: string, outcome: Outcome, amount?: number): CheckoutSession | undefined => {
    const session = find(id);
    const next = session && afterOutcome(session, outcome, amount);
    if (!session || !next) return undefined;
    if (JSON.stringify(next) === JSON.stringify(session)) return session;
    const published = eventsFor(next, outcome, origin).map(([type, object]) =>
      publish(type, { id: newId('evt'), object: 'event', livemode: false, created: seconds(), type, data: { object } }),
    );
    const stored = { ...next, events: [...next.events, ...published] };
    replace.run(JSON.stringify(stored), next.id);
    return stored;
  };

  return {
    open,
    find,
    applyOutcome: (id, outcome, amount) => inTransaction(journal, () => apply(id, outcome, amount)),
    processOnce: (key, request, work) =>
      inTransaction(journal, () => {
        if (key === undefined) return work();
        const known = journal.prepare('SELECT request, response FROM checkout_responses WHERE key = ?').get(key) as
          | { request: string; response: string }
          | undefined;
        if (known) return known.request === request ? known.response : undefined;
        const response = work();
        journal
          .prepare('INSERT INTO checkout_responses (key, request, response) VALUES (?, ?, ?)')
          .run(key, request, response);
        return response;
      }),
  };
};
