import { retryWebhooks } from '#contract/cron.ts';
import { deliverPorts } from '#data/webhook-ports.ts';
import { retryDueDeliveries } from '#domain/webhooks/retry.ts';
import { runJob } from '#http/run-job.ts';

export const handler = runJob(retryWebhooks, deliverPorts, retryDueDeliveries);
