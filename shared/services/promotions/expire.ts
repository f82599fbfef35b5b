import { ConflictError } from '#data/conflict.ts';
import { findProject, missingProjects } from '#data/projects.ts';
import { currentPromotions, replacePromotion } from '#data/promotions.ts';
import { newMessage } from '#events/catalogue.ts';
import { isOpen } from '#model/policy.ts';
import {
  daysAfter,
  holdsSlots,
  isRunning,
  type PromotionRecord,
  promotionEventData,
  statusAt,
} from '#model/promotion.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { log } from '#platform/log.ts';
import { rollUp } from '#services/analytics/roll-up.ts';
import { mailPromotionEnding } from '#services/mail/notifications.ts';
import { nextVersion, type PromotionChange, revocation } from './change.ts';

/** @returns false when the promotion was changed concurrently; the next run decides on its new state. */
const writeUnlessChanged = async (previous: PromotionRecord, { next, messages }: PromotionChange): Promise<boolean> => {
  try {
    await replacePromotion(previous, nextVersion(previous, next), undefined, messages);
    return true;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    throw error;
  }
};

/**
 * Records the expiry of promotions that are past their end and publishes one event for each. Idempotent and safe to run
 * concurrently. The public list and the allocation of slots go by the dates and do not depend on it.
 * @returns the number of expiries that this run recorded.
 */
export const recordExpiries = async (): Promise<number> => {
  let recorded = 0;
  for (const promotion of await currentPromotions()) {
    if (promotion.status !== 'active' || statusAt(promotion, now()) !== 'expired') continue;
    const next: PromotionRecord = { ...promotion, status: 'expired' };
    const messages = [newMessage('promotionExpired', null, promotionEventData(next))];
    if (await writeUnlessChanged(promotion, { next, messages })) recorded += 1;
  }
  return recorded;
};

const revocationWithProject = (promotion: PromotionRecord, at: string): PromotionChange =>
  revocation(promotion, { actorId: null, reason: 'The project was deleted.', at });

/**
 * Revokes the promotions of a permanently deleted project, which frees their slots. Idempotent.
 * @throws {ConflictError} when a promotion was changed concurrently; the delivery of the event is then retried.
 */
export const revokePromotionsOf = async (projectId: string): Promise<void> => {
  for (const promotion of await currentPromotions()) {
    const at = now();
    if (promotion.project_id !== projectId || statusAt(promotion, at) === 'expired') continue;
    const { next, messages } = revocationWithProject(promotion, at);
    await replacePromotion(promotion, nextVersion(promotion, next), undefined, messages);
  }
};

/**
 * Revokes promotions of missing projects: the deletion is not handled while the feature is off.
 * @returns the number of promotions that this run revoked.
 */
const revokeOrphaned = async (): Promise<number> => {
  const at = now();
  const holders = (await currentPromotions()).filter((promotion) => holdsSlots(promotion, at));
  const missing = await missingProjects([...new Set(holders.map(({ project_id }) => project_id))]);
  let revoked = 0;
  for (const promotion of holders.filter(({ project_id }) => missing.includes(project_id))) {
    if (await writeUnlessChanged(promotion, revocationWithProject(promotion, at))) revoked += 1;
  }
  return revoked;
};

/** How long before the end its owner is notified, in days; less than deduplication records are kept. */
const NOTICE_DAYS = 3;

/**
 * Mails the owners of promotions that end within three days, once per promotion and end. A failure is logged and
 * retried by the next run.
 * @returns the number of mails that this run sent.
 */
export const mailEndingPromotions = async (): Promise<number> => {
  let sent = 0;
  const at = now();
  const horizon = daysAfter(at, NOTICE_DAYS);
  for (const promotion of await currentPromotions()) {
    const { id, project_id, user_id, ends_at } = promotion;
    if (!isRunning(promotion, at) || ends_at === null || ends_at > horizon) continue;
    const project = (await findProject(project_id))?.project;
    if (!project || !isOpen(project)) continue;
    const ending = { promotion_id: id, project_slug: project.slug, project_name: project.name, user_id, ends_at };
    try {
      if (await mailPromotionEnding(ending)) sent += 1;
    } catch (error) {
      log.warn('mail about an ending promotion failed', { promotion_id: id, error });
    }
  }
  return sent;
};

/**
 * The expiry job: records expiries, revokes promotions of missing projects, notifies owners of approaching ends. While
 * analytics is off, its roll-up does not run, and this job counts impressions and clicks.
 * @param budgetMs after which the roll-up leaves the rest to the next run.
 */
export const expirePromotions = async (budgetMs: number) => {
  const { features } = environment();
  const expired = await recordExpiries();
  const revoked = await revokeOrphaned();
  const notified = features.email ? await mailEndingPromotions() : 0;
  const { unfinished } = features.analytics ? { unfinished: false } : await rollUp(budgetMs);
  return { processed: expired + revoked, notified, unfinished };
};
