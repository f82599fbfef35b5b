import { reconcilePayments } from '#contract/cron.ts';
import { settlePorts } from '#data/settle-ports.ts';
import { reconcilePayments as reconcile } from '#domain/payments/reconcile.ts';
import { runJob } from '#http/run-job.ts';

export const handler = runJob(reconcilePayments, settlePorts, reconcile);
