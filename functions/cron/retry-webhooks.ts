import { retryWebhooks } from '#contract/cron.ts';
import { job } from '#http/job.ts';
import { retryDueDeliveries } from '#services/webhooks/deliver.ts';

export const handler = job(retryWebhooks, retryDueDeliveries);
