import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { type Background, inBackground } from './background.ts';

const EVERY_MS = 10_000;
const ROWS_PER_STEP = 500;
const STEP_PAUSE_MS = 10;

/**
 * Keeps the embedded engine's record of the stream short and indexed. The engine looks for the highest number of the
 * stream at every write, without an index and in everything that ever happened, so each write would cost more than the
 * one before. Rows are taken away once the publisher has read past them; the newest stays, because the engine counts
 * on from it.
 * @param consumed the sequence number up to which the stream has been read.
 */
export const tendStreamLog = (
  dbPath: string,
  tableName: string,
  consumed: () => string | undefined,
  everyMs = EVERY_MS,
): Background => {
  const database = new DatabaseSync(dbPath, { timeout: 2000 });
  database.exec(
    'CREATE INDEX IF NOT EXISTS local_stream_sequence ON _stream_records(table_name, CAST(sequence_number AS INTEGER))',
  );
  // From here on a write of the engine may wait for us, but this process must not stand still for one of the engine's.
  database.exec('PRAGMA busy_timeout = 50');
  const trim = database.prepare(
    `DELETE FROM _stream_records WHERE id IN (
       SELECT id FROM _stream_records
       WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < CAST(? AS INTEGER)
       LIMIT ${ROWS_PER_STEP})`,
  );
  const background = inBackground(everyMs, "the stream's log could not be trimmed this time", async (signal) => {
    for (let bound = consumed(); bound !== undefined; ) {
      if (trim.run(tableName, bound).changes < ROWS_PER_STEP) return;
      await wait(STEP_PAUSE_MS, undefined, { signal });
    }
  });
  return {
    stop: async () => {
      await background.stop();
      database.close();
    },
  };
};
