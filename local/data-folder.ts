import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { StartupError } from './startup-error.ts';

/** The folder with the data of all runs, locked by one process at a time. */
export interface DataFolder {
  readonly path: string;
  /** The absolute path of a file in the folder. */
  file(name: string): string;
  release(): void;
}

const OWNER = 'owner.json';
const SQLITE_BUSY = 5;

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;

const ownerOf = (folder: string): string => {
  try {
    const { pid } = JSON.parse(readFileSync(path.join(folder, OWNER), 'utf8')) as { pid?: unknown };
    return `process ${Number(pid)}`;
  } catch {
    // The owner has locked the folder and not written its process id yet.
    return 'another process';
  }
};

/** Where the format of the data is recorded, and the format that this version reads and writes. */
const FORMAT_FILE = 'format.json';
const FORMAT = 2;

/**
 * Checks that this version can read the data, and records its format.
 * @throws {StartupError}
 */
const checkFormat = (folder: string): void => {
  const file = path.join(folder, FORMAT_FILE);
  if (!existsSync(file)) {
    // Written under another name first, so that a crash leaves no partial file.
    writeFileSync(`${file}.new`, `${JSON.stringify({ format: FORMAT })}\n`);
    renameSync(`${file}.new`, file);
    return;
  }
  let format: unknown;
  try {
    ({ format } = JSON.parse(readFileSync(file, 'utf8')) as { format?: unknown });
    if (!Number.isInteger(format)) throw new Error('it holds no format number');
  } catch (cause) {
    throw new StartupError(
      `The file ${file} is damaged: ${(cause as Error).message}. Restore it from a backup; if the last start was with this ` +
        'version, delete it and start again.',
      { cause },
    );
  }
  if (format !== FORMAT) {
    throw new StartupError(
      `The data folder ${folder} was written by another version: its format is ${String(format)}, and this version reads ` +
        `format ${FORMAT}. Start that version, or set DATA_DIR to another folder.`,
    );
  }
};

/** Makes existing data readable for its owner only. A folder with other files in it keeps its mode. */
const makePrivate = (folder: string): void => {
  const entries = readdirSync(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const isOwn = files.length === 0 || files.some(({ name }) => name === FORMAT_FILE || name === 'lock');
  if (!isOwn) return;
  chmodSync(folder, 0o700);
  for (const { name } of files) chmodSync(path.join(folder, name), 0o600);
  for (const entry of entries) if (entry.isDirectory()) chmodSync(path.join(folder, entry.name), 0o700);
};

const openLock = (folder: string): DatabaseSync => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    makePrivate(folder);
    return new DatabaseSync(path.join(folder, 'lock'));
  } catch (cause) {
    throw new StartupError(`Cannot use the data folder ${folder}: ${(cause as Error).message}.`, { cause });
  }
};

/** How long to wait for a process that is shutting down. */
const LOCK_WAIT_MS = 2000;

const acquire = async (lock: DatabaseSync, folder: string): Promise<void> => {
  const deadline = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      lock.exec('BEGIN EXCLUSIVE');
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > deadline) {
        throw new StartupError(
          `The data folder ${folder} is in use by ${ownerOf(folder)}. Stop that process, or set DATA_DIR to another folder.`,
        );
      }
    }
    await wait(50);
  }
};

/**
 * Locks a data folder and creates it if it does not exist. The lock is an open exclusive SQLite transaction, which the
 * kernel releases with the process, so there are no stale locks.
 * @throws {StartupError} when another process holds the lock, or the data is not of a format that this version reads.
 */
export const openDataFolder = async (folder: string): Promise<DataFolder> => {
  const absolute = path.resolve(folder);
  // For all files that this process and the engine create: tokens, addresses and keys are in them.
  const umask = process.umask(0o077);
  let lock: DatabaseSync | undefined;
  try {
    lock = openLock(absolute);
    await acquire(lock, absolute);
    checkFormat(absolute);
  } catch (error) {
    lock?.close();
    process.umask(umask);
    throw error;
  }
  const held = lock;
  const owner = path.join(absolute, OWNER);
  writeFileSync(owner, `${JSON.stringify({ pid: process.pid })}\n`);
  return {
    path: absolute,
    file: (name) => path.join(absolute, name),
    release: () => {
      rmSync(owner, { force: true });
      held.close();
      process.umask(umask);
    },
  };
};
