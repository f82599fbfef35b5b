import { purgeDeleted } from '#contract/cron.ts';
import { purgeDeletedPorts } from '#data/purge-ports.ts';
import { purgeDeleted as purge } from '#domain/projects/purge-deleted.ts';
import { runJob } from '#http/run-job.ts';

export const handler = runJob(purgeDeleted, purgeDeletedPorts, purge);
