import { revokePromotions } from '#events/subscriptions.ts';
import { subscribe } from '#http/subscribe.ts';
import { revokePromotionsOf } from '#services/promotions/expire.ts';

export const handler = subscribe(revokePromotions, async ({ data }) => {
  if (data.permanent) await revokePromotionsOf(data.project_id);
});
