import { findPromotion } from '#data/promotions.ts';
import { insertTracked } from '#data/tracked-events.ts';
import { UNKNOWN, type VisitorSignals } from '#model/analytics.ts';
import { isRunning, type PromotionCounter } from '#model/promotion.ts';
import { isBot } from '#platform/bots.ts';
import { now } from '#platform/clock.ts';
import { senderOf } from '#services/analytics/sender.ts';
import { getOpenProject } from '#services/projects/get.ts';
import { notFound } from '#shared/errors.ts';

/**
 * Stores an impression or click of a promotion. The roll-up adds it to the counters, once per visitor and hour.
 * @returns false for known bots, which are not counted.
 * @throws 404 when the promotion is not shown now.
 */
export const countForPromotion = async (
  promotionId: string,
  counter: PromotionCounter,
  signals: VisitorSignals,
): Promise<boolean> => {
  const promotion = await findPromotion(promotionId);
  if (!promotion || !isRunning(promotion, now())) throw notFound();
  await getOpenProject(promotion.project_id);
  if (isBot(signals.userAgent)) return false;
  await insertTracked({
    // A promotion can be shown on other sites, whose visitors are not counted.
    ...(await senderOf(signals, true)),
    country: UNKNOWN,
    browser: UNKNOWN,
    device: UNKNOWN,
    lines: [{ type: counter, project: promotion.id, referrer: null, count: 1 }],
  });
  return true;
};
