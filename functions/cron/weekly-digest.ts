import { weeklyDigest } from '#contract/cron.ts';
import { sendDigests } from '#domain/mail/weekly-digest.ts';
import { runJob } from '#http/run-job.ts';
import { digestPorts } from '#ports/digest.ts';

export const handler = runJob(weeklyDigest, digestPorts, sendDigests);
