import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { tryLock } from '#lib/file-lock.ts';
import { log } from '#platform/log.ts';
import { codeOf, StartupError, startupErrorOf } from './startup-error.ts';

const LOCK = 'lock';
const OWNER = 'owner.json';
/** Where the format of the data is recorded, and the format that this version reads and writes. */
const FORMAT_FILE = 'format.json';
const FORMAT = 2;
const KEY_FILE = 'secrets-key.json';
/** Either of them marks a folder as one of this service, also after a damaged one was deleted. */
const MARKS = [FORMAT_FILE, KEY_FILE] as const;
/** Files that do not change after the first start. */
export const KEPT_FILES = [FORMAT_FILE, 'issuer-key.json', KEY_FILE, 'unsubscribe-key.json'] as const;
const DATABASES = [LOCK, 'table.sqlite', 'journal.sqlite'] as const;

/** All that this service writes to the folder, with what SQLite writes beside its databases. Other entries are left alone. */
const OWN_NAMES = [
  OWNER,
  ...KEPT_FILES,
  ...DATABASES,
  ...DATABASES.flatMap((name) => [`${name}-wal`, `${name}-shm`, `${name}-journal`] as const),
  'engine.json',
  'uploads',
] as const;

/** The folder with the data of all runs, locked by one process at a time. */
export interface DataFolder {
  readonly path: string;
  /** The absolute path of a file or folder in the folder. */
  file(name: (typeof OWN_NAMES)[number]): string;
  release(): void;
}

const ownerOf = (folder: string): string => {
  try {
    const { pid } = JSON.parse(readFileSync(path.join(folder, OWNER), 'utf8')) as { pid?: unknown };
    return `process ${Number(pid)}`;
  } catch {
    // The owner has locked the folder and not written its process id yet.
    return 'another process';
  }
};

/**
 * Refuses a folder in which another program uses a name of this service, before any file in it is opened.
 * @throws {StartupError}
 */
const checkForeign = (folder: string): void => {
  const entryOf = (name: string) => lstatSync(path.join(folder, name), { throwIfNoEntry: false });
  // A first start that ended early leaves the lock, which is empty, and its journal.
  const isLockOwn = entryOf(LOCK)?.size === 0;
  const foreign = OWN_NAMES.find((name) => entryOf(name) && !(isLockOwn && name.startsWith(LOCK)));
  // Looked at last: the first start of another process may be writing it.
  if (foreign === undefined || MARKS.some((name) => existsSync(path.join(folder, name)))) return;
  throw new StartupError(
    `The folder ${folder} holds ${foreign}, but no ${MARKS.join(' or ')} of this service. If it is another program's, set DATA_DIR to ` +
      `an empty folder or to one that does not exist. If it is data of this service, restore these from a backup too.`,
  );
};

/**
 * Checks that this version can read the data, and records its format in a new folder.
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
  const content = readFileSync(file, 'utf8');
  let format: unknown;
  try {
    ({ format } = JSON.parse(content) as { format?: unknown });
    if (!Number.isInteger(format)) throw new Error('it holds no format number');
  } catch (cause) {
    throw new StartupError(
      `The file ${file} is damaged: ${(cause as Error).message}. Restore it from a backup; if the last start was with this ` +
        "version, delete it and start again; if it is another program's, set DATA_DIR to another folder.",
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

/**
 * Makes existing data readable for its owner only, for example after it was copied. Nothing else in the folder changes: what a
 * link leads to, and the folder itself unless this service made it, belong to the user.
 */
const makePrivate = (folder: string): void => {
  const readable: string[] = [];
  for (const name of OWN_NAMES) {
    const file = path.join(folder, name);
    const entry = lstatSync(file, { throwIfNoEntry: false });
    if (!entry || entry.isSymbolicLink() || (entry.mode & 0o077) === 0) continue;
    try {
      chmodSync(file, entry.isDirectory() ? 0o700 : 0o600);
    } catch {
      // It is another user's, or the volume has no modes.
      readable.push(name);
    }
  }
  if (readable.length > 0) {
    log.warn('other users of this machine may be able to read data, whose mode cannot be changed', {
      folder,
      files: readable,
    });
  }
};

/** The sentence for an error of the file system or of SQLite; other errors as they are. */
const unusable = (folder: string, error: unknown): unknown => {
  const problem = startupErrorOf(error, folder);
  if (problem instanceof StartupError || codeOf(problem) === undefined) return problem;
  const sentence = `The data folder ${folder} cannot be used: ${(error as Error).message}. Set DATA_DIR to another folder.`;
  return new StartupError(sentence, { cause: error });
};

/** How long to wait for a process that is shutting down. */
const LOCK_WAIT_MS = 2000;

const acquire = async (folder: string): Promise<DatabaseSync> => {
  const deadline = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    const lock = tryLock(path.join(folder, LOCK));
    if (lock) return lock;
    if (performance.now() > deadline) {
      throw new StartupError(
        `The data folder ${folder} is in use by ${ownerOf(folder)}. Stop that process, or set DATA_DIR to another folder.`,
      );
    }
    await wait(50);
  }
};

/**
 * Locks a data folder and creates it if it does not exist. The lock is an open exclusive SQLite transaction, which the
 * kernel releases with the process, so there are no stale locks.
 * @throws {StartupError} when this user cannot use the folder, another process holds the lock, the data is not of a format that
 * this version reads, or another program uses a name of this service in the folder.
 */
export const openDataFolder = async (folder: string): Promise<DataFolder> => {
  const absolute = path.resolve(folder);
  // For all files that this process and the engine create: tokens, addresses and keys are in them.
  const umask = process.umask(0o077);
  const owner = path.join(absolute, OWNER);
  let lock: DatabaseSync | undefined;
  try {
    mkdirSync(absolute, { recursive: true, mode: 0o700 });
    checkForeign(absolute);
    lock = await acquire(absolute);
    checkFormat(absolute);
    makePrivate(absolute);
    writeFileSync(owner, `${JSON.stringify({ pid: process.pid })}\n`);
  } catch (error) {
    lock?.close();
    process.umask(umask);
    throw unusable(absolute, error);
  }
  const held = lock;
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
