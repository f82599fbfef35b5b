import { reconcileCounters } from '#contract/jobs.ts';
import { job } from '#http/job.ts';
import { reconcileCounters as reconcile } from '#services/jobs/reconcile-counters.ts';

export const handler = job(reconcileCounters, reconcile);
