import { it } from 'vitest';
import { isFullRun } from './sample.ts';

/** A test of `npm run test:full` beside the quick ones: of concurrency, faults, large amounts or deadlines. */
export const longTest = it.runIf(isFullRun);
