let writtenAt = Number.NEGATIVE_INFINITY;

/** Notes that this process has just changed what the catalog follows. */
export const markWrite = (): void => {
  writtenAt = performance.now();
};

/**
 * When this process last changed what the catalog follows, in milliseconds of the monotonic clock. Everything in the feed
 * is written by transactions.
 */
export const lastWriteAt = (): number => writtenAt;
