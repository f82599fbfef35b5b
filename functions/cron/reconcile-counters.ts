import { reconcileCounters } from '#contract/cron.ts';
import { job } from '#http/job.ts';
import { reconcileCounters as reconcile } from '#services/cron/reconcile-counters.ts';

export const handler = job(reconcileCounters, reconcile);
