import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { type BackgroundTask, runPeriodically } from './background.ts';

const PAUSE_MS = 10_000;
/** Deleting them takes some milliseconds, in which this process responds to no request. */
const ROWS_PER_STEP = 100;
const STEP_PAUSE_MS = 10;
/** How often a run waits for the engine's lock, which is taken most of the time while much is written. */
const WAITS_MAX = 1000;
/** The result code of SQLite for a database that is locked by another process. */
const SQLITE_BUSY = 5;

const isLocked = (error: unknown): boolean => (error as { errcode?: unknown }).errcode === SQLITE_BUSY;

/** A look takes a millisecond at most. */
const ROWS_PER_LOOK = 2000;

/** The embedded engine's stream table, beside the engine's own access to it. */
interface StreamLog {
  /**
   * Looks for new items with this prefix of their partition key, and for deletions, among the records of a shard after a
   * sequence number. Reading records through the engine takes it a sixth of the time that writing them does.
   * @returns the newest sequence number looked at if there are records, but none of these kinds.
   */
  newestIfNone(shardId: string, after: string | undefined, prefix: string): string | undefined;
  /**
   * Trims the table from time to time: with every write the engine looks up the highest sequence number among all records.
   * Rows behind the poller's position are deleted; the newest row stays, because the engine derives the next number from it.
   * @param consumed returns the sequence number up to which the stream has been read.
   */
  trim(consumed: () => string | undefined, pauseMs?: number): BackgroundTask;
  close(): void;
}

/** Opens the stream table and indexes it by sequence number, without which writes become slower over time. */
export const openStreamLog = (dbPath: string, tableName: string): StreamLog => {
  const database = new DatabaseSync(dbPath, { timeout: 2000 });
  database.exec(
    'CREATE INDEX IF NOT EXISTS local_stream_sequence ON _stream_records(table_name, CAST(sequence_number AS INTEGER))',
  );
  // Calls are synchronous: a wait for the engine's lock would block this process.
  database.exec('PRAGMA busy_timeout = 0');
  const remove = database.prepare(
    `DELETE FROM _stream_records WHERE id IN (
       SELECT id FROM _stream_records
       WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < CAST(? AS INTEGER)
       LIMIT ${ROWS_PER_STEP})`,
  );
  // `newest` is that of the row with the highest number: SQLite guarantees it for a query with a single MAX.
  const look = database.prepare(
    `SELECT sequence_number AS newest, MAX(number), SUM(is_sought) AS found FROM (
       SELECT sequence_number, CAST(sequence_number AS INTEGER) AS number,
         event_name = 'REMOVE' OR (event_name = 'INSERT' AND instr(keys_json, ?) > 0) AS is_sought
       FROM _stream_records
       WHERE table_name = ? AND shard_id = ? AND CAST(sequence_number AS INTEGER) > CAST(? AS INTEGER)
       ORDER BY CAST(sequence_number AS INTEGER) LIMIT ${ROWS_PER_LOOK})`,
  );
  return {
    newestIfNone: (shardId, after, prefix) => {
      // A sort key that begins with the prefix counts too, which does no harm.
      const row = look.get(`"${prefix}`, tableName, shardId, after ?? '0');
      return typeof row?.newest === 'string' && row.found === 0 ? row.newest : undefined;
    },
    trim: (consumed, pauseMs = PAUSE_MS) =>
      runPeriodically(pauseMs, 'the stream log could not be trimmed', async (signal) => {
        for (let bound = consumed(), waits = 0; bound !== undefined; ) {
          try {
            if (remove.run(tableName, bound).changes < ROWS_PER_STEP) return;
          } catch (error) {
            waits += 1;
            if (!isLocked(error) || waits > WAITS_MAX) throw error;
          }
          await wait(STEP_PAUSE_MS, undefined, { signal });
        }
      }),
    close: () => database.close(),
  };
};
