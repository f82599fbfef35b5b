import { accessSync, constants } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';

const SQLITE_BUSY = 5;
const POLL_MS = 50;

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;

/**
 * Locks a file, which is created if it does not exist, until the result is closed. The lock is an open exclusive transaction
 * of SQLite, which the kernel ends with the process, however that ends: no lock is left behind.
 * @returns undefined while another process, or another caller in this one, holds the lock.
 * @throws an error of SQLite or of the file system when the file cannot be opened or written.
 */
export const tryLock = (file: string): DatabaseSync | undefined => {
  const lock = new DatabaseSync(file);
  try {
    // SQLite locks nothing in a file that it can only read.
    accessSync(file, constants.W_OK);
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
};

/**
 * Runs an operation that excludes other processes.
 * @param onWait called once, when the lock is held by another.
 */
export const withLock = async <T>(file: string, operation: () => Promise<T>, onWait: () => void): Promise<T> => {
  let lock = tryLock(file);
  if (!lock) onWait();
  while (!lock) {
    await wait(POLL_MS);
    lock = tryLock(file);
  }
  try {
    return await operation();
  } finally {
    lock.close();
  }
};
