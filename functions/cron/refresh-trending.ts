import { refreshTrending } from '#contract/cron.ts';
import { catalog } from '#data/catalog.ts';
import { refreshTrending as refresh } from '#domain/projects/trending.ts';
import { runJob } from '#http/run-job.ts';

export const handler = runJob(refreshTrending, { catalog }, refresh);
