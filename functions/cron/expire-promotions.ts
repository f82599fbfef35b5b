import { expirePromotions } from '#contract/cron.ts';
import { expiryPorts } from '#data/expiry-ports.ts';
import { endPromotions } from '#domain/cron/end-promotions.ts';
import { runJob } from '#http/run-job.ts';

export const handler = runJob(expirePromotions, expiryPorts, endPromotions);
