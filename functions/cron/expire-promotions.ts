import { expirePromotions } from '#contract/cron.ts';
import { endPromotions } from '#domain/cron/end-promotions.ts';
import { runJob } from '#http/run-job.ts';
import { expiryPorts } from '#ports/expiry.ts';

export const handler = runJob(expirePromotions, expiryPorts, endPromotions);
