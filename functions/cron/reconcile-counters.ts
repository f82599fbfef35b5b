import { reconcileCounters } from '#contract/cron.ts';
import { recountPorts } from '#data/recount-ports.ts';
import { reconcileCounters as reconcile } from '#domain/cron/reconcile-counters.ts';
import { runJob } from '#http/run-job.ts';

export const handler = runJob(reconcileCounters, recountPorts, reconcile);
