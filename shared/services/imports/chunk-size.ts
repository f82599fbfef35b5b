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
