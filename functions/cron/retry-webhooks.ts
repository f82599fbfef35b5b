import { retryWebhooks } from '#contract/cron.ts';
import { retryDueDeliveries } from '#domain/webhooks/retry.ts';
import { runJob } from '#http/run-job.ts';
import { deliverPorts } from '#ports/webhooks.ts';

export const handler = runJob(retryWebhooks, deliverPorts, retryDueDeliveries);
