import { CsvError, type Options, parse } from 'csv-parse/sync';
import { utf16Of } from './encoding.ts';

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark, and removes the mark.
 * @returns undefined for any other encoding: a wrong guess would corrupt text silently.
 */
export const decodeText = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder(utf16Of(bytes) ?? 'utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
};

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

/**
 * After a misplaced quote the parser restarts at the next line, which bounds the work: a parse that fails costs its
 * lines, and a restart as much as `RESTART_COST` lines.
 */
const WASTED_LINES_MAX = 1_000_000;
const RESTART_COST = 100;

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
 * cells than the first record.
 */
export class RecordParser {
  readonly #separator: Separator;
  readonly #max: number;
  #rest: Buffer = Buffer.alloc(0);
  #count = 0;
  /** Of the first record. */
  #width: number | undefined;
  #wastedLines = 0;
  #hasEnded = false;

  /** @param max the most records to read. */
  constructor(separator: Separator, max = Number.POSITIVE_INFINITY) {
    this.#separator = separator;
    this.#max = max;
  }

  /** Returns the records that are complete with this block. */
  push(text: string, isLast: boolean): CsvRecord[] {
    const records: CsvRecord[] = [];
    if (this.#hasEnded) return records;
    this.#rest = Buffer.concat([this.#rest, Buffer.from(text)]);
    while (this.#rest.length > 0 && this.#count < this.#max) {
      if (!this.#parseLines(records, isLast)) break;
    }
    return records;
  }

  /** Parses complete lines. @returns whether it stopped at a misplaced quote, after which there may be more lines. */
  #parseLines(records: CsvRecord[], isLast: boolean): boolean {
    const lines = isLast ? this.#rest : this.#rest.subarray(0, endOfLines(this.#rest));
    if (lines.length === 0 && this.#rest.length > RECORD_BYTES_MAX) {
      this.#end(records, 'is too long; nothing after it is read');
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
      this.#skipQuote(records, readTo, Number(error.lines));
      return true;
    }
  }

  /** Reads the line at an offset, which has a misplaced quote. */
  #skipQuote(records: CsvRecord[], from: number, lines: number): void {
    const { start, end } = nextLine(this.#rest, from);
    this.#wastedLines += RESTART_COST + lines;
    if (this.#wastedLines > WASTED_LINES_MAX) {
      this.#end(records, 'has a misplaced quote, like many before it; nothing after it is read');
      return;
    }
    const cells = cellsWithLooseQuotes(this.#rest.subarray(start, end), this.#separator);
    if (cells && cells.length === (this.#width ?? cells.length)) this.#add(records, cells);
    else this.#add(records, [], 'has a misplaced quote');
    this.#rest = this.#rest.subarray(end);
  }

  #end(records: CsvRecord[], broken: string): void {
    this.#add(records, [], broken);
    this.#hasEnded = true;
    this.#rest = Buffer.alloc(0);
  }

  #add(records: CsvRecord[], cells: readonly string[], broken?: string): void {
    this.#count += 1;
    this.#width ??= cells.length;
    records.push({ number: this.#count, cells, ...(broken !== undefined && { broken }) });
  }
}

/** Reads the records of a whole text. @param max the most records to read. */
export const parseRecords = (text: string, separator: Separator, max: number): CsvRecord[] =>
  new RecordParser(separator, max).push(text, true);

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
