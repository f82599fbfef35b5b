import { reconcilePayments } from '#contract/jobs.ts';
import { job } from '#http/job.ts';
import { reconcilePayments as reconcile } from '#services/payments/receive.ts';

export const handler = job(reconcilePayments, () => reconcile());
