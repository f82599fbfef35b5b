import { rollUpAnalytics } from '#contract/jobs.ts';
import { job } from '#http/job.ts';
import { rollUp } from '#services/analytics/roll-up.ts';

export const handler = job(rollUpAnalytics, rollUp);
