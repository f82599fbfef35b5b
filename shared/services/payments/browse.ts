import { type AdminPayment, PaymentState } from '#contract/payments.ts';
import { type Period, paidCheckouts, paymentDays } from '#data/payments.ts';
import { existingProjects } from '#data/projects.ts';
import { findUsers } from '#data/users.ts';
import type { CheckoutRecord } from '#model/checkout.ts';
import { dayOf } from '#model/days.ts';
import { type Paging, pageMeta, skipOf } from '#model/paging.ts';
import { countPayments, type PaymentDay, totalsByCurrency, totalsByMonth } from '#model/payment-totals.ts';

const problems = { refundDue: 'refund_due', mismatch: 'mismatch' } as const;

const problemOf = ({ delivery }: CheckoutRecord): AdminPayment['problem'] =>
  delivery === 'refundDue' || delivery === 'mismatch' ? problems[delivery] : null;

const views = async (checkouts: readonly CheckoutRecord[]): Promise<AdminPayment[]> => {
  const projectIds = checkouts.flatMap(({ project_id }) => project_id ?? []);
  const [users, projects] = await Promise.all([
    findUsers([...new Set(checkouts.map(({ user_id }) => user_id))]),
    existingProjects([...new Set(projectIds)]),
  ]);
  return checkouts.map((checkout) => {
    const project = projects.find(({ id }) => id === checkout.project_id);
    return {
      id: checkout.id,
      kind: checkout.kind,
      state: checkout.status as PaymentState,
      title: checkout.title,
      amount: checkout.amount,
      currency: checkout.currency,
      amount_refunded: checkout.amount_refunded,
      is_disputed: checkout.disputes.some(({ state }) => state === 'open'),
      problem: problemOf(checkout),
      user: { id: checkout.user_id, name: users.get(checkout.user_id)?.name ?? null },
      project: project ? { id: project.id, slug: project.slug, name: project.name } : null,
      placements: checkout.placements && [...checkout.placements],
      months: checkout.months,
      session_id: checkout.session_id,
      payment_intent: checkout.payment_intent,
      created_at: checkout.created_at,
      paid_at: checkout.paid_at ?? checkout.updated_at,
    };
  });
};

/** The day on which the payment after the first `skip` was made, and how many of that day precede it. */
const dayAt = (days: readonly PaymentDay[], states: readonly PaymentState[], skip: number) => {
  let left = skip;
  for (const [day, ofDay] of Map.groupBy(days, (one) => one.day)) {
    const count = countPayments(ofDay, states);
    if (left < count) return { day, left };
    left -= count;
  }
  return undefined;
};

interface PaymentQuery extends Paging {
  readonly state?: PaymentState | undefined;
  /** ISO 8601. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * A page of all payments, newest first, with exact totals. The totals of days say on which day the page begins, so that a
 * page costs the same wherever it is.
 */
export const browsePayments = async (query: PaymentQuery) => {
  const period: Period = { from: query.from && dayOf(query.from), to: query.to && dayOf(query.to) };
  const states = query.state === undefined ? PaymentState.options : [query.state];
  const days = await paymentDays(period);
  const start = dayAt(days, states, skipOf(query));
  const checkouts = start
    ? await paidCheckouts(states, { from: period.from, to: start.day }, start.left, query.limit)
    : [];
  return {
    data: await views(checkouts),
    meta: {
      ...pageMeta(query, countPayments(days, states), checkouts.length),
      totals: totalsByCurrency(days),
      months: totalsByMonth(days),
      unreconciled: countPayments(days, ['paid']),
    },
  };
};
