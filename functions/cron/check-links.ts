import { checkLinks } from '#contract/cron.ts';
import { checkLinks as check } from '#domain/links/check.ts';
import { runJob } from '#http/run-job.ts';
import { linkPorts } from '#ports/links.ts';

export const handler = runJob(checkLinks, linkPorts, check);
