import { addImpression } from '#contract/promotions.ts';
import { accepted, handle } from '#http/handle.ts';
import { countForPromotion } from '#services/analytics/track.ts';

export const handler = handle(addImpression, async ({ params, visitor }) =>
  accepted({ data: { counted: await countForPromotion(params.promotion, 'impressions', visitor) } }),
);
