import type { Checkout } from '#contract/payments.ts';
import { countLedger, findCheckout, pageOfLedger } from '#data/checkouts.ts';
import { type Paging, pageMeta, skipOf } from '#model/paging.ts';
import { canSee, hasAdminRights } from '#model/policy.ts';
import { promotionOfCheckout } from '#model/promotion.ts';
import type { UserRecord } from '#model/user.ts';
import { findProjectParts, projectView } from '#services/projects/view.ts';
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
    amount_refunded: checkout.amount_refunded,
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
