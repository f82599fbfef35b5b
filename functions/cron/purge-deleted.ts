import { purgeDeleted } from '#contract/cron.ts';
import { purgeDeleted as purge } from '#domain/projects/purge-deleted.ts';
import { runJob } from '#http/run-job.ts';
import { purgeDeletedPorts } from '#ports/purge.ts';

export const handler = runJob(purgeDeleted, purgeDeletedPorts, purge);
