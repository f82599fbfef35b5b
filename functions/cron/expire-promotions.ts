import { expirePromotions } from '#contract/jobs.ts';
import { job } from '#http/job.ts';
import { expirePromotions as expire } from '#services/promotions/expire.ts';

export const handler = job(expirePromotions, expire);
