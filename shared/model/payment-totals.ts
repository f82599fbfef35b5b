import { PaymentState } from '#contract/payments.ts';
import type { CheckoutRecord, LedgerRecord } from './checkout.ts';
import { dayOf } from './days.ts';

/** What was received and returned on some days, in the smallest unit of a currency. */
interface Amounts {
  readonly paid: number;
  readonly refunded: number;
}

/** How many of the payments of some days are in each state by now. */
export type StateCounts = Readonly<Record<`${PaymentState}_count`, number>>;

/** The totals of a day, `yyyy-mm-dd`, in a currency. */
export interface PaymentDay extends Amounts, StateCounts {
  readonly day: string;
  readonly currency: string;
}

const nothing: Amounts & StateCounts = { paid: 0, refunded: 0, paid_count: 0, fulfilled_count: 0, refunded_count: 0 };

/** What a ledger entry adds to its day. A dispute that was won takes back what the dispute returned. */
export const entryChange = ({ type, amount, currency, created_at }: LedgerRecord): PaymentDay => ({
  ...nothing,
  day: dayOf(created_at),
  currency,
  ...(type === 'payment' ? { paid: amount } : { refunded: type === 'dispute_won' ? -amount : amount }),
});

const isPaymentState = (status: CheckoutRecord['status']): status is PaymentState =>
  (PaymentState.options as readonly string[]).includes(status);

/** What a paid checkout adds to the day of its payment. @param sign -1 for its previous state. */
export const stateChange = ({ status, currency, paid_at }: CheckoutRecord, sign: 1 | -1): PaymentDay[] =>
  paid_at === null || !isPaymentState(status)
    ? []
    : [{ ...nothing, day: dayOf(paid_at), currency, [`${status}_count`]: sign }];

const plus = (one: Amounts & StateCounts, other: Amounts & StateCounts): Amounts & StateCounts => ({
  paid: one.paid + other.paid,
  refunded: one.refunded + other.refunded,
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
  sumBy(changes, ({ day, currency }) => ({ day, currency })).filter(
    ({ paid, refunded, paid_count, fulfilled_count, refunded_count }) =>
      [paid, refunded, paid_count, fulfilled_count, refunded_count].some((number) => number !== 0),
  );

const withNet = ({ paid, refunded }: Amounts) => ({ paid, refunded, net: paid - refunded });

/** The totals of some days by currency. */
export const totalsByCurrency = (days: readonly PaymentDay[]) =>
  Object.fromEntries(sumBy(days, ({ currency }) => ({ currency })).map((sum) => [sum.currency, withNet(sum)]));

/** The totals of some days by month and currency, in the order of the days. */
export const totalsByMonth = (days: readonly PaymentDay[]) =>
  sumBy(days, ({ day, currency }) => ({ month: day.slice(0, 'yyyy-mm'.length), currency })).map((sum) => ({
    month: sum.month,
    currency: sum.currency,
    ...withNet(sum),
  }));

/** The number of payments in some states. */
export const countPayments = (days: readonly StateCounts[], states: readonly PaymentState[]): number =>
  days.reduce((total, day) => total + states.reduce((sum, state) => sum + day[`${state}_count`], 0), 0);
