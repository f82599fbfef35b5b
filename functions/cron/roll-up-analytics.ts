import { rollUpAnalytics } from '#contract/cron.ts';
import { rollUp } from '#domain/analytics/roll-up.ts';
import { runJob } from '#http/run-job.ts';
import { rollUpPorts } from '#ports/analytics.ts';

export const handler = runJob(rollUpAnalytics, rollUpPorts, rollUp);
