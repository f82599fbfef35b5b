import type * as z from 'zod';
import { type AdminPayment, type browse, type Checkout, PaymentState } from '#contract/payments.ts';
import { type Paging, pageMeta, skipOf } from '#data/paging.ts';
import { countLedger, findCheckout, type Period, pageOfLedger, pageOfPayments, paymentDays } from '#data/payments.ts';
import { existingProjects } from '#data/projects.ts';
import { findUsers } from '#data/users.ts';
import { dayOf } from '#model/days.ts';
import {
  type CheckoutRecord,
  countPayments,
  type PaymentDay,
  refundsOf,
  totalsByCurrency,
  totalsByMonth,
} from '#model/payment.ts';
import { canSee, hasAdminRights } from '#model/policy.ts';
import { promotionOfCheckout } from '#model/promotion.ts';
import { hasInquiry, isDisputed } from '#model/returns.ts';
import type { UserRecord } from '#model/user.ts';
import { findProjectParts, projectView } from '#services/projects/read.ts';
import { notFound } from '#shared/errors.ts';

/** A user's payments, refunds and disputes, newest first. */
export const listPayments = async (userId: string, query: Paging) => {
  const total = await countLedger(userId);
  const skip = skipOf(query);
  const data = skip < total ? await pageOfLedger(userId, skip, query.limit) : [];
  return { data, meta: pageMeta(query, total, data.length) };
};

/** A checkout, for its buyer and administrators. @throws 404 for everyone else. */
export const getCheckout = async (caller: UserRecord, checkoutId: string): Promise<Checkout> => {
  const checkout = await findCheckout(checkoutId);
  if (!checkout || (checkout.user_id !== caller.id && !hasAdminRights(caller))) throw notFound();
  const parts = checkout.project_id === null ? undefined : await findProjectParts(checkout.project_id);
  return {
    id: checkout.id,
    kind: checkout.kind,
    status: checkout.status,
    amount: checkout.amount,
    currency: checkout.currency,
    ...refundsOf(checkout),
    placements: checkout.placements && [...checkout.placements],
    months: checkout.months,
    promotion_id:
      checkout.kind === 'promotion' && checkout.status === 'fulfilled' ? promotionOfCheckout(checkout.id) : null,
    checkoutUrl: checkout.status === 'open' ? checkout.checkout_url : null,
    project: parts && canSee(parts.project, caller) ? projectView(parts, caller) : null,
    created_at: checkout.created_at,
    paid_at: checkout.paid_at,
  };
};

const problems = { refundDue: 'refund_due', partDue: 'refund_due', mismatch: 'mismatch' } as const;

const problemOf = ({ delivery, status }: CheckoutRecord): AdminPayment['problem'] =>
  delivery === null || delivery === 'done' || status === 'refunded' ? null : problems[delivery];

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
      ...refundsOf(checkout),
      is_disputed: isDisputed(checkout.returns),
      has_inquiry: hasInquiry(checkout.returns),
      problem: problemOf(checkout),
      user: { id: checkout.user_id, name: users.get(checkout.user_id)?.name ?? null },
      project: project ? { id: project.id, slug: project.slug, name: project.name } : null,
      placements: checkout.placements && [...checkout.placements],
      months: checkout.months,
      session_id: checkout.session_id,
      payment_intent: checkout.payment_intent,
      created_at: checkout.created_at,
      paid_at: checkout.paid_at,
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

/**
 * A page of all payments, newest first, with exact totals. The totals of days say on which day the page begins, so that a
 * page costs the same wherever it is.
 */
export const browsePayments = async (query: z.output<typeof browse.query>) => {
  const period: Period = { from: query.from && dayOf(query.from), to: query.to && dayOf(query.to) };
  const states = query.state === undefined ? PaymentState.options : [query.state];
  const days = await paymentDays(period);
  const start = dayAt(days, states, skipOf(query));
  const checkouts = start
    ? await pageOfPayments(states, { from: period.from, to: start.day }, start.left, query.limit)
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
