import { grant } from '#contract/promotions.ts';
import { grantPromotion } from '#domain/promotions/administer.ts';
import { noCounts, promotionView } from '#domain/promotions/view.ts';
import { created, handle } from '#http/handle.ts';
import { grantPorts } from '#ports/promotions.ts';

export const handler = handle(grant, grantPorts, async ({ body, user }, ports) => {
  const promotion = await grantPromotion(ports, user, body);
  return created({ data: promotionView(promotion, noCounts, promotion.created_at) });
});
