import { addClick } from '#contract/promotions.ts';
import { accepted, handle } from '#http/handle.ts';
import { countForPromotion } from '#services/analytics/track.ts';

export const handler = handle(addClick, async ({ params, visitor }) =>
  accepted({ data: { counted: await countForPromotion(params.promotion, 'clicks', visitor) } }),
);
