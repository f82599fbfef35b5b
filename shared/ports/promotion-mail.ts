import { findProject } from '#data/projects.ts';
import { currentPromotions } from '#data/promotions.ts';
import { tellPromotionEnding } from '#domain/mail/tell-promotion-ending.ts';
import { now } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import type { EndingPromotion } from '#shared/mail/promotion-letters.ts';
import { mailPorts } from './mail.ts';

/** What telling of promotions that end soon takes. */
export const endingPorts = {
  now,
  currentPromotions,
  findProject,
  tellEnding: (promotion: EndingPromotion): Promise<boolean> => tellPromotionEnding(mailPorts, promotion),
  report: (problem: string, facts: Readonly<Record<string, unknown>>): void => log.warn(problem, facts),
};
