import { it } from 'vitest';
import { isFullRun } from './sample.ts';

/** A test of `npm run test:full` beside the daily ones: of concurrency, faults, large amounts or deadlines, or in a browser. */
export const longTest = it.runIf(isFullRun);
