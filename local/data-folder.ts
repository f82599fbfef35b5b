import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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

/**
 * Takes a data folder, making it where there is none. The lock is an open exclusive transaction: the kernel takes it back
 * when the process dies, however it dies, so no stale lock is ever left.
 * @throws {StartRefused} when another process has it.
 */
export const openDataFolder = (folder: string): DataFolder => {
  const absolute = path.resolve(folder);
  const lock = prepare(absolute);
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new StartRefused(
      `The data folder ${absolute} is in use by ${ownerOf(absolute)}. End that one first, or set DATA_DIR to another folder.`,
    );
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
