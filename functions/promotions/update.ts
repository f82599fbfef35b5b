import { update } from '#contract/promotions.ts';
import { readPromotionCounts } from '#data/promotions.ts';
import { withCounts } from '#domain/promotions/list.ts';
import { changeCallToAction } from '#domain/promotions/own.ts';
import { handle, ok } from '#http/handle.ts';
import { ownPromotionPorts } from '#ports/promotions.ts';

export const handler = handle(
  update,
  { ...ownPromotionPorts, readPromotionCounts },
  async ({ params, body, user }, ports) =>
    ok({ data: await withCounts(ports, await changeCallToAction(ports, user, params.promotion, body.cta_text)) }),
);
