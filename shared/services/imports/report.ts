import type { BatchCounts } from '#contract/batches.ts';
import type { ImportReport } from '#contract/project-batches.ts';
import { type BatchEntry, noOutcomes, rowPosition, unwrittenEntry } from '#model/batch.ts';
import type { ProjectRecord } from '#model/project.ts';
import type { MappedColumn } from '#shared/csv/mapping.ts';
import type { Problem, Row } from './validate.ts';

type ImportError = ImportReport['errors'][number];

/** Limit of the listed errors, well below the size of a response. */
const ERRORS_CHARACTERS_MAX = 1_500_000;
/** What an error takes in JSON beside its message and column, in characters. */
const ERROR_OVERHEAD = 40;
const COLUMN_CHARACTERS_MAX = 200;
/** Of an entry, whose item may have 400 KB: a character takes up to six bytes, as an escape sequence of JSON. */
const CELLS_CHARACTERS_MAX = 60_000;
const MESSAGE_CHARACTERS_MAX = 2000;

/** The texts up to a total length; a longer file than that in one record is a misplaced quote. */
export const shortened = (texts: readonly string[]): string[] => {
  let left = CELLS_CHARACTERS_MAX;
  return texts.map((text) => {
    const part = text.slice(0, left);
    left -= part.length;
    return part;
  });
};

const isHighSurrogate = (text: string): boolean => /[\ud800-\udbff]$/.test(text);

/** Cut between characters: DynamoDB accepts well-formed text only. */
const wellFormed = (text: string): string => (isHighSurrogate(text) ? text.slice(0, -1) : text);

const messageOf = (problems: readonly Problem[]): string =>
  wellFormed(
    problems
      .map(({ field, message }) => (field === null ? message : `${field}: ${message}`))
      .join('; ')
      .slice(0, MESSAGE_CHARACTERS_MAX),
  );

/** Counts the outcomes of rows, collects their entries, and lists their errors, as far as they fit into one response. */
export class ReportBuilder {
  readonly #columnOf: ReadonlyMap<string, string>;
  readonly #counts: BatchCounts;
  readonly #errors: ImportError[] = [];
  #entries: BatchEntry[] = [];
  #characters = 0;

  /** @param counts of rows that earlier runs have imported. */
  constructor(columns: readonly MappedColumn[], counts: BatchCounts = noOutcomes) {
    this.#counts = { ...counts };
    this.#columnOf = new Map(columns.map(({ column, field }) => [field, column]));
  }

  /** Counts a row that was written, or would be in a dry run. @param entry unless it is stored already. */
  written(action: 'create' | 'update', entry: BatchEntry | undefined): void {
    this.#counts[action === 'create' ? 'created' : 'updated'] += 1;
    if (entry) this.#entries.push(entry);
  }

  /** Counts a row whose entry is stored already. */
  stored({ outcome }: BatchEntry): void {
    this.#counts[outcome] += 1;
  }

  /** Counts a row that was written together with a later one, and whose own entry may not be stored. */
  writtenEarlier(entry: BatchEntry): void {
    this.#counts[entry.outcome] += 1;
    this.#entries.push(entry);
  }

  /** Counts a row whose project has its values already. */
  unchanged({ number }: Row, project: ProjectRecord): void {
    this.#counts.updated += 1;
    const place = { position: rowPosition(number), row: number, outcome: 'updated' } as const;
    this.#entries.push(unwrittenEntry(place, project, null));
  }

  failed(row: Row, problems: readonly Problem[]): void {
    this.#counts.failed += 1;
    this.#explain(row.number, problems);
    const place = { position: rowPosition(row.number), row: row.number, outcome: 'failed' } as const;
    const cells = shortened(row.cells).map(wellFormed);
    this.#entries.push(unwrittenEntry(place, undefined, messageOf(problems), cells));
  }

  /** Counts a row as skipped. @param reason listed among the errors. */
  skipped({ number }: Row, match: ProjectRecord, reason?: Problem): void {
    this.#counts.skipped += 1;
    if (reason) this.#explain(number, [reason]);
    const place = { position: rowPosition(number), row: number, outcome: 'skipped' } as const;
    this.#entries.push(unwrittenEntry(place, match, reason ? messageOf([reason]) : null));
  }

  /** Counts rows, of which `firstRow` is the first, as failed because the time was up. */
  outOfTime(firstRow: number, count: number): void {
    this.#counts.failed += count;
    // The rows on their own would get other slugs, because slugs are numbered within a file.
    const next = 'Import the whole file again with "on_conflict": "skip".';
    const message = `The time was up before this row and ${count - 1} of those after it. ${next}`;
    this.#addError({ row: firstRow, column: null, message });
    const place = { position: rowPosition(firstRow), row: firstRow, outcome: 'failed' } as const;
    this.#entries.push(unwrittenEntry(place, undefined, message));
  }

  /** The entries since the last call. */
  takeEntries(): readonly BatchEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }

  /** The counts so far. */
  counts(): BatchCounts {
    return { ...this.#counts };
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
