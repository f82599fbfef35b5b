import type { ImportReport } from '#contract/projects.ts';
import type { MappedColumn } from '#shared/csv/mapping.ts';
import type { Problem } from './validate.ts';

type ImportError = ImportReport['errors'][number];

/** Limit of the listed errors, well below the size of a response. */
const ERRORS_CHARACTERS_MAX = 1_500_000;
/** What an error takes in JSON beside its message and column, in characters. */
const ERROR_OVERHEAD = 40;
const COLUMN_CHARACTERS_MAX = 200;

/** Counts the outcomes of rows and lists their errors, as far as they fit into one response. */
export class ReportBuilder {
  readonly #columnOf: ReadonlyMap<string, string>;
  readonly #counts = { created: 0, updated: 0, skipped: 0, failed: 0 };
  readonly #errors: ImportError[] = [];
  #characters = 0;

  constructor(columns: readonly MappedColumn[]) {
    this.#columnOf = new Map(columns.map(({ column, field }) => [field, column]));
  }

  count(outcome: 'created' | 'updated' | 'skipped'): void {
    this.#counts[outcome] += 1;
  }

  failed(row: number, problems: readonly Problem[]): void {
    this.#counts.failed += 1;
    this.#explain(row, problems);
  }

  /** Counts a row as skipped and lists the reason among the errors. */
  skipped(row: number, reason: Problem): void {
    this.#counts.skipped += 1;
    this.#explain(row, [reason]);
  }

  /** Counts the rows from `firstRow` on as failed because the time was up. */
  outOfTime(firstRow: number, count: number): void {
    this.#counts.failed += count;
    // The rows on their own would get other slugs, because slugs are numbered within a file.
    const next = 'Import the whole file again with "on_conflict": "skip".';
    const message = `The time was up before this row and the ${count - 1} after it. ${next}`;
    this.#addError({ row: firstRow, column: null, message });
  }

  /** @returns the counts, and the errors in the order of the rows. */
  build(): Pick<ImportReport, 'created' | 'updated' | 'skipped' | 'failed' | 'errors'> {
    return { ...this.#counts, errors: this.#errors.toSorted((a, b) => a.row - b.row) };
  }

  #explain(row: number, problems: readonly Problem[]): void {
    for (const { field, message } of problems) {
      const column = field === null ? null : (this.#columnOf.get(field)?.slice(0, COLUMN_CHARACTERS_MAX) ?? null);
      this.#addError({ row, column, message: field === null ? message : `${field}: ${message}` });
    }
  }

  #addError(error: ImportError): void {
    if (this.#characters > ERRORS_CHARACTERS_MAX) return;
    this.#characters += error.message.length + (error.column?.length ?? 0) + ERROR_OVERHEAD;
    const isLast = this.#characters > ERRORS_CHARACTERS_MAX;
    const message = 'One response cannot hold more errors; the errors from here on are counted, not listed.';
    this.#errors.push(isLast ? { row: error.row, column: null, message } : error);
  }
}
