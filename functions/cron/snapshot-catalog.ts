import { snapshotCatalog } from '#contract/cron.ts';
import { keepSnapshot } from '#domain/projects/snapshot.ts';
import { runJob } from '#http/run-job.ts';
import { snapshotPorts } from '#ports/snapshot.ts';

export const handler = runJob(snapshotCatalog, snapshotPorts, keepSnapshot);
