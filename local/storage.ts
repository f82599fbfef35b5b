import { statfsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { log } from '#platform/log.ts';
import { pauseAfter, persistentRetryPolicy } from './retry-policy.ts';

/** Whether the data folder accepts writes. Each change of this state is logged once. */
export interface Storage {
  /** Performs a write and records its outcome. @throws what the write throws. */
  write<T>(work: () => T): T;
  /** Repeats a write with growing pauses until it succeeds or the signal aborts. */
  writeUntilDone(work: () => void, signal: AbortSignal): Promise<void>;
  /** Tries a write. @throws {StorageFailure} when the data folder is full or read-only. */
  check(): void;
}

/** The data folder does not accept writes. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure';
}

/** The log of a SQLite file can reuse its own space, so a small write may succeed on a full disk. */
const FREE_BYTES_MIN = 1024 * 1024;

const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/** Watches the writes to a journal. @param folder of the journal. */
export const watchStorage = (journal: DatabaseSync, folder: string): Storage => {
  let failure: StorageFailure | undefined;
  journal.exec('CREATE TABLE IF NOT EXISTS storage_checks (id INTEGER PRIMARY KEY, at INTEGER NOT NULL)');
  const insert = journal.prepare('INSERT OR REPLACE INTO storage_checks (id, at) VALUES (1, ?)');

  const failed = (cause: unknown): StorageFailure => {
    const { message } = cause instanceof Error ? cause : new Error(String(cause));
    const isNew = failure === undefined;
    failure = new StorageFailure(`The data folder ${folder} cannot be written: ${message}.`, { cause });
    if (isNew) log.error('the data folder cannot be written; free disk space', { folder, error: failure });
    return failure;
  };
  const succeeded = (): void => {
    if (failure) log.error('the data folder can be written again', { folder });
    failure = undefined;
  };

  const write = <T>(work: () => T): T => {
    let result: T;
    try {
      result = work();
    } catch (error) {
      throw failed(error);
    }
    succeeded();
    return result;
  };

  return {
    write,
    writeUntilDone: async (work, signal) => {
      for (let failures = 1; !signal.aborted; failures += 1) {
        try {
          write(work);
          return;
        } catch {
          // Logged by `write`, once per change of the state.
          await wait(pauseAfter(failures, persistentRetryPolicy), undefined, { signal }).catch(() => undefined);
        }
      }
    },
    check: () => {
      write(() => {
        if (freeBytes(folder) < FREE_BYTES_MIN) throw new Error('the disk is full');
        insert.run(Date.now());
      });
    },
  };
};
