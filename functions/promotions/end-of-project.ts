import { expirePromotionsPorts } from '#data/promotion-ports.ts';
import { endPromotionsOf } from '#domain/promotions/expire.ts';
import { subscribe } from '#events/subscribe.ts';
import { endPromotionsOfProject } from '#events/subscriptions.ts';

export const handler = subscribe(endPromotionsOfProject, expirePromotionsPorts, async ({ data }, ports) => {
  if (data.permanent) await endPromotionsOf(ports, data.project_id);
});
