/** Set by `npm run test:full`. */
export const FULL_RUN = 'TEST_FULL';

/** Whether this run includes the long tests. */
export const isFullRun = process.env[FULL_RUN] !== undefined;

const SAMPLE_OF = 6;

/**
 * The cases to run for one of many routes or seeds: all of them in `npm run test:full`, every sixth in `npm test`.
 * @param position of the route: routes that follow each other get different cases, so that each case runs for some route.
 */
export const sampleOf = <T>(cases: readonly T[], position: number): readonly T[] =>
  isFullRun ? cases : cases.filter((_, index) => (index + position) % SAMPLE_OF === 0);
