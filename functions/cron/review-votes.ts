import { reviewVotes } from '#contract/jobs.ts';
import { job } from '#http/job.ts';
import { reviewVotes as review } from '#services/jobs/review-votes.ts';

export const handler = job(reviewVotes, review);
