import { grant } from '#contract/promotions.ts';
import { created, handle } from '#http/handle.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { grantPromotion } from '#services/promotions/administer.ts';

export const handler = handle(
  grant,
  async ({ body, user, seed }) => created({ data: await grantPromotion(user, body, seed) }),
  [idempotency],
);
