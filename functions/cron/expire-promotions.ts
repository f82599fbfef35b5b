import { expirePromotions } from '#contract/cron.ts';
import { job } from '#http/job.ts';
import { settings } from '#platform/settings.ts';
import { rollUp } from '#services/analytics/roll-up.ts';
import { expirePromotions as expire } from '#services/promotions/expire.ts';

export const handler = job(expirePromotions, async (budgetMs) => {
  const expired = await expire();
  // While analytics is off, its roll-up is too; impressions and clicks are counted here.
  if (settings().features.analytics) return expired;
  const { unfinished } = await rollUp(budgetMs);
  return { ...expired, unfinished };
});
