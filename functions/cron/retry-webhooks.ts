import { retryWebhooks } from '#contract/jobs.ts';
import { job } from '#http/job.ts';
import { retryDueDeliveries } from '#services/webhooks/deliveries.ts';

export const handler = job(retryWebhooks, retryDueDeliveries);
