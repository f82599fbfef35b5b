import type { Placement } from '#contract/fields.ts';
import { type Checkout, type CheckoutKind, type LedgerEntry, PaymentState } from '#contract/payments.ts';
import type { Submission } from '#contract/projects.ts';
import { dayOf } from './days.ts';
import { amountRefunded, noReturns, type Returns } from './returns.ts';
import type { RuleDecision } from './rule.ts';
import { canonicalUrl } from './url.ts';

/** A part of the price of a promotion, for one of its placements. */
export interface Part {
  /** The placement: a part is refunded once per id. */
  readonly id: string;
  /** In the smallest unit of the currency. */
  readonly amount: number;
}

/** A checkout as stored: what was ordered and the state of its payment. Amounts are in the currency's smallest unit. */
export interface CheckoutRecord
  extends Readonly<Pick<Checkout, 'kind' | 'status' | 'currency' | 'months' | 'created_at'>> {
  /** `chk_` and a ULID; also the provider's client reference and the idempotency key of its session. */
  readonly id: string;
  /** The buyer. */
  readonly user_id: string;
  /** The product name on the payment page. */
  readonly title: string;
  /** The price that was quoted. */
  readonly amount: number;
  /** The project that it is bought for; of a submission, the project that it created once paid. */
  readonly project_id: string | null;
  readonly placements: readonly Placement[] | null;
  /** The provider's session; null until it is created. */
  readonly session_id: string | null;
  readonly checkout_url: string | null;
  /** The provider's payment, which refunds and disputes refer to. */
  readonly payment_intent: string | null;
  readonly updated_at: string;
  /** When the payment was applied; null until then. */
  readonly paid_at: string | null;
  /** When a payment that takes days began; absent in records of earlier versions. */
  readonly processing_at?: string | null;
  /** Refunds and disputes of the payment. */
  readonly returns: Returns;
  /**
   * What the payment led to; null until then, also for a payment that was returned before it was reported. `refundDue`:
   * nothing. `partDue`: all but a part whose refund failed. `mismatch`: nothing, it had another amount or currency.
   */
  readonly delivery: 'done' | 'refundDue' | 'partDue' | 'mismatch' | null;
  /** Parts of the price that were to be refunded because they could not be given back after a dispute; absent without any. */
  readonly parts_due?: readonly Part[];
  /** Incremented with every write of the record. */
  readonly version: number;
}

/** A premium submission, validated when it was sent and kept until its checkout is paid. */
export interface CheckoutSubmission {
  readonly submission: Submission;
  /** Of further fields, as stored. */
  readonly fieldValues: string | null;
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
  processing_at: null,
  returns: noReturns,
  delivery: null,
  version: 1,
});

/** Whether the whole payment was returned, by a refund or a dispute that was not won. */
export const isRefunded = (checkout: Pick<CheckoutRecord, 'status'>): boolean => checkout.status === 'refunded';

/** What was refunded, in the currency of the refunds. */
export const refundsOf = ({ returns, currency }: Pick<CheckoutRecord, 'returns' | 'currency'>) => ({
  amount_refunded: amountRefunded(returns),
  refund_currency: returns.refunds?.currency ?? currency,
});

/**
 * What a checkout buys: checkouts with a text in common buy the same thing. A submission is that of an address by a user,
 * because a payment of one user must not block the others.
 * @param url of a submission; undefined when it has expired.
 */
export const subjectsOf = (
  { kind, user_id, project_id, placements }: Pick<CheckoutRecord, 'kind' | 'user_id' | 'project_id' | 'placements'>,
  url: string | undefined,
): readonly string[] => {
  switch (kind) {
    case 'submission':
      return url === undefined ? [] : [JSON.stringify([kind, user_id, canonicalUrl(url)])];
    case 'upgrade':
      return [JSON.stringify([kind, project_id])];
    case 'promotion':
      return [...new Set(placements)].map((placement) => JSON.stringify([kind, project_id, placement]));
  }
};

/** Whether it waits for a payment, which may be under way. */
export const isUnpaid = ({ status }: Pick<CheckoutRecord, 'status'>): boolean =>
  status === 'open' || status === 'processing';

export const projectOfCheckout = (checkoutId: string): string => checkoutId.replace(/^chk_/, 'prj_');

export type LedgerRecord = LedgerEntry & { readonly user_id: string };

/** What was received and returned on some days, in the smallest unit of a currency. */
interface Amounts {
  readonly paid: number;
  readonly refunded: number;
}

/** How many of the payments of some days are in each state by now. */
type StateCounts = Readonly<Record<`${PaymentState}_count`, number>>;

/** The totals of a day, `yyyy-mm-dd`, in a currency. */
export interface PaymentDay extends Amounts, StateCounts {
  readonly day: string;
  readonly currency: string;
}

/** No totals. Days of earlier versions lack some of the counts. */
export const nothing: Amounts & StateCounts = {
  paid: 0,
  refunded: 0,
  processing_count: 0,
  paid_count: 0,
  fulfilled_count: 0,
  refunded_count: 0,
};

/** What an entry of each type returns to the buyer per unit of its amount. */
const returned = { payment: 0, refund: 1, refund_failed: -1, dispute: 1, dispute_won: -1, inquiry: 0 } as const;

/** What a ledger entry adds to its day. */
export const entryChange = ({ type, amount, currency, created_at }: LedgerRecord): PaymentDay => ({
  ...nothing,
  day: dayOf(created_at),
  currency,
  ...(type === 'payment' ? { paid: amount } : { refunded: returned[type] * amount }),
});

const isPaymentState = (status: CheckoutRecord['status']): status is PaymentState =>
  (PaymentState.options as readonly string[]).includes(status);

/** The state and time by which payments are listed; undefined for a checkout that is not listed. */
export const listedAt = ({
  status,
  paid_at,
  processing_at,
}: CheckoutRecord): { readonly state: PaymentState; readonly at: string } | undefined => {
  const at = status === 'processing' ? processing_at : paid_at;
  return at && isPaymentState(status) ? { state: status, at } : undefined;
};

/** What a checkout adds to the day by which it is listed. @param sign -1 for its previous state. */
export const stateChange = (checkout: CheckoutRecord, sign: 1 | -1): PaymentDay[] => {
  const listed = listedAt(checkout);
  if (!listed) return [];
  return [{ ...nothing, day: dayOf(listed.at), currency: checkout.currency, [`${listed.state}_count`]: sign }];
};

const plus = (one: Amounts & StateCounts, other: Amounts & StateCounts): Amounts & StateCounts => ({
  paid: one.paid + other.paid,
  refunded: one.refunded + other.refunded,
  processing_count: one.processing_count + other.processing_count,
  paid_count: one.paid_count + other.paid_count,
  fulfilled_count: one.fulfilled_count + other.fulfilled_count,
  refunded_count: one.refunded_count + other.refunded_count,
});

/** The sums of days by a text derived from each, in the order of their first day. */
const sumBy = <Group extends object>(days: readonly PaymentDay[], groupOf: (day: PaymentDay) => Group) => {
  const sums = new Map<string, Group & Amounts & StateCounts>();
  for (const day of days) {
    const group = groupOf(day);
    const key = JSON.stringify(group);
    sums.set(key, { ...group, ...plus(sums.get(key) ?? nothing, day) });
  }
  return [...sums.values()];
};

/** One change per day and currency, without those that cancel out. */
export const mergedChanges = (changes: readonly PaymentDay[]): PaymentDay[] =>
  sumBy(changes, ({ day, currency }) => ({ day, currency })).filter((sum) =>
    Object.values(sum).some((value) => typeof value === 'number' && value !== 0),
  );

const withNet = ({ paid, refunded }: Amounts) => ({ paid, refunded, net: paid - refunded });

export const totalsByCurrency = (days: readonly PaymentDay[]) =>
  Object.fromEntries(sumBy(days, ({ currency }) => ({ currency })).map((sum) => [sum.currency, withNet(sum)]));

/** The totals of some days by month and currency, in the order of the days. */
export const totalsByMonth = (days: readonly PaymentDay[]) =>
  sumBy(days, ({ day, currency }) => ({ month: day.slice(0, 'yyyy-mm'.length), currency })).map((sum) => ({
    month: sum.month,
    currency: sum.currency,
    ...withNet(sum),
  }));

export const countPayments = (days: readonly StateCounts[], states: readonly PaymentState[]): number =>
  days.reduce((total, day) => total + states.reduce((sum, state) => sum + day[`${state}_count`], 0), 0);
