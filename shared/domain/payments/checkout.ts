import type { CheckoutKind, CheckoutStatus } from '#contract/payments.ts';
import type { Placement } from '#contract/placement.ts';
import type { Submission } from '#contract/projects.ts';

/** A checkout as it is kept: what was asked of the buyer, and what became of it. */
export interface CheckoutRecord {
  /** `chk_` and a ULID; the provider knows it too, as its idempotency key and as the reference of its session. */
  readonly id: string;
  readonly kind: CheckoutKind;
  readonly status: CheckoutStatus;
  /** The buyer. */
  readonly user_id: string;
  /** What the payment page calls it. */
  readonly title: string;
  /** What was asked, in the smallest unit of the currency. */
  readonly amount: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
  /** What it is bought for; of a submission the project that came of it. */
  readonly project_id: string | null;
  readonly placements: readonly Placement[] | null;
  readonly months: number | null;
  /** The provider's session; null until it is known. */
  readonly session_id: string | null;
  readonly checkout_url: string | null;
  /** The provider's payment; refunds and disputes name it. */
  readonly payment_intent: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** When the payment was taken in; null while there is none. */
  readonly paid_at: string | null;
  /** How much has gone back in all. */
  readonly amount_refunded: number;
  readonly is_disputed: boolean;
  /** Grows by one with every write of the record. */
  readonly version: number;
}

/** What a premium submission said, checked when it was sent. */
export interface Draft {
  readonly submission: Submission;
  /** The slug that was asked for, or made from the name; it may be taken when it is paid. */
  readonly slug: string;
  /** The categories behind its slugs, which may have other slugs when it is paid. */
  readonly categoryIds: readonly string[];
}

/** What somebody wants to buy. */
export interface Order {
  readonly kind: CheckoutKind;
  readonly title: string;
  readonly amount: number;
  readonly currency: string;
  readonly projectId?: string;
  readonly placements?: readonly Placement[];
  readonly months?: number;
}

/** The record of a checkout that has just been opened. */
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
  is_disputed: false,
  version: 1,
});

/** Whether the money is gone again: given back in full, or reclaimed. */
export const wentBack = (checkout: Pick<CheckoutRecord, 'status'>): boolean => checkout.status === 'refunded';

/** The id of the project that a premium submission becomes. */
export const projectOfCheckout = (checkoutId: string): string => checkoutId.replace(/^chk_/, 'prj_');
