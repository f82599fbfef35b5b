import type { Promotion, ShownPromotion } from '#contract/promotions.ts';
import { type ProjectParts, projectView } from '#domain/projects/view.ts';
import { type PromotionCounts, type PromotionRecord, statusAt } from './promotion.ts';

/** What a promotion without any counter has. */
export const noCounts: PromotionCounts = { impressions: 0, clicks: 0 };

/** The promotion as its buyer and administrators see it at a moment. */
export const promotionView = (promotion: PromotionRecord, counts: PromotionCounts, at: string): Promotion => ({
  id: promotion.id,
  project_id: promotion.project_id,
  user_id: promotion.user_id,
  placements: [...promotion.placements],
  status: statusAt(promotion, at),
  starts_at: promotion.starts_at,
  ends_at: promotion.ends_at,
  months: promotion.months,
  cta_text: promotion.cta_text,
  price: promotion.price,
  currency: promotion.currency,
  impressions: counts.impressions,
  clicks: counts.clicks,
  reason: promotion.reason,
  created_at: promotion.created_at,
});

/** A running promotion with what it promotes, the same for everybody. */
export const shownView = (promotion: PromotionRecord, parts: ProjectParts): ShownPromotion => ({
  id: promotion.id,
  placements: [...promotion.placements],
  starts_at: promotion.starts_at ?? promotion.created_at,
  ends_at: promotion.ends_at ?? promotion.created_at,
  cta_text: promotion.cta_text,
  project: projectView(parts, undefined),
});
