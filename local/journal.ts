import { DatabaseSync } from 'node:sqlite';

/**
 * Opens the file that the parts beside the table keep their state in: the bus, the inbox, how far the stream is read.
 * What was committed survives the end of the process, however it ends.
 */
export const openJournal = (file: string): DatabaseSync => {
  const journal = new DatabaseSync(file, { timeout: 2000 });
  journal.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  return journal;
};

/** Remembers small facts by name. */
export interface Memory {
  recall(name: string): string | undefined;
  remember(name: string, value: string): void;
}

/** A memory in the journal. */
export const memoryIn = (journal: DatabaseSync): Memory => {
  journal.exec('CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID');
  const read = journal.prepare('SELECT value FROM facts WHERE name = ?');
  const write = journal.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)');
  return {
    recall: (name) => (read.get(name) as { value: string } | undefined)?.value,
    remember: (name, value) => {
      write.run(name, value);
    },
  };
};
