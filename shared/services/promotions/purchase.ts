import type { Placement } from '#contract/fields.ts';
import { changeCounts } from '#data/counts.ts';
import { inOutbox } from '#data/outbox.ts';
import { findPromotion, promotionInsertion, promotionReplacement } from '#data/promotions.ts';
import type { Write } from '#data/write.ts';
import { holdsSlots, type PromotionRecord, promotionOfCheckout } from '#model/promotion.ts';
import { nextVersion, revocation } from './change.ts';
import { findFreeSlots } from './slots.ts';

/** A paid checkout of a promotion. */
interface Purchase {
  readonly checkoutId: string;
  readonly projectId: string;
  readonly userId: string;
  readonly placements: readonly Placement[];
  readonly months: number;
  /** In the smallest unit of the currency. */
  readonly price: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
  readonly at: string;
}

/**
 * The writes that create a bought promotion, for the transaction of its payment. It awaits approval and holds its
 * slots. They fail with `ConditionFailed` when a slot is allocated concurrently.
 * @returns undefined when the slots are sold out.
 */
export const purchaseWrites = async (purchase: Purchase): Promise<readonly Write[] | undefined> => {
  const promotion: PromotionRecord = {
    id: promotionOfCheckout(purchase.checkoutId),
    project_id: purchase.projectId,
    user_id: purchase.userId,
    placements: [...new Set(purchase.placements)],
    status: 'pending',
    starts_at: null,
    ends_at: null,
    months: purchase.months,
    cta_text: null,
    price: purchase.price,
    currency: purchase.currency,
    reason: null,
    checkout_id: purchase.checkoutId,
    created_at: purchase.at,
    version: 1,
  };
  const slots = await findFreeSlots(promotion, purchase.at);
  if (!('versions' in slots)) return undefined;
  return [...promotionInsertion(promotion, slots.versions), changeCounts(purchase.projectId, { promotions_count: 1 })];
};

/**
 * The writes that revoke the promotion of a refunded checkout, for the transaction of the refund; none when it is over.
 * They fail with `ConditionFailed` when the promotion is changed concurrently.
 */
export const refundWrites = async (checkoutId: string, at: string): Promise<readonly Write[]> => {
  const current = await findPromotion(promotionOfCheckout(checkoutId));
  if (!current || !holdsSlots(current, at)) return [];
  const { next, messages } = revocation(current, { actorId: null, reason: 'The payment was refunded.', at });
  const withoutRefund = messages.filter(({ kind }) => kind !== 'refundDue');
  return [...promotionReplacement(current, nextVersion(current, next), undefined), ...withoutRefund.map(inOutbox)];
};
