import { reconcilePayments } from '#contract/cron.ts';
import { job } from '#http/job.ts';
import { now } from '#platform/clock.ts';
import { reconcilePayments as reconcile } from '#services/payments/reconcile.ts';

export const handler = job(reconcilePayments, () => reconcile(now()));
