import { list } from '#contract/jobs.ts';
import { handle, ok } from '#http/handle.ts';
import { listJobs } from '#services/jobs/manage.ts';

export const handler = handle(list, async () => ok({ data: await listJobs() }));
