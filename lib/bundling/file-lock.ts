import { mkdirSync, rmdirSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** A lock older than this is treated as abandoned, in milliseconds. */
const STALE_MS = 120_000;
const POLL_MS = 50;

const tryLock = (folder: string): boolean => {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};

/**
 * Runs an operation while holding a lock that excludes other processes: test files and a synthesis may need the bundles
 * at the same time.
 * @param folder the path of the lock folder; it must not exist, its parent must.
 */
export const withFileLock = async <T>(folder: string, operation: () => Promise<T>): Promise<T> => {
  while (!tryLock(folder)) {
    const since = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > STALE_MS) rmdirSync(folder);
    await wait(POLL_MS);
  }
  try {
    return await operation();
  } finally {
    rmdirSync(folder);
  }
};
