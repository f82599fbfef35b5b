import { publishScheduled } from '#contract/jobs.ts';
import { job } from '#http/job.ts';
import { publishScheduled as publish } from '#services/projects/publish-scheduled.ts';

export const handler = job(publishScheduled, publish);
