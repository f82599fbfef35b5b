import { mine } from '#contract/promotions.ts';
import { promotionsOfUser, readPromotionCounts } from '#data/promotions.ts';
import { listOwnPromotions } from '#domain/promotions/list.ts';
import { handle, ok } from '#http/handle.ts';
import { now } from '#platform/clock.ts';

export const handler = handle(mine, { now, promotionsOfUser, readPromotionCounts }, async ({ query, user }, ports) =>
  ok(await listOwnPromotions(ports, user, query)),
);
