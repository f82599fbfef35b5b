import { rollUpAnalytics } from '#contract/cron.ts';
import { rollUpPorts } from '#data/analytics-ports.ts';
import { rollUp } from '#domain/analytics/roll-up.ts';
import { runJob } from '#http/run-job.ts';

export const handler = runJob(rollUpAnalytics, rollUpPorts, rollUp);
