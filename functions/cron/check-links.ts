import { checkLinks } from '#contract/cron.ts';
import { linkPorts } from '#data/link-ports.ts';
import { checkLinks as check } from '#domain/links/check.ts';
import { runJob } from '#http/run-job.ts';

export const handler = runJob(checkLinks, linkPorts, check);
