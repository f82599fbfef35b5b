import type { CheckoutRecord } from './checkout.ts';
import type { SessionState } from './provider.ts';
import { decideEnded, decidePaid, settleCheckout } from './settle.ts';
import type { SettlePorts } from './settlement.ts';

/** What asking the provider about open checkouts takes. */
export interface ReconcilePorts<W> extends SettlePorts<W> {
  /** Checkouts that nobody has paid and that were opened before a moment, oldest first. */
  readonly openCheckouts: (before: string) => AsyncIterable<CheckoutRecord>;
  /** How a session stands; undefined when the provider knows of none. @throws 503. */
  readonly askSession: (sessionId: string) => Promise<SessionState | undefined>;
  readonly report: (problem: string, facts: Readonly<Record<string, unknown>>) => void;
}

/** What a run of the reconciliation has done. */
export interface Reconciled {
  /** How many open checkouts were looked at. */
  readonly processed: number;
  /** How many of them turned out to be paid. */
  readonly settled: number;
  /** How many turned out to have ended without a payment. */
  readonly ended: number;
  /** How many could not be asked about; the next run comes back to them. */
  readonly failed: number;
  /** Whether its time was up before it had looked at all of them. */
  readonly unfinished: boolean;
}

/** The provider has this long to tell by itself, in milliseconds. */
const PATIENCE_MS = 15 * 60_000;
/** A session is over by now, whether the provider knows it or not, in milliseconds. */
const SESSION_MAX_MS = 25 * 3_600_000;
/** When a run stops and leaves the rest to the next, in milliseconds. */
const BUDGET_MS = 20_000;
// Far below what the provider lets one account ask in a second, and enough to come to the end where many are open.
const AT_ONCE = 8;

const askAbout = async <W>(
  ports: ReconcilePorts<W>,
  { session_id, created_at }: CheckoutRecord,
): Promise<SessionState> => {
  // A checkout without a session is one whose buyer was never told where to pay.
  const state = session_id === null ? undefined : await ports.askSession(session_id);
  const isOld = Date.parse(ports.now()) - Date.parse(created_at) > SESSION_MAX_MS;
  return state ?? { state: isOld ? 'expired' : 'open' };
};

const reconcileOne = async <W>(
  ports: ReconcilePorts<W>,
  checkout: CheckoutRecord,
): Promise<'settled' | 'ended' | undefined> => {
  const found = await askAbout(ports, checkout);
  if (found.state === 'open') return undefined;
  const decide = found.state === 'paid' ? decidePaid(ports, found.payment) : decideEnded(ports, found.state);
  const made = await settleCheckout(ports, checkout.id, undefined, decide);
  if (!made) return undefined;
  return found.state === 'paid' ? 'settled' : 'ended';
};

/**
 * Asks the provider about checkouts that have been open for a while, and settles them the way its events would have: for
 * events that never came. It may run any number of times and beside the events themselves.
 */
export const reconcilePayments = async <W>(ports: ReconcilePorts<W>): Promise<Reconciled> => {
  const until = performance.now() + BUDGET_MS;
  const before = new Date(Date.parse(ports.now()) - PATIENCE_MS).toISOString();
  const done = { processed: 0, settled: 0, ended: 0, failed: 0, unfinished: false };
  const queue = ports.openCheckouts(before)[Symbol.asyncIterator]();
  const work = async (): Promise<void> => {
    for (let next = await queue.next(); !next.done; next = await queue.next()) {
      if (performance.now() > until) {
        done.unfinished = true;
        return;
      }
      done.processed += 1;
      try {
        const outcome = await reconcileOne(ports, next.value);
        if (outcome) done[outcome] += 1;
      } catch (error) {
        done.failed += 1;
        ports.report('a checkout could not be reconciled', { checkout_id: next.value.id, error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return done;
};
