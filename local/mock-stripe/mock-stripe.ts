import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '../journal.ts';

/** A refund of the payment of a session. */
export interface Refund {
  readonly id: string;
  readonly amount: number;
  readonly status: 'succeeded' | 'failed';
  readonly metadata: Readonly<Record<string, string>>;
  /** Seconds since the epoch. */
  readonly created: number;
}

/** A Stripe Checkout session. */
export interface CheckoutSession {
  readonly id: string;
  /** Id of the service's checkout. */
  readonly reference: string;
  readonly status: 'open' | 'complete' | 'expired';
  readonly payment_status: 'unpaid' | 'paid';
  /** Whether the buyer chose a payment method that takes days, and its outcome is not known yet. */
  readonly is_processing: boolean;
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
  /** Newest last. */
  readonly refunds: readonly Refund[];
  /** The status of a dispute or inquiry. */
  readonly dispute: 'warning_needs_response' | 'warning_closed' | 'needs_response' | 'won' | 'lost' | null;
  /** Ids of its webhook events on the bus. */
  readonly events: readonly string[];
}

export type NewSession = Pick<
  CheckoutSession,
  'reference' | 'name' | 'amount' | 'currency' | 'email' | 'metadata' | 'success_url' | 'cancel_url'
>;

export const outcomes = [
  'paid',
  'processing',
  'failed',
  'expired',
  'refunded',
  'refund_failed',
  'inquiry',
  'disputed',
  'dispute_won',
  'dispute_lost',
] as const;
export type Outcome = (typeof outcomes)[number];

export interface NewRefund {
  readonly amount?: number | undefined;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The state of the mock: checkout sessions and responses by idempotency key. */
export interface MockStripe {
  open(session: NewSession): CheckoutSession;
  /** By session id, checkout id or payment intent. */
  find(reference: string): CheckoutSession | undefined;
  /**
   * Applies an outcome and publishes its webhook events in one transaction. Applying the current outcome again changes
   * nothing.
   * @param refund its amount is the remaining one when absent.
   * @returns undefined when the session's state does not allow the outcome.
   */
  applyOutcome(id: string, outcome: Outcome, refund?: NewRefund): CheckoutSession | undefined;
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

/** What was refunded and did not fail. */
export const amountRefunded = ({ refunds }: CheckoutSession): number =>
  refunds.reduce((sum, { amount, status }) => sum + (status === 'failed' ? 0 : amount), 0);

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
  status:
    session.payment_status === 'paid' ? 'succeeded' : session.is_processing ? 'processing' : 'requires_payment_method',
});

const chargeObject = (session: CheckoutSession): Record<string, unknown> => ({
  id: session.charge,
  object: 'charge',
  livemode: false,
  amount: session.amount,
  amount_refunded: amountRefunded(session),
  currency: session.currency,
  disputed: session.dispute !== null,
  metadata: session.metadata,
  paid: true,
  payment_intent: session.payment_intent,
  refunded: amountRefunded(session) >= session.amount,
  status: 'succeeded',
});

/** A refund in the form of Stripe's API. */
export const refundObject = (session: CheckoutSession, refund: Refund): Record<string, unknown> => ({
  ...refund,
  object: 'refund',
  charge: session.charge,
  currency: session.currency,
  payment_intent: session.payment_intent,
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
  status: session.dispute,
});

const afterRefund = (session: CheckoutSession, { amount, metadata = {} }: NewRefund): CheckoutSession | undefined => {
  const remaining = session.amount - amountRefunded(session);
  if (session.payment_status !== 'paid' || (amount ?? remaining) > remaining) return undefined;
  if (remaining === 0) return session;
  const refund = { id: newId('re'), amount: amount ?? remaining, metadata, created: seconds() };
  return { ...session, refunds: [...session.refunds, { ...refund, status: 'succeeded' }] };
};

/** The newest refund does not arrive. */
const afterFailedRefund = (session: CheckoutSession): CheckoutSession | undefined => {
  const last = session.refunds.at(-1);
  return last && { ...session, refunds: [...session.refunds.slice(0, -1), { ...last, status: 'failed' }] };
};

/** The statuses of a dispute that an outcome can follow, and the status that it leads to. */
const disputeChanges = {
  inquiry: new Map([[null, 'warning_needs_response']]),
  disputed: new Map([
    [null, 'needs_response'],
    ['warning_needs_response', 'needs_response'],
  ]),
  dispute_won: new Map([
    ['warning_needs_response', 'warning_closed'],
    ['needs_response', 'won'],
  ]),
  dispute_lost: new Map([['needs_response', 'lost']]),
} as const satisfies Partial<Record<Outcome, ReadonlyMap<CheckoutSession['dispute'], CheckoutSession['dispute']>>>;

const afterDispute = (session: CheckoutSession, outcome: keyof typeof disputeChanges): CheckoutSession | undefined => {
  const changes: ReadonlyMap<CheckoutSession['dispute'], CheckoutSession['dispute']> = disputeChanges[outcome];
  if ([...changes.values()].includes(session.dispute)) return session;
  const dispute = changes.get(session.dispute);
  return session.payment_status === 'paid' && dispute !== undefined ? { ...session, dispute } : undefined;
};

/** @returns undefined when the session's state does not allow the outcome. */
const afterOutcome = (session: CheckoutSession, outcome: Outcome, refund: NewRefund): CheckoutSession | undefined => {
  const isOpen = session.status === 'open';
  const isPaid = session.payment_status === 'paid';
  const isUnpaid = session.status === 'complete' && !isPaid;
  switch (outcome) {
    case 'paid':
      return isOpen || isPaid || session.is_processing
        ? { ...session, status: 'complete', payment_status: 'paid', is_processing: false }
        : undefined;
    case 'processing':
      return isOpen || session.is_processing ? { ...session, status: 'complete', is_processing: true } : undefined;
    case 'failed':
      return isOpen || isUnpaid ? { ...session, status: 'complete', is_processing: false } : undefined;
    case 'expired':
      return isOpen || session.status === 'expired' ? { ...session, status: 'expired' } : undefined;
    case 'refunded':
      return afterRefund(session, refund);
    case 'refund_failed':
      return afterFailedRefund(session);
    default:
      return afterDispute(session, outcome);
  }
};

/** The webhook events that Stripe sends for an outcome. */
const eventsFor = (
  session: CheckoutSession,
  { outcome, previous, origin }: { outcome: Outcome; previous: CheckoutSession; origin: string },
): readonly [string, object][] => {
  const object = sessionObject(session, origin);
  const dispute = disputeObject(session);
  switch (outcome) {
    case 'paid':
      return [[`checkout.session.${previous.is_processing ? 'async_payment_succeeded' : 'completed'}`, object]];
    case 'processing':
      return [['checkout.session.completed', object]];
    case 'failed':
      return [
        ...(previous.is_processing ? [] : ([['checkout.session.completed', object]] as [string, object][])),
        ['checkout.session.async_payment_failed', object],
      ];
    case 'expired':
      return [['checkout.session.expired', object]];
    case 'refunded':
      return [['charge.refunded', chargeObject(session)]];
    case 'refund_failed':
      return session.refunds.slice(-1).flatMap((refund): [string, object][] => [
        ['refund.updated', refundObject(session, refund)],
        ['refund.failed', refundObject(session, refund)],
      ]);
    case 'inquiry':
      return [['charge.dispute.created', dispute]];
    case 'disputed':
      return [
        [`charge.dispute.${previous.dispute === null ? 'created' : 'updated'}`, dispute],
        ['charge.dispute.funds_withdrawn', dispute],
      ];
    case 'dispute_won':
    case 'dispute_lost':
      return [['charge.dispute.closed', dispute]];
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
    // Sessions of earlier versions have neither.
    const session =
      row && (JSON.parse(row.body) as Omit<CheckoutSession, 'refunds' | 'dispute'> & Partial<CheckoutSession>);
    return session && { ...session, refunds: session.refunds ?? [], dispute: session.dispute ?? null };
  };

  const open = (given: NewSession): CheckoutSession => {
    const session: CheckoutSession = {
      ...given,
      id: newId('cs_test'),
      status: 'open',
      payment_status: 'unpaid',
      is_processing: false,
      payment_intent: newId('pi'),
      charge: newId('ch'),
      created: seconds(),
      refunds: [],
      dispute: null,
      events: [],
    };
    insert.run(session.id, session.reference, session.payment_intent, JSON.stringify(session));
    return session;
  };

  const apply = (id: string, outcome: Outcome, refund: NewRefund): CheckoutSession | undefined => {
    const session = find(id);
    const next = session && afterOutcome(session, outcome, refund);
    if (!session || !next) return undefined;
    if (JSON.stringify(next) === JSON.stringify(session)) return session;
    const published = eventsFor(next, { outcome, previous: session, origin }).map(([type, object]) =>
      publish(type, { id: newId('evt'), object: 'event', livemode: false, created: seconds(), type, data: { object } }),
    );
    const stored = { ...next, events: [...next.events, ...published] };
    replace.run(JSON.stringify(stored), next.id);
    return stored;
  };

  return {
    open,
    find,
    applyOutcome: (id, outcome, refund = {}) => inTransaction(journal, () => apply(id, outcome, refund)),
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
