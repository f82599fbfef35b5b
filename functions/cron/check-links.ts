import { checkLinks } from '#contract/jobs.ts';
import { job } from '#http/job.ts';
import { checkLinks as check } from '#services/jobs/check-links.ts';

export const handler = job(checkLinks, check);
