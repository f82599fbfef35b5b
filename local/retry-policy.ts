/** How failed work in the background is retried. */
export interface RetryPolicy {
  /** The pause after the first failure, doubled after each further one, in milliseconds. */
  readonly firstPauseMs: number;
  readonly pauseMaxMs: number;
  readonly triesMax: number;
}

export const retryPolicy: RetryPolicy = { firstPauseMs: 200, pauseMaxMs: 60_000, triesMax: 24 };

/** The longest pause with its deviation, in milliseconds. */
export const PAUSE_MAX_MS = retryPolicy.pauseMaxMs * 1.25;

/** For what has to continue soon after the cause of its failures is gone, and never gives up. */
export const persistentRetryPolicy: RetryPolicy = { firstPauseMs: 100, pauseMaxMs: 5000, triesMax: Infinity };

/** The pause before the next try, with a quarter of random deviation. @param failures so far, in succession. */
export const pauseAfter = (failures: number, { firstPauseMs, pauseMaxMs }: RetryPolicy): number =>
  Math.round(Math.min(pauseMaxMs, firstPauseMs * 2 ** (failures - 1)) * (0.75 + Math.random() / 2));
