import { isOpen } from '#domain/projects/policy.ts';
import type { ProjectRecord } from '#domain/projects/project.ts';
import { notFound } from '#shared/errors.ts';
import { isRunning, type PromotionCounter, type PromotionRecord } from './promotion.ts';

/** What counting takes. */
export interface CountPorts {
  readonly now: () => string;
  readonly findPromotion: (promotionId: string) => Promise<PromotionRecord | undefined>;
  readonly findProject: (reference: string) => Promise<{ project: ProjectRecord } | undefined>;
  /** Whether a user agent is that of a known bot. */
  readonly isBot: (userAgent: string | undefined) => boolean;
  readonly addToPromotion: (promotionId: string, counter: PromotionCounter) => Promise<void>;
}

/**
 * Counts that a promotion was seen or followed, unless a bot did. @returns whether it was counted.
 * @throws 404 unless it is shown now.
 */
export const countForPromotion = async (
  ports: CountPorts,
  promotionId: string,
  counter: PromotionCounter,
  userAgent: string | undefined,
): Promise<boolean> => {
  const promotion = await ports.findPromotion(promotionId);
  if (!promotion || !isRunning(promotion, ports.now())) throw notFound();
  const stored = await ports.findProject(promotion.project_id);
  if (!stored || !isOpen(stored.project)) throw notFound();
  if (ports.isBot(userAgent)) return false;
  await ports.addToPromotion(promotion.id, counter);
  return true;
};
