/** The variable with the name of the feature that a run switches off; set by `npm test -- --without <feature>`. */
export const WITHOUT_FEATURE = 'TEST_WITHOUT_FEATURE';

/** The beginning of the reason why a test is skipped, or a hook of a file fails, in such a run. */
export const NEEDS_FEATURE = 'This needs the feature';

/** Whether an error skips the test, or fails a hook, for a feature. */
export const isSkipForFeature = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === 'VITEST_PENDING';
