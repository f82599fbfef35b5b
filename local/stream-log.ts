import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { type BackgroundTask, runPeriodically } from './background.ts';

const PAUSE_MS = 10_000;
const ROWS_PER_STEP = 500;
const STEP_PAUSE_MS = 10;

/**
 * Trims and indexes the embedded engine's stream table. With every write the engine looks up the highest sequence
 * number, without an index and among all records ever written, so writes become slower over time. Rows behind the
 * poller's position are deleted; the newest row stays, because the engine derives the next number from it.
 * @param consumed returns the sequence number up to which the stream has been read.
 */
export const trimStreamLog = (
  dbPath: string,
  tableName: string,
  consumed: () => string | undefined,
  pauseMs = PAUSE_MS,
): BackgroundTask => {
  const database = new DatabaseSync(dbPath, { timeout: 2000 });
  database.exec(
    'CREATE INDEX IF NOT EXISTS local_stream_sequence ON _stream_records(table_name, CAST(sequence_number AS INTEGER))',
  );
  // Calls are synchronous: a long wait for the engine's lock would block this process.
  database.exec('PRAGMA busy_timeout = 50');
  const trim = database.prepare(
    `DELETE FROM _stream_records WHERE id IN (
       SELECT id FROM _stream_records
       WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < CAST(? AS INTEGER)
       LIMIT ${ROWS_PER_STEP})`,
  );
  const task = runPeriodically(pauseMs, 'the stream log could not be trimmed', async (signal) => {
    for (let bound = consumed(); bound !== undefined; ) {
      if (trim.run(tableName, bound).changes < ROWS_PER_STEP) return;
      await wait(STEP_PAUSE_MS, undefined, { signal });
    }
  });
  return {
    stop: async () => {
      await task.stop();
      database.close();
    },
  };
};
