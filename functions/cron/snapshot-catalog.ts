import { snapshotCatalog } from '#contract/cron.ts';
import { job } from '#http/job.ts';
import { storeStartingPoints } from '#services/cron/snapshot-catalog.ts';

export const handler = job(snapshotCatalog, storeStartingPoints);
