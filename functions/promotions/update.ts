import { update } from '#contract/promotions.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { changeCallToAction, getOwnPromotion } from '#services/promotions/change.ts';
import { withCounts } from '#services/promotions/list.ts';

export const handler = handle(
  update,
  async ({ params, body, user }) =>
    ok({ data: await withCounts(await changeCallToAction(user, params.promotion, body.cta_text)) }),
  [authorize(({ params, user }) => getOwnPromotion(user, params.promotion))],
);
