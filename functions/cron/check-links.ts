import { checkLinks } from '#contract/cron.ts';
import { job } from '#http/job.ts';
import { checkLinks as check } from '#services/links/check.ts';

export const handler = job(checkLinks, check);
