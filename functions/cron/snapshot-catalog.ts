import { snapshotCatalog } from '#contract/cron.ts';
import { job } from '#http/job.ts';
import { saveSnapshotIfDue } from '#services/projects/snapshot.ts';

export const handler = job(snapshotCatalog, saveSnapshotIfDue);
