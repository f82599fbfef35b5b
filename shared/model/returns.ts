import type { LedgerEntry } from '#contract/payments.ts';

// The money of one payment that went back to its buyer, as the provider reports it. Reports may be repeated and out of
// order: all that is kept is such that any order of the same reports leaves the same. Times are those at which the
// provider created its events, in seconds since 1970; 0 when unknown. Amounts are in the smallest unit of their currency.

interface Money {
  readonly amount: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
}

/** All refunds of the payment up to a time, pending ones too. */
export interface RefundTotal extends Money {
  /** Whether the whole payment was refunded. */
  readonly isFull: boolean;
  readonly at: number;
}

/** A refund that failed or was cancelled. */
export interface FailedRefund {
  /** At the provider. */
  readonly id: string;
  readonly amount: number;
  readonly createdAt: number;
  readonly failedAt: number;
}

/**
 * The newest report about a dispute. `inquiry`: the bank asks, the money stays. `open`: it was withdrawn, or lost. `won`: it
 * stays, or came back.
 */
export interface Dispute extends Money {
  /** At the provider. */
  readonly id: string;
  readonly state: 'inquiry' | 'open' | 'won';
  readonly at: number;
  /** True when amount and currency are not those that were booked, which earlier versions did not keep. */
  readonly isAssumed?: true;
}

export interface Returns {
  /** The newest total; null without refunds. */
  readonly refunds: RefundTotal | null;
  readonly failedRefunds: readonly FailedRefund[];
  readonly disputes: readonly Dispute[];
}

export const noReturns: Returns = { refunds: null, failedRefunds: [], disputes: [] };

/** Whether the first number that differs is larger in the first list. */
const isLater = (one: readonly number[], other: readonly number[]): boolean => {
  const index = one.findIndex((number, at) => number !== other[at]);
  return index !== -1 && Number(one[index]) > Number(other[index]);
};

const replaced = <One extends { readonly id: string }>(all: readonly One[], one: One): One[] => [
  ...all.filter(({ id }) => id !== one.id),
  one,
];

const orderOfTotal = ({ at, amount, isFull }: RefundTotal) => [at, amount, Number(isFull)];

/** Adds a total of refunds. An older one changes nothing, nor does a lower one of the same time. */
export const withRefundTotal = (returns: Returns, total: RefundTotal): Returns =>
  returns.refunds !== null && !isLater(orderOfTotal(total), orderOfTotal(returns.refunds))
    ? returns
    : { ...returns, refunds: total };

/** Adds a failed refund. Of several reports about one, the first that the provider created counts. */
export const withFailedRefund = (returns: Returns, failed: FailedRefund): Returns => {
  const known = returns.failedRefunds.find(({ id }) => id === failed.id);
  if (known && known.failedAt <= failed.failedAt) return returns;
  return { ...returns, failedRefunds: replaced(returns.failedRefunds, failed) };
};

const ranks = { inquiry: 0, open: 1, won: 2 } as const;

const orderOfDispute = ({ at, state, amount }: Dispute) => [at, ranks[state], amount];

/** Adds a report about a dispute. Of several reports, the newest counts; of the same time, the one that ends it. */
export const withDispute = (returns: Returns, dispute: Dispute): Returns => {
  const known = returns.disputes.find(({ id }) => id === dispute.id);
  if (known && !isLater(orderOfDispute(dispute), orderOfDispute(known))) return returns;
  return { ...returns, disputes: replaced(returns.disputes, dispute) };
};

/** What the newest total still contains of refunds that failed after it. A total without a time is older than every failure. */
const failedOfTotal = ({ refunds, failedRefunds }: Returns): number =>
  refunds === null
    ? 0
    : failedRefunds
        .filter(({ createdAt, failedAt }) => refunds.at === 0 || (createdAt <= refunds.at && refunds.at <= failedAt))
        .reduce((sum, { amount }) => sum + amount, 0);

/** The sum of the refunds that did not fail. */
export const amountRefunded = (returns: Returns): number =>
  Math.max(0, (returns.refunds?.amount ?? 0) - failedOfTotal(returns));

const isFullyRefunded = (returns: Returns): boolean => returns.refunds?.isFull === true && failedOfTotal(returns) === 0;

export const isDisputed = ({ disputes }: Returns): boolean => disputes.some(({ state }) => state === 'open');

export const hasInquiry = ({ disputes }: Returns): boolean => disputes.some(({ state }) => state === 'inquiry');

/** Whether the buyer has the whole payment back. */
export const isReturned = (returns: Returns): boolean => isFullyRefunded(returns) || isDisputed(returns);

/** An entry of the ledger without its checkout. */
type Booking = Money & { readonly type: Exclude<LedgerEntry['type'], 'payment'> };

const bookingsOf = (before: Money, after: Money, more: Booking['type'], less: Booking['type']): Booking[] => {
  if (before.currency !== after.currency) {
    return [
      ...bookingsOf(before, { ...before, amount: 0 }, more, less),
      ...bookingsOf({ ...after, amount: 0 }, after, more, less),
    ];
  }
  const difference = after.amount - before.amount;
  if (difference === 0) return [];
  return [{ type: difference > 0 ? more : less, amount: Math.abs(difference), currency: after.currency }];
};

const refundOf = (returns: Returns, currency: string): Money => ({
  amount: amountRefunded(returns),
  currency: returns.refunds?.currency ?? currency,
});

const withdrawn = (dispute: Dispute): Money => ({ ...dispute, amount: dispute.state === 'open' ? dispute.amount : 0 });

/** The entries that lead from one state of the ledger to another. Disputes and refunds are each booked in their own currency. */
export const bookingsBetween = (before: Returns, after: Returns): Booking[] => {
  const currency = after.refunds?.currency ?? '';
  return [
    ...bookingsOf(refundOf(before, currency), refundOf(after, currency), 'refund', 'refund_failed'),
    ...after.disputes.flatMap((dispute): Booking[] => {
      const known = before.disputes.find(({ id }) => id === dispute.id);
      if (dispute.state === 'inquiry' && known === undefined) {
        return [{ type: 'inquiry', amount: dispute.amount, currency: dispute.currency }];
      }
      const { amount, currency: own } = dispute;
      const booked = known?.isAssumed ? { ...known, amount, currency: own } : known;
      const previous = booked ? withdrawn(booked) : { ...dispute, amount: 0 };
      return bookingsOf(previous, withdrawn(dispute), 'dispute', 'dispute_won');
    }),
  ];
};
