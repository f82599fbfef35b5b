import { CsvError, type Options, parse } from 'csv-parse/sync';

/** The supported separators; detection prefers earlier ones. */
export const separators = [',', ';', '\t'] as const;
export type Separator = (typeof separators)[number];

export interface CsvRecord {
  /** The position among the records of the file, from 1. */
  readonly number: number;
  readonly cells: readonly string[];
  /** Why the record could not be read, to follow "The row …". */
  readonly broken?: string;
}

const optionsFor = (separator: Separator): Options => ({
  delimiter: separator,
  // One file may mix all three after it was edited on several systems.
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  skip_empty_lines: true,
});

const isQuoteError = (error: unknown): error is CsvError =>
  error instanceof CsvError &&
  (error.code === 'CSV_QUOTE_NOT_CLOSED' ||
    error.code === 'CSV_INVALID_CLOSING_QUOTE' ||
    error.code === 'INVALID_OPENING_QUOTE');

/** Misplaced quotes after which `read` lets its caller give way: some milliseconds of work. */
const RESTARTS_PER_TURN = 100;

const CR = 0x0d;
const LF = 0x0a;

/** Finds the next non-empty line; `end` excludes its line break. */
const nextLine = (bytes: Buffer, from: number): { start: number; end: number } => {
  const isBreak = (at: number) => bytes[at] === LF || bytes[at] === CR;
  let start = from;
  while (start < bytes.length && isBreak(start)) start += 1;
  let end = start;
  while (end < bytes.length && !isBreak(end)) end += 1;
  return { start, end };
};

/** Reads a line with a quote inside an unquoted cell, such as `5" pipe`; the quote becomes part of the text. */
const cellsWithLooseQuotes = (line: Buffer, separator: Separator): readonly string[] | undefined => {
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

/**
 * Reads the records of a text that is given in blocks, and skips empty lines. A misplaced quote would swallow the records
 * after it, so its line is read on its own with the quote as text. The record is broken when it then has another number of
 * cells than the first record. The work is linear: a parse that fails ends at the next line with an odd number of quotes, and
 * the lines before that one have no quote that stays open.
 */
export class RecordParser {
  readonly #separator: Separator;
  readonly #max: number;
  #rest: Buffer = Buffer.alloc(0);
  #count = 0;
  /** Of the first record. */
  #width: number | undefined;
  #stopped: string | undefined;

  /** @param max the most records to read. */
  constructor(separator: Separator, max = Number.POSITIVE_INFINITY) {
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
    this.#rest = Buffer.concat([this.#rest, Buffer.from(text)]);
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
      this.#stopped = `Row ${this.#count + 1} has more than ${RECORD_BYTES_MAX} bytes; nothing after it can be read.`;
      return false;
    }
    let readTo = 0;
    try {
      parse(lines, {
        ...optionsFor(this.#separator),
        ...(this.#max !== Number.POSITIVE_INFINITY && { to: this.#max - this.#count }),
        on_record: (cells: string[], { bytes }) => {
          this.#add(records, cells);
          readTo = bytes;
          return null;
        },
      });
      this.#rest = this.#rest.subarray(lines.length);
      return false;
    } catch (error) {
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
    if (cells && cells.length === (this.#width ?? cells.length)) this.#add(records, cells);
    else this.#add(records, [], 'has a misplaced quote');
    this.#rest = this.#rest.subarray(end);
  }

  #add(records: CsvRecord[], cells: readonly string[], broken?: string): void {
    this.#count += 1;
    this.#width ??= cells.length;
    records.push({ number: this.#count, cells, ...(broken !== undefined && { broken }) });
  }
}

/** Reads the records of a whole text. @param max the most records to read. */
export const parseRecords = (text: string, separator: Separator, max: number): CsvRecord[] =>
  [...new RecordParser(separator, max).read(text, true)].flat();

const headerWith = (text: string, separator: Separator): string[] =>
  (parseRecords(text, separator, 1)[0]?.cells ?? []).map((cell) => cell.trim());

/** Picks the separator that yields most of the expected header cells, or among equals most cells. */
export const detectSeparator = (text: string, expected: readonly string[]): Separator => {
  let best: { separator: Separator; known: number; cells: number } | undefined;
  for (const separator of separators) {
    const header = headerWith(text, separator);
    const known = expected.filter((column) => header.includes(column)).length;
    const isBetter = !best || known > best.known || (known === best.known && header.length > best.cells);
    if (isBetter) best = { separator, known, cells: header.length };
  }
  return best?.separator ?? ',';
};
