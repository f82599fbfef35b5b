import { collectDeadLetters } from '#contract/jobs.ts';
import { job } from '#http/job.ts';
import { collectDeadLetters as collect } from '#services/dead-letters.ts';

export const handler = job(collectDeadLetters, collect);
