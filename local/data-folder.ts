import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { StartRefused } from './refusal.ts';

/** The folder that everything is kept in between runs, held by one process at a time. */
export interface DataFolder {
  readonly path: string;
  /** The full path of a file in it. */
  file(name: string): string;
  /** Lets others have it. */
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
    // The owner holds the lock and has not written its number yet.
    return 'another process';
  }
};

const prepare = (folder: string): DatabaseSync => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return new DatabaseSync(path.join(folder, 'lock'));
  } catch (cause) {
    throw new StartRefused(`The data folder ${folder} cannot be used: ${(cause as Error).message}.`, { cause });
  }
};

/** How long an earlier process that is just ending is waited for. */
const PATIENCE_MS = 2000;

const take = async (lock: DatabaseSync, folder: string): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      lock.exec('BEGIN EXCLUSIVE');
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > deadline) {
        throw new StartRefused(
          `The data folder ${folder} is in use by ${ownerOf(folder)}. End that one first, or set DATA_DIR to another folder.`,
        );
      }
    }
    await wait(50);
  }
};

/**
 * Takes a data folder, making it where there is none. The lock is an open exclusive transaction: the kernel takes it back
 * when the process dies, however it dies, so no stale lock is ever left.
 * @throws {StartRefused} when another process has it.
 */
export const openDataFolder = async (folder: string): Promise<DataFolder> => {
  const absolute = path.resolve(folder);
  const lock = prepare(absolute);
  try {
    await take(lock, absolute);
  } catch (error) {
    lock.close();
    throw error;
  }
  const owner = path.join(absolute, OWNER);
  writeFileSync(owner, `${JSON.stringify({ pid: process.pid })}\n`);
  return {
    path: absolute,
    file: (name) => path.join(absolute, name),
    release: () => {
      rmSync(owner, { force: true });
      lock.close();
    },
  };
};
