import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

/** A checkout's session at the rehearsal's payment provider. */
export interface CheckoutSession {
  readonly id: string;
  /** The service's own checkout. */
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
}

/** What a session is opened with. */
export type NewSession = Pick<
  CheckoutSession,
  'reference' | 'name' | 'amount' | 'currency' | 'email' | 'metadata' | 'success_url' | 'cancel_url'
>;

/** What can become of a session. */
export const outcomes = ['paid', 'failed', 'expired', 'refunded', 'disputed'] as const;
export type Outcome = (typeof outcomes)[number];

/** An event that waits to be told, or has been. */
export interface PendingEvent {
  readonly number: number;
  readonly payload: string;
  readonly tries: number;
}

/** The rehearsal's payment provider: its sessions, its memory of requests, and what it has to tell. */
export interface CheckoutDesk {
  open(session: NewSession): CheckoutSession;
  /** By its own id, by the service's checkout or by its payment. */
  find(reference: string): CheckoutSession | undefined;
  /**
   * Brings a session to an outcome and puts down what is to be told about it, together.
   * @param amount of a refund; all that is left when absent.
   * @returns undefined when it cannot come to that any more; what it is already, it may become again.
   */
  bring(id: string, outcome: Outcome, amount?: number): CheckoutSession | undefined;
  /** Answers a request under a key once; a later one is given the same answer, or none when it asks for something else. */
  once(key: string | undefined, request: string, work: () => string): string | undefined;
  /** Events whose time to be told has come. */
  due(count: number): PendingEvent[];
  /** When the next event is due, in milliseconds since the epoch. */
  nextDue(): number | undefined;
  told(number: number): void;
  failed(number: number, problem: string, again: number | undefined): void;
  /** What the service has answered to the events of a session. */
  tellings(id: string): { type: string; state: string; tries: number; error: string | null }[];
}

const KEPT_DAYS = 90;
const SESSION_SECONDS = 86_400;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS checkout_sessions (
    id TEXT PRIMARY KEY, reference TEXT NOT NULL UNIQUE, payment_intent TEXT NOT NULL UNIQUE, body TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS checkout_answers (
    key TEXT PRIMARY KEY, request TEXT NOT NULL, answer TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS checkout_events (
    number INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, type TEXT NOT NULL, payload TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending', tries INTEGER NOT NULL DEFAULT 0, due INTEGER NOT NULL DEFAULT 0, error TEXT,
    at INTEGER NOT NULL
  );
  CREATE INDEX IF NOT EXISTS checkout_events_due ON checkout_events (due) WHERE state = 'pending';
`;

const seconds = (): number => Math.floor(Date.now() / 1000);
const newId = (kind: string): string => `${kind}_${randomBytes(12).toString('hex')}`;

/** A session as the provider's interface writes it. */
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
  // Nobody has begun to pay while the page is open, and after that there is a payment, good or bad.
  payment_intent: session.status === 'complete' ? (expand ? intentObject(session) : session.payment_intent) : null,
  url: session.status === 'open' ? `${origin}/_local/checkout/${session.reference}` : null,
  success_url: session.success_url,
  cancel_url: session.cancel_url,
  created: session.created,
  expires_at: session.created + SESSION_SECONDS,
});

/** A session's payment as the provider's interface writes it. */
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

/** A session after an outcome; undefined when it cannot come to that any more. */
const brought = (
  session: CheckoutSession,
  outcome: Outcome,
  amount: number | undefined,
): CheckoutSession | undefined => {
  const isOpen = session.status === 'open';
  const isPaid = session.payment_status === 'paid';
  const left = session.amount - session.amount_refunded;
  switch (outcome) {
    case 'paid':
      return isOpen || isPaid ? { ...session, status: 'complete', payment_status: 'paid' } : undefined;
    case 'failed':
      return isOpen || (session.status === 'complete' && !isPaid) ? { ...session, status: 'complete' } : undefined;
    case 'expired':
      return isOpen || session.status === 'expired' ? { ...session, status: 'expired' } : undefined;
    case 'refunded':
      return isPaid && (amount ?? left) <= left
        ? { ...session, amount_refunded: session.amount_refunded + (amount ?? left) }
        : undefined;
    case 'disputed':
      return isPaid ? { ...session, disputed: true } : undefined;
  }
};

/** What is told about a session that has come to an outcome. */
const newsOf = (session: CheckoutSession, outcome: Outcome, origin: string): readonly [string, object][] => {
  const itself = sessionObject(session, origin);
  switch (outcome) {
    case 'paid':
      return [['checkout.session.completed', itself]];
    case 'failed':
      return [
        ['checkout.session.completed', itself],
        ['checkout.session.async_payment_failed', itself],
      ];
    case 'expired':
      return [['checkout.session.expired', itself]];
    case 'refunded':
      return [['charge.refunded', chargeObject(session)]];
    case 'disputed':
      return [['charge.dispute.created', disputeObject(session)]];
  }
};

/**
 * Opens the provider on its journal.
 * @param origin where the service and the payment pages are.
 */
export const openCheckoutDesk = (journal: DatabaseSync, origin: string): CheckoutDesk => {
  journal.exec(SCHEMA);
  const old = seconds() - KEPT_DAYS * 86_400;
  journal.prepare("DELETE FROM checkout_events WHERE at < ? AND state <> 'pending'").run(old);

  const insert = journal.prepare(
    'INSERT INTO checkout_sessions (id, reference, payment_intent, body) VALUES (?, ?, ?, ?)',
  );
  const replace = journal.prepare('UPDATE checkout_sessions SET body = ? WHERE id = ?');
  const select = journal.prepare(
    'SELECT body FROM checkout_sessions WHERE id = ?1 OR reference = ?1 OR payment_intent = ?1',
  );
  const insertEvent = journal.prepare('INSERT INTO checkout_events (session, type, payload, at) VALUES (?, ?, ?, ?)');

  const atomically = <T>(work: () => T): T => {
    journal.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      journal.exec('COMMIT');
      return result;
    } catch (error) {
      journal.exec('ROLLBACK');
      throw error;
    }
  };

  const find = (reference: string): CheckoutSession | undefined => {
    const row = select.get(reference) as { body: string } | undefined;
    return row && (JSON.parse(row.body) as CheckoutSession);
  };

  const tell = (session: CheckoutSession, type: string, object: object): void => {
    const event = { id: newId('evt'), object: 'event', livemode: false, created: seconds(), type, data: { object } };
    insertEvent.run(session.id, type, JSON.stringify(event), seconds());
  };

  const open = (asked: NewSession): CheckoutSession => {
    const session: CheckoutSession = {
      ...asked,
      id: newId('cs_test'),
      status: 'open',
      payment_status: 'unpaid',
      payment_intent: newId('pi'),
      charge: newId('ch'),
      created: seconds(),
      amount_refunded: 0,
      disputed: false,
    };
    insert.run(session.id, session.reference, session.payment_intent, JSON.stringify(session));
    return session;
  };

  const bringNow = (id: string, outcome: Outcome, amount?: number): CheckoutSession | undefined => {
    const session = find(id);
    const next = session && brought(session, outcome, amount);
    if (!session || !next) return undefined;
    if (JSON.stringify(next) === JSON.stringify(session)) return session;
    replace.run(JSON.stringify(next), next.id);
    for (const [type, object] of newsOf(next, outcome, origin)) tell(next, type, object);
    return next;
  };

  return {
    open,
    find,
    bring: (id, outcome, amount) =>
      journal.isTransaction ? bringNow(id, outcome, amount) : atomically(() => bringNow(id, outcome, amount)),
    once: (key, request, work) =>
      atomically(() => {
        if (key === undefined) return work();
        const known = journal.prepare('SELECT request, answer FROM checkout_answers WHERE key = ?').get(key) as
          | { request: string; answer: string }
          | undefined;
        if (known) return known.request === request ? known.answer : undefined;
        const answer = work();
        journal
          .prepare('INSERT INTO checkout_answers (key, request, answer) VALUES (?, ?, ?)')
          .run(key, request, answer);
        return answer;
      }),
    due: (count) =>
      journal
        .prepare(
          "SELECT number, payload, tries FROM checkout_events WHERE state = 'pending' AND due <= ? ORDER BY due LIMIT ?",
        )
        .all(Date.now(), count) as unknown as PendingEvent[],
    nextDue: () => {
      const row = journal.prepare("SELECT MIN(due) AS due FROM checkout_events WHERE state = 'pending'").get();
      return (row as { due: number | null }).due ?? undefined;
    },
    told: (number) => {
      journal
        .prepare("UPDATE checkout_events SET state = 'done', tries = tries + 1, error = NULL WHERE number = ?")
        .run(number);
    },
    failed: (number, problem, again) => {
      journal
        .prepare('UPDATE checkout_events SET state = ?, tries = tries + 1, error = ?, due = ? WHERE number = ?')
        .run(again === undefined ? 'dead' : 'pending', problem, again ?? 0, number);
    },
    tellings: (id) =>
      journal
        .prepare('SELECT type, state, tries, error FROM checkout_events WHERE session = ? ORDER BY number')
        .all(id) as unknown as { type: string; state: string; tries: number; error: string | null }[],
  };
};
