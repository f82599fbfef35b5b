import { openCheckouts } from '#data/checkouts.ts';
import type { CheckoutRecord } from '#model/checkout.ts';
import { log } from '#platform/log.ts';
import { findSessionState, type SessionState } from '#platform/stripe.ts';
import { decideEnded, decidePaid, settleCheckout } from './settle.ts';

interface Reconciled {
  /** Open checkouts that were checked. */
  readonly processed: number;
  /** Of these, paid ones. */
  readonly settled: number;
  /** Of these, ones that ended without a payment. */
  readonly ended: number;
  /** Of these, ones whose check failed; the next run repeats it. */
  readonly failed: number;
  /** Whether the time budget ended before all were checked. */
  readonly unfinished: boolean;
}

/** Younger checkouts are left to the events of the provider. */
const AGE_MIN_MS = 15 * 60_000;
/** Sessions expire within 24 hours, also those that were never created. */
const SESSION_MAX_MS = 25 * 3_600_000;
const BUDGET_MS = 20_000;
/** Far below the provider's rate limit. */
const CONCURRENCY = 8;

const stateOf = async ({ session_id, created_at }: CheckoutRecord, at: string): Promise<SessionState> => {
  // Without a session the buyer never received a payment page.
  const state = session_id === null ? undefined : await findSessionState(session_id);
  const isOld = Date.parse(at) - Date.parse(created_at) > SESSION_MAX_MS;
  return state ?? { state: isOld ? 'expired' : 'open' };
};

const reconcileOne = async (checkout: CheckoutRecord, at: string): Promise<'settled' | 'ended' | undefined> => {
  const found = await stateOf(checkout, at);
  if (found.state === 'open') return undefined;
  const decide = found.state === 'paid' ? decidePaid(found.payment) : decideEnded(found.state);
  if (!(await settleCheckout(checkout.id, undefined, decide))) return undefined;
  return found.state === 'paid' ? 'settled' : 'ended';
};

/**
 * Polls the provider for checkouts that have been open for a while and applies their state, in case events were lost.
 * Idempotent and safe to run concurrently with events and other runs.
 * @param at the current time, ISO 8601.
 */
export const reconcilePayments = async (at: string): Promise<Reconciled> => {
  const deadline = performance.now() + BUDGET_MS;
  const createdBefore = new Date(Date.parse(at) - AGE_MIN_MS).toISOString();
  const result = { processed: 0, settled: 0, ended: 0, failed: 0, unfinished: false };
  const queue = openCheckouts(createdBefore);
  const worker = async (): Promise<void> => {
    for (let next = await queue.next(); !next.done; next = await queue.next()) {
      if (performance.now() > deadline) {
        result.unfinished = true;
        return;
      }
      result.processed += 1;
      try {
        const outcome = await reconcileOne(next.value, at);
        if (outcome) result[outcome] += 1;
      } catch (error) {
        result.failed += 1;
        log.warn('reconciliation of a checkout failed', { checkout_id: next.value.id, error });
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return result;
};
