import { administer } from '#contract/promotions.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { administerPromotion, permitAdministration } from '#services/promotions/administer.ts';
import { withCounts } from '#services/promotions/list.ts';

export const handler = handle(
  administer,
  async ({ params, body, user }) =>
    ok({ data: await withCounts(await administerPromotion(user, params.promotion, body)) }),
  [authorize(({ params }) => permitAdministration(params.promotion))],
);
