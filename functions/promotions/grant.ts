import { grant } from '#contract/promotions.ts';
import { created, handle } from '#http/handle.ts';
import { grantPromotion } from '#services/promotions/administer.ts';

export const handler = handle(grant, async ({ body, user }) => {
  return created({ data: await grantPromotion(user, body) });
});
