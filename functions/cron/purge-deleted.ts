import { purgeDeleted } from '#contract/jobs.ts';
import { job } from '#http/job.ts';
import { purgeDeleted as purge } from '#services/projects/purge-deleted.ts';

export const handler = job(purgeDeleted, purge);
