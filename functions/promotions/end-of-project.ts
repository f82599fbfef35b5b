import { endPromotionsOf } from '#domain/promotions/expire.ts';
import { subscribe } from '#events/subscribe.ts';
import { endPromotionsOfProject } from '#events/subscriptions.ts';
import { expirePromotionsPorts } from '#ports/promotions.ts';

export const handler = subscribe(endPromotionsOfProject, expirePromotionsPorts, async ({ data }, ports) => {
  if (data.permanent) await endPromotionsOf(ports, data.project_id);
});
