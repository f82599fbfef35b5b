import { grant } from '#contract/promotions.ts';
import { created, handle } from '#http/handle.ts';
import { noPromotionCounts } from '#model/promotion.ts';
import { grantPromotion } from '#services/promotions/administer.ts';
import { promotionView } from '#services/promotions/list.ts';

export const handler = handle(grant, async ({ body, user }) => {
  const promotion = await grantPromotion(user, body);
  return created({ data: promotionView(promotion, noPromotionCounts, promotion.created_at) });
});
