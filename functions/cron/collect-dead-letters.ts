import { collectDeadLetters } from '#contract/cron.ts';
import { job } from '#http/job.ts';
import { collectDeadLetters as collect } from '#services/letters/collect.ts';

export const handler = job(collectDeadLetters, collect);
