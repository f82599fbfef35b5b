import { refreshTrending } from '#contract/jobs.ts';
import { job } from '#http/job.ts';
import { refreshTrending as refresh } from '#services/projects/list.ts';

export const handler = job(refreshTrending, () => refresh());
