import { CsvError, type Options, parse } from 'csv-parse/sync';
import { trimmed } from '#contract/characters.ts';
import { columnName } from './mapping.ts';

/** The separators that are detected, the preferred ones first. The first line of a file may name any other character. */
export const separators = [',', ';', '\t'] as const;

export interface CsvRecord {
  /** The position among the records of the file, from 1. */
  readonly number: number;
  /** Fewer than the header has where the last ones are missing; more only where the record has text beyond them. */
  readonly cells: readonly string[];
  /** Why the record could not be read, to follow "The row …". */
  readonly broken?: string;
}

const optionsFor = (separator: string): Options => ({
  delimiter: separator,
  // Blanks around quotation marks are no part of a cell.
  trim: true,
  // One file may mix all three after it was edited on several systems.
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  skip_empty_lines: true,
});

const isQuoteError = (error: unknown): error is CsvError =>
  error instanceof CsvError &&
  (error.code === 'CSV_QUOTE_NOT_CLOSED' ||
    error.code === 'CSV_INVALID_CLOSING_QUOTE' ||
    error.code === 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE' ||
    error.code === 'INVALID_OPENING_QUOTE');

/** Misplaced quotes after which `read` lets its caller give way: some milliseconds of work. */
const RESTARTS_PER_TURN = 100;

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;

/** Finds the next line with text; `end` excludes its line break. */
const nextLine = (bytes: Buffer, from: number): { start: number; end: number } => {
  const isBreak = (at: number) => bytes[at] === LF || bytes[at] === CR;
  const isBlankAt = (at: number) => isBreak(at) || bytes[at] === SPACE || bytes[at] === TAB;
  let start = from;
  while (start < bytes.length && isBlankAt(start)) start += 1;
  let end = start;
  while (end < bytes.length && !isBreak(end)) end += 1;
  while (start > from && !isBreak(start - 1)) start -= 1;
  return { start, end };
};

/** Reads a line with a quote inside an unquoted cell. */
const cellsWithLooseQuotes = (line: Buffer, separator: string): readonly string[] | undefined => {
  try {
    return parse(line, { ...optionsFor(separator), relax_quotes: true })[0];
  } catch (error) {
    if (isQuoteError(error)) return undefined;
    throw error;
  }
};

/** How long a record may be, in bytes, before a quote that is not closed counts as misplaced. */
const RECORD_BYTES_MAX = 1_000_000;

/** The end of the last line of a text that may go on. */
const endOfLines = (bytes: Buffer): number => Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;

/** A first line that names the separator, as spreadsheets write and read it. */
const SEPARATOR_LINE = /^"?sep=([^"\p{L}\p{N} \r\n])"?[^\S\r\n]*(?:\r\n?|\n|$)/iu;

/** Thrown within the parser to end it. */
const ENOUGH = new Error('There are as many records as asked for.');

const isBlank = (cell: string): boolean => trimmed(cell) === '';

/** The cells without blank ones after as many as given. */
const withoutSurplus = (cells: readonly string[], width: number): readonly string[] =>
  cells.length <= width ? cells : cells.slice(0, Math.max(width, cells.findLastIndex((cell) => !isBlank(cell)) + 1));

/**
 * Reads the records of a text that is given in blocks. The first one is the header, which ends with the last column that has a
 * name; a line before it that names the separator is skipped. Records without text are left out, but have their numbers. Blank
 * cells beyond the last column are dropped.
 *
 * A misplaced quote would swallow the records after it, so its line is read on its own. A quote inside an unquoted cell is then
 * text, as in `5" pipe`; with any other one, or with another number of cells than the header, the record is broken. The work is linear:
 * a parse that fails ends at the next line with an odd number of quotes, and the lines before that one have no quote that stays
 * open.
 */
export class RecordParser {
  readonly #separator: string;
  readonly #max: number;
  #rest: Buffer = Buffer.alloc(0);
  #hasBegun = false;
  #number = 0;
  #count = 0;
  /** Of the header. */
  #width: number | undefined;
  #stopped: string | undefined;

  /** @param max the most records to read. */
  constructor(separator: string, max = Number.POSITIVE_INFINITY) {
    this.#separator = separator;
    this.#max = max;
  }

  /** Why nothing more of the text can be read, as a sentence. */
  get stopped(): string | undefined {
    return this.#stopped;
  }

  /** Returns the records that are complete with this block, some at a time. */
  *read(text: string, isLast: boolean): Generator<CsvRecord[]> {
    let records: CsvRecord[] = [];
    if (this.#stopped !== undefined) return;
    const lines = this.#hasBegun ? text : text.replace(SEPARATOR_LINE, '');
    this.#hasBegun = true;
    this.#rest = Buffer.concat([this.#rest, Buffer.from(lines)]);
    for (let restarts = 1; this.#rest.length > 0 && this.#count < this.#max; restarts += 1) {
      if (!this.#parseLines(records, isLast)) break;
      if (restarts % RESTARTS_PER_TURN > 0) continue;
      yield records;
      records = [];
    }
    yield records;
  }

  /** Parses complete lines. @returns whether it stopped at a misplaced quote, after which there may be more lines. */
  #parseLines(records: CsvRecord[], isLast: boolean): boolean {
    const lines = isLast ? this.#rest : this.#rest.subarray(0, endOfLines(this.#rest));
    if (lines.length === 0 && this.#rest.length > RECORD_BYTES_MAX) {
      this.#stopped = `Row ${this.#number + 1} has more than ${RECORD_BYTES_MAX} bytes; nothing after it can be read.`;
      return false;
    }
    let readTo = 0;
    try {
      parse(lines, {
        ...optionsFor(this.#separator),
        on_record: (cells: string[], { bytes }) => {
          this.#add(records, cells);
          readTo = bytes;
          if (this.#count === this.#max) throw ENOUGH;
          return null;
        },
      });
      this.#rest = this.#rest.subarray(lines.length);
      return false;
    } catch (error) {
      if (error === ENOUGH) return false;
      if (!isQuoteError(error)) throw error;
      const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED' && !isLast;
      if (isOpen && this.#rest.length - readTo <= RECORD_BYTES_MAX) {
        this.#rest = this.#rest.subarray(readTo);
        return false;
      }
      this.#skipQuote(records, readTo);
      return true;
    }
  }

  /** Reads the line at an offset, which has a misplaced quote. */
  #skipQuote(records: CsvRecord[], from: number): void {
    const { start, end } = nextLine(this.#rest, from);
    const cells = cellsWithLooseQuotes(this.#rest.subarray(start, end), this.#separator);
    const width = this.#width ?? cells?.length ?? 0;
    if (cells && withoutSurplus(cells, width).length === width) this.#add(records, cells);
    else this.#add(records, [], 'has a misplaced quote');
    this.#rest = this.#rest.subarray(end);
  }

  #add(records: CsvRecord[], cells: readonly string[], broken?: string): void {
    this.#number += 1;
    if (this.#count > 0 && broken === undefined && cells.every(isBlank)) return;
    this.#count += 1;
    const fitting = withoutSurplus(cells, this.#width ?? 1);
    this.#width ??= fitting.length;
    records.push({ number: this.#number, cells: fitting, ...(broken !== undefined && { broken }) });
  }
}

/** Reads the records of a whole text. @param max the most records to read. */
export const parseRecords = (text: string, separator: string, max: number): CsvRecord[] =>
  [...new RecordParser(separator, max).read(text, true)].flat();

const headerWith = (text: string, separator: string): string[] =>
  (parseRecords(text, separator, 1)[0]?.cells ?? []).map(columnName);

/** The separator that the first line names; otherwise the one that yields most of the expected header cells, or among equals most cells. */
export const detectSeparator = (text: string, expected: readonly string[]): string => {
  const [, named] = SEPARATOR_LINE.exec(text) ?? [];
  if (named !== undefined) return named;
  let best: { separator: string; known: number; cells: number } | undefined;
  for (const separator of separators) {
    const header = headerWith(text, separator);
    const known = expected.filter((column) => header.includes(column)).length;
    const isBetter = !best || known > best.known || (known === best.known && header.length > best.cells);
    if (isBetter) best = { separator, known, cells: header.length };
  }
  return best?.separator ?? ',';
};
