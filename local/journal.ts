import { DatabaseSync } from 'node:sqlite';
import { StartupError } from './startup-error.ts';

/** SQLite's codes for a file that is damaged or no database. */
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

const isDamage = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && [CORRUPT, NOT_A_DATABASE].includes(Number(error.errcode) & 0xff);

const damaged = (file: string, reason: string, cause?: unknown): StartupError =>
  new StartupError(
    `The file ${file} is damaged: ${reason}. Restore it from a backup, or delete it and start again: the inbox, the list of ` +
      'events and unfinished local checkouts are lost then; listings and users are in another file and stay.',
    { cause },
  );

/**
 * Opens the file with the state that is not in the table: the bus, the inbox, the mock Stripe and checkpoints.
 * Committed state survives a crash of the process.
 * @throws {StartupError} when the file is damaged.
 */
export const openJournal = (file: string): DatabaseSync => {
  const journal = new DatabaseSync(file, { timeout: 2000 });
  try {
    journal.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    const { quick_check: result } = journal.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
    if (result !== 'ok') throw damaged(file, result.replaceAll('\n', ' '));
    return journal;
  } catch (error) {
    journal.close();
    throw isDamage(error) ? damaged(file, (error as Error).message, error) : error;
  }
};

/** Does work in a transaction, or in that of the caller. */
export const inTransaction = <T>(journal: DatabaseSync, work: () => T): T => {
  if (journal.isTransaction) return work();
  journal.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    journal.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite rolls back by itself when the disk is full.
    if (journal.isTransaction) journal.exec('ROLLBACK');
    throw error;
  }
};

/** Values by name, such as the position in a stream. */
export interface Checkpoints {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
}

/** Opens the checkpoints in the journal. */
export const openCheckpoints = (journal: DatabaseSync): Checkpoints => {
  journal.exec('CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID');
  const read = journal.prepare('SELECT value FROM facts WHERE name = ?');
  const write = journal.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)');
  return {
    get: (name) => (read.get(name) as { value: string } | undefined)?.value,
    set: (name, value) => {
      write.run(name, value);
    },
  };
};
