import type { PaymentState } from '#contract/payments.ts';
import type { CheckoutRecord } from '#model/checkout.ts';
import { dayAfter } from '#model/days.ts';
import type { PaymentDay } from '#model/payment-totals.ts';
import { checkoutOf } from './checkouts.ts';
import { paymentDaysPartition, paymentsPartition } from './keys.ts';
import { itemsOfPartitions, wholeCollection } from './read.ts';

/** Days, `yyyy-mm-dd`, both included. */
export interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Sort keys of days and of times within a period. */
const within = ({ from, to }: Period) => ({
  ...(from !== undefined && { after: from }),
  ...(to !== undefined && { before: dayAfter(to, 1) }),
});

/** The totals of the days with payments, refunds or disputes, newest first. */
export const paymentDays = async (period: Period): Promise<PaymentDay[]> => {
  const range = { partition: paymentDaysPartition, newestFirst: true, isConsistent: false, ...within(period) };
  return (await wholeCollection(range)).map((item) => ({
    day: String(item.day),
    currency: String(item.currency),
    paid: Number(item.paid),
    refunded: Number(item.refunded),
    paid_count: Number(item.paid_count),
    fulfilled_count: Number(item.fulfilled_count),
    refunded_count: Number(item.refunded_count),
  }));
};

/** The paid checkouts of some states in a period, newest first, after the first `skip`, which are read. */
export const paidCheckouts = async (
  states: readonly PaymentState[],
  period: Period,
  skip: number,
  count: number,
): Promise<CheckoutRecord[]> => {
  const range = { index: 'feed', newestFirst: true, ...within(period) } as const;
  const checkouts: CheckoutRecord[] = [];
  let position = 0;
  for await (const item of itemsOfPartitions(states.map(paymentsPartition), range, skip + count)) {
    if (position >= skip) checkouts.push(checkoutOf(item));
    position += 1;
    if (checkouts.length === count) break;
  }
  return checkouts;
};
