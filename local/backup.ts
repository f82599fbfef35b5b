import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { KEPT_FILES } from './data-folder.ts';
import { UNFINISHED } from './object-storage.ts';
import { codeOf, StartupError } from './startup-error.ts';

/** Copies a data folder while a server may be writing to it. */

/** How long a statement waits for other processes, in milliseconds. */
const LOCK_MS = 10_000;
/** Pages of a step of the copy: 4 MB. */
const PAGES_PER_STEP = 1000;

const open = (file: string): DatabaseSync => new DatabaseSync(file, { timeout: LOCK_MS });

/** Begins to read a database, which does not change for this connection from then on. */
const beginReading = (file: string): DatabaseSync => {
  const database = open(file);
  database.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
  return database;
};

/** The two databases as they were at one moment. */
interface Snapshot {
  readonly table: DatabaseSync;
  readonly journal: DatabaseSync;
}

/**
 * Without writes to the journal between the two snapshots, an event is in one of them: the journal has what has been published,
 * the table what has not.
 */
const takeSnapshot = (table: string, journal: string): Snapshot => {
  const lock = open(journal);
  try {
    lock.exec('BEGIN IMMEDIATE');
    return { table: beginReading(table), journal: beginReading(journal) };
  } finally {
    lock.close();
  }
};

/** @throws {StartupError} when the source is damaged. */
const copyDatabase = async (
  source: DatabaseSync,
  file: string,
  target: string,
  onProgress?: (share: number) => void,
): Promise<void> => {
  await backup(source, target, {
    rate: PAGES_PER_STEP,
    progress: ({ totalPages, remainingPages }) => onProgress?.(1 - remainingPages / Math.max(1, totalPages)),
  });
  source.close();
  const copy = open(target);
  const { quick_check: result } = copy.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
  // One file, without those of a write-ahead log.
  copy.exec('PRAGMA journal_mode = DELETE');
  copy.close();
  chmodSync(target, 0o600);
  if (result !== 'ok') {
    throw new StartupError(`The file ${file} is damaged: ${result.replaceAll('\n', ' ')}. Keep your earlier backups.`);
  }
};

/** Copies the uploads that are complete and not copied yet. They do not change, and may be deleted meanwhile. */
const copyUploads = (from: string, to: string): void => {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  if (!existsSync(from)) return;
  for (const name of readdirSync(from)) {
    const target = path.join(to, name);
    if (name.endsWith(UNFINISHED) || existsSync(target)) continue;
    try {
      copyFileSync(path.join(from, name), target);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
};

/**
 * Copies the data of a folder as it is at one moment.
 * @param target an empty folder, which is one that a server can start with afterwards.
 * @param onProgress receives the part of the table that has been copied, from 0 to 1.
 * @throws {StartupError} when the folder has no table, or a database is damaged.
 */
export const copyDataFolder = async (
  folder: string,
  target: string,
  onProgress?: (share: number) => void,
): Promise<void> => {
  const [table, journal] = [path.join(folder, 'table.sqlite'), path.join(folder, 'journal.sqlite')];
  // `existsSync` would also be false for what another user may not see.
  const missing = [table, journal].find((file) => !statSync(file, { throwIfNoEntry: false }));
  if (missing !== undefined) {
    throw new StartupError(
      `There is no ${path.basename(missing)} in ${folder}. Set DATA_DIR to the folder with the data.`,
    );
  }
  const uploads = [path.join(folder, 'uploads'), path.join(target, 'uploads')] as const;
  // Before and after, because imports need those that are deleted or added between.
  copyUploads(...uploads);
  const snapshot = takeSnapshot(table, journal);
  copyUploads(...uploads);
  for (const name of KEPT_FILES) {
    const file = path.join(folder, name);
    if (existsSync(file)) copyFileSync(file, path.join(target, name));
  }
  await copyDatabase(snapshot.journal, journal, path.join(target, 'journal.sqlite'));
  await copyDatabase(snapshot.table, table, path.join(target, 'table.sqlite'), onProgress);
};
