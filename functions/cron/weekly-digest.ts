import { weeklyDigest } from '#contract/cron.ts';
import { digestPorts } from '#data/digest-ports.ts';
import { sendDigests } from '#domain/mail/weekly-digest.ts';
import { runJob } from '#http/run-job.ts';

export const handler = runJob(weeklyDigest, digestPorts, sendDigests);
