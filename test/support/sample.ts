/** Set by `npm run test:full`. */
export const FULL_RUN = 'TEST_FULL';

/** The variable with the seed of a run of `npm run test:full`. */
export const SEED = 'TEST_SEED';

/** Random input begins with this seed. The option `--seed` of `npm run test:full` changes it. */
export const firstSeed = Number(process.env[SEED] ?? 1);

/** The seeds of a test that repeats itself with other random input. */
export const seeds = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => firstSeed + at);

/** Whether this run includes the long tests. */
export const isFullRun = process.env[FULL_RUN] !== undefined;

const SAMPLE_OF = 6;

/**
 * The cases to run for one of many routes or seeds: all of them in `npm run test:full`, every sixth in `npm test`.
 * @param position of the route: routes that follow each other get different cases, so that each case runs for some route.
 */
export const sampleOf = <T>(cases: readonly T[], position: number): readonly T[] =>
  isFullRun ? cases : cases.filter((_, index) => (index + position) % SAMPLE_OF === 0);
