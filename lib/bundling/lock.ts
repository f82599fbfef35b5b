import { lock } from 'proper-lockfile';

/** A lock whose process has not renewed it for so long is abandoned, in milliseconds. */
const STALE_MS = 120_000;
const POLL_MS = 50;

/**
 * Runs an operation that excludes other processes: test files and a synthesis may need the bundles at the same time.
 * @param file the lock is a folder beside it, with the extension `lock`; the file need not exist.
 */
export const withLock = async <T>(file: string, operation: () => Promise<T>): Promise<T> => {
  const retries = { forever: true, factor: 1, minTimeout: POLL_MS, maxTimeout: POLL_MS };
  const release = await lock(file, { realpath: false, stale: STALE_MS, retries });
  try {
    return await operation();
  } finally {
    await release();
  }
};
