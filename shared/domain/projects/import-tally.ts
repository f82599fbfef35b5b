import type { ImportReport } from '#contract/projects.ts';
import type { Problem } from './import-row.ts';

// What fits into one answer with all that surrounds it.
const ERRORS_CHARACTERS_MAX = 1_500_000;
const ERROR_OVERHEAD = 40;
const COLUMN_SHOWN_MAX = 200;

type ImportError = ImportReport['errors'][number];

/** Counts what became of rows and keeps what is to be said of them, as far as one answer can carry it. */
export class Tally {
  readonly #columnOf: ReadonlyMap<string, string>;
  #created = 0;
  #updated = 0;
  #skipped = 0;
  #failed = 0;
  #errors: ImportError[] = [];
  #characters = 0;

  /** @param columnOf the CSV column of each mapped field. */
  constructor(columnOf: ReadonlyMap<string, string>) {
    this.#columnOf = columnOf;
  }

  created(): void {
    this.#created += 1;
  }

  updated(): void {
    this.#updated += 1;
  }

  skipped(): void {
    this.#skipped += 1;
  }

  failed(row: number, problems: readonly Problem[]): void {
    this.#failed += 1;
    for (const { field, message } of problems) {
      const column = field === null ? null : (this.#columnOf.get(field)?.slice(0, COLUMN_SHOWN_MAX) ?? null);
      this.#say({ row, column, message: field === null ? message : `${field}: ${message}` });
    }
  }

  /** Rows that nobody looked at any more. */
  leftOut(firstRow: number, count: number): void {
    this.#failed += count;
    const message = `There was no time left for this row and the ${count - 1} after it. Send them in a file of their own.`;
    this.#say({ row: firstRow, column: null, message });
  }

  /** The report's numbers and errors, in the order of the rows. */
  result(): Pick<ImportReport, 'created' | 'updated' | 'skipped' | 'failed' | 'errors'> {
    const errors = this.#errors.toSorted((a, b) => a.row - b.row);
    const [created, updated, skipped, failed] = [this.#created, this.#updated, this.#skipped, this.#failed];
    return { created, updated, skipped, failed, errors };
  }

  #say(error: ImportError): void {
    if (this.#characters > ERRORS_CHARACTERS_MAX) return;
    this.#characters += error.message.length + (error.column?.length ?? 0) + ERROR_OVERHEAD;
    const isLast = this.#characters > ERRORS_CHARACTERS_MAX;
    const message = 'From here on there are more errors than one answer can carry; they are counted, not listed.';
    this.#errors.push(isLast ? { row: error.row, column: null, message } : error);
  }
}
