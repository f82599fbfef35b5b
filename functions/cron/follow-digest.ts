import { followDigest } from '#contract/jobs.ts';
import { job } from '#http/job.ts';
import { mailFollowDigests } from '#services/follows/digest.ts';

export const handler = job(followDigest, mailFollowDigests);
