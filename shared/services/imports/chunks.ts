import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CsvRecord } from '#shared/csv/parse.ts';
import type { Row } from './validate.ts';

/** How long a chunk should take, in milliseconds: an import stops between chunks, within a second or before its deadline. */
const CHUNK_MS = 500;
/** Enough rows for some concurrent transactions. */
const ROWS_MIN = 50;

/** How many rows are planned and written together: as many as the table takes in half a second. */
export class ChunkSize {
  readonly #max: number;
  #rows: number;

  constructor(max: number) {
    this.#max = max;
    this.#rows = Math.min(max, ROWS_MIN * 4);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Adapts the size to the time that a chunk took, at most by a factor of two. */
  note(rows: number, ms: number): void {
    const fitting = Math.round((rows * CHUNK_MS) / Math.max(1, ms));
    const next = Math.min(Math.max(fitting, Math.floor(this.#rows / 2)), this.#rows * 2);
    this.#rows = Math.min(this.#max, Math.max(ROWS_MIN, next));
  }
}

/** How many rows are validated before other work gets its turn: about a millisecond. */
const ROWS_PER_TURN = 10;

const validated = async (records: readonly CsvRecord[], validate: (record: CsvRecord) => Row): Promise<Row[]> => {
  const rows: Row[] = [];
  for (const record of records) {
    rows.push(validate(record));
    if (rows.length % ROWS_PER_TURN === 0) await nextTurn();
  }
  return rows;
};

/**
 * The rows of a file in chunks. Each chunk is validated while the caller works on the one before it, because writing waits for
 * the table most of the time; so a chunk has the size that was known one chunk earlier.
 * @param pages the records without the header.
 */
export async function* chunksOf(
  pages: AsyncIterable<readonly CsvRecord[]> | Iterable<readonly CsvRecord[]>,
  size: ChunkSize,
  validate: (record: CsvRecord) => Row,
): AsyncGenerator<readonly Row[]> {
  let current: Promise<readonly Row[]> | undefined;
  for await (const records of pages) {
    for (let start = 0; start < records.length; ) {
      const chunk = records.slice(start, start + size.rows);
      start += chunk.length;
      const next = validated(chunk, validate);
      // A failure is thrown when the chunk is taken; until then it must not count as unhandled.
      next.catch(() => undefined);
      if (current) yield await current;
      current = next;
    }
  }
  if (current) yield await current;
}
