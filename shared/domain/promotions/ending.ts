import { isOpen } from '#domain/projects/policy.ts';
import type { ProjectRecord } from '#domain/projects/project.ts';
import type { EndingPromotion } from '#shared/mail/promotion-letters.ts';
import { daysAfter } from './dates.ts';
import { isRunning, type PromotionRecord } from './promotion.ts';

/** How long before its end the owner of a promotion is told, in days; shorter than it is remembered that he was. */
const NOTICE_DAYS = 3;

/** What telling of ends to come takes. */
export interface EndingPorts {
  readonly now: () => string;
  readonly currentPromotions: () => Promise<readonly PromotionRecord[]>;
  readonly findProject: (reference: string) => Promise<{ project: ProjectRecord } | undefined>;
  /** Tells it once per promotion and end. @returns whether it was told now. */
  readonly tellEnding: (promotion: EndingPromotion) => Promise<boolean>;
  readonly report: (problem: string, facts: Readonly<Record<string, unknown>>) => void;
}

/**
 * Tells whose promotions end within three days. It may run any number of times: each end is told once. One that could not
 * be told does not keep the others; the next run comes back to it.
 * @returns how many were told now.
 */
export const tellEndings = async (ports: EndingPorts): Promise<{ told: number }> => {
  let told = 0;
  const at = ports.now();
  const soon = daysAfter(at, NOTICE_DAYS);
  for (const promotion of await ports.currentPromotions()) {
    const { id, project_id, user_id, ends_at } = promotion;
    if (!isRunning(promotion, at) || ends_at === null || ends_at > soon) continue;
    const project = (await ports.findProject(project_id))?.project;
    if (!project || !isOpen(project)) continue;
    const ending = { promotion_id: id, project_slug: project.slug, project_name: project.name, user_id, ends_at };
    try {
      if (await ports.tellEnding(ending)) told += 1;
    } catch (error) {
      ports.report('the end of a promotion could not be told', { promotion_id: id, error });
    }
  }
  return { told };
};
