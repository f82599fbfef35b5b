import { snapshotCatalog } from '#contract/jobs.ts';
import { job } from '#http/job.ts';
import { writeSnapshots } from '#services/jobs/snapshot-catalog.ts';

export const handler = job(snapshotCatalog, writeSnapshots);
