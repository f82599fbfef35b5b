import { administer } from '#contract/promotions.ts';
import { readPromotionCounts } from '#data/promotions.ts';
import { administerPromotion } from '#domain/promotions/administer.ts';
import { withCounts } from '#domain/promotions/list.ts';
import { handle, ok } from '#http/handle.ts';
import { administerPromotionPorts } from '#ports/promotions.ts';

export const handler = handle(
  administer,
  { ...administerPromotionPorts, readPromotionCounts },
  async ({ params, body, user }, ports) =>
    ok({ data: await withCounts(ports, await administerPromotion(ports, user, params.promotion, body)) }),
);
