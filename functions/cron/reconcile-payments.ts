import { reconcilePayments } from '#contract/cron.ts';
import { reconcilePayments as reconcile } from '#domain/payments/reconcile.ts';
import { runJob } from '#http/run-job.ts';
import { settlePorts } from '#ports/settle.ts';

export const handler = runJob(reconcilePayments, settlePorts, reconcile);
