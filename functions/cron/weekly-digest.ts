import { weeklyDigest } from '#contract/jobs.ts';
import { job } from '#http/job.ts';
import { mailWeeklyDigests } from '#services/mail/weekly-digest.ts';

export const handler = job(weeklyDigest, mailWeeklyDigests);
