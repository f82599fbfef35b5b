import { reconcileCounters } from '#contract/cron.ts';
import { reconcileCounters as reconcile } from '#domain/cron/reconcile-counters.ts';
import { runJob } from '#http/run-job.ts';
import { recountPorts } from '#ports/recount.ts';

export const handler = runJob(reconcileCounters, recountPorts, reconcile);
