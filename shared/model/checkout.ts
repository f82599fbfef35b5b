import type { Placement } from '#contract/fields.ts';
import type { CheckoutKind, CheckoutStatus, LedgerEntry } from '#contract/payments.ts';
import type { Submission } from '#contract/projects.ts';
import type { RuleDecision } from './rule.ts';

/** A dispute by its id at the provider. A lost one stays `open`. */
export interface Dispute {
  readonly id: string;
  readonly state: 'open' | 'won';
}

/** A checkout as stored: what was ordered and the state of its payment. Amounts are in the currency's smallest unit. */
export interface CheckoutRecord {
  /** `chk_` and a ULID; also the provider's client reference and the idempotency key of its session. */
  readonly id: string;
  readonly kind: CheckoutKind;
  readonly status: CheckoutStatus;
  /** The buyer. */
  readonly user_id: string;
  /** The product name on the payment page. */
  readonly title: string;
  /** The price that was quoted. */
  readonly amount: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
  /** The project that it is bought for; of a submission, the project that it created once paid. */
  readonly project_id: string | null;
  readonly placements: readonly Placement[] | null;
  readonly months: number | null;
  /** The provider's session; null until it is created. */
  readonly session_id: string | null;
  readonly checkout_url: string | null;
  /** The provider's payment, which refunds and disputes refer to. */
  readonly payment_intent: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** When the payment was applied; null until then. */
  readonly paid_at: string | null;
  /** The total of all refunds. */
  readonly amount_refunded: number;
  /** Whether the whole payment was refunded. */
  readonly is_fully_refunded: boolean;
  /** Disputes of the payment. A won one is kept: the event that opened it can arrive later. */
  readonly disputes: readonly Dispute[];
  /** What the payment led to; null until then. `refundDue`: nothing. `mismatch`: it had another amount or currency. */
  readonly delivery: 'done' | 'refundDue' | 'mismatch' | null;
  /** Whether the totals of payments contain it; false until it is paid, and for payments of an earlier version. */
  readonly is_counted: boolean;
  /** Incremented with every write of the record. */
  readonly version: number;
}

/** A premium submission, validated when it was sent and kept until its checkout is paid. */
export interface Draft {
  readonly submission: Submission;
  /** The requested slug, or one derived from the name; it may be taken by the time of payment. */
  readonly slug: string;
  /** Categories by id, because their slugs may change before the payment. */
  readonly categoryIds: readonly string[];
  /** What a rule decided when it was sent. */
  readonly decision: RuleDecision | null;
}

export interface Order {
  readonly kind: CheckoutKind;
  readonly title: string;
  readonly amount: number;
  readonly currency: string;
  readonly projectId?: string;
  readonly placements?: readonly Placement[];
  readonly months?: number;
}

export const newCheckout = (order: Order, id: string, userId: string, at: string): CheckoutRecord => ({
  id,
  kind: order.kind,
  status: 'open',
  user_id: userId,
  title: order.title,
  amount: order.amount,
  currency: order.currency,
  project_id: order.projectId ?? null,
  placements: order.placements ?? null,
  months: order.months ?? null,
  session_id: null,
  checkout_url: null,
  payment_intent: null,
  created_at: at,
  updated_at: at,
  paid_at: null,
  amount_refunded: 0,
  is_fully_refunded: false,
  disputes: [],
  delivery: null,
  is_counted: false,
  version: 1,
});

/** Whether the whole payment was returned, by a refund or a dispute that was not won. */
export const isRefunded = (checkout: Pick<CheckoutRecord, 'status'>): boolean => checkout.status === 'refunded';

/** The id of the project that a premium submission creates. */
export const projectOfCheckout = (checkoutId: string): string => checkoutId.replace(/^chk_/, 'prj_');

/** A ledger entry as stored. */
export type LedgerRecord = LedgerEntry & { readonly user_id: string };
