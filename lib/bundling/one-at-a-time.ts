import { mkdirSync, rmdirSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Who has held it for so long has died, in milliseconds. */
const STALE_MS = 120_000;
const EVERY_MS = 50;

const isTaken = (lock: string): boolean => {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};

/**
 * Does some work while no other process does what has the same lock: test files and a synthesis may all want the bundles at
 * once, and whoever comes second finds them made.
 * @param lock a path at which nothing else stands; its folder must exist.
 */
export const oneAtATime = async <T>(lock: string, work: () => Promise<T>): Promise<T> => {
  while (!isTaken(lock)) {
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > STALE_MS) rmdirSync(lock);
    await wait(EVERY_MS);
  }
  try {
    return await work();
  } finally {
    rmdirSync(lock);
  }
};
