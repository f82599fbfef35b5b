import { CsvError, type Options, parse } from 'csv-parse/sync';

const startsWith = (bytes: Uint8Array, ...first: readonly number[]): boolean =>
  first.every((byte, position) => bytes[position] === byte);

// Spreadsheets save "Unicode text" as UTF-16 with a byte order mark.
const encodingOf = (bytes: Uint8Array): string => {
  if (startsWith(bytes, 0xff, 0xfe)) return 'utf-16le';
  if (startsWith(bytes, 0xfe, 0xff)) return 'utf-16be';
  return 'utf-8';
};

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark, and removes the mark.
 * @returns undefined for any other encoding: a wrong guess would corrupt text silently.
 */
export const decodeText = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
};

/** The supported separators; detection prefers earlier ones. */
export const separators = [',', ';', '\t'] as const;
type Separator = (typeof separators)[number];

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

/**
 * Reads records and skips empty lines. A misplaced quote would swallow the records after it, so its line is read on
 * its own with the quote as text. The record is broken when it then has another number of cells than the first
 * record.
 * @param max the most records to read.
 */
export const parseRecords = (text: string, separator: Separator, max: number): CsvRecord[] => {
  const records: CsvRecord[] = [];
  const add = (cells: readonly string[], broken?: string): void => {
    records.push({ number: records.length + 1, cells, ...(broken !== undefined && { broken }) });
  };
  const addLoose = (line: Buffer): void => {
    const cells = cellsWithLooseQuotes(line, separator);
    const width = records[0]?.cells.length ?? cells?.length;
    if (cells?.length === width) add(cells ?? []);
    else add([], 'has a misplaced quote');
  };
  let rest = Buffer.from(text);
  for (let wastedLines = 0; rest.length > 0 && records.length < max; ) {
    let readTo = 0;
    try {
      parse(rest, {
        ...optionsFor(separator),
        to: max - records.length,
        on_record: (cells: string[], { bytes }) => {
          add(cells);
          readTo = bytes;
          return null;
        },
      });
      break;
    } catch (error) {
      if (!isQuoteError(error)) throw error;
      const { start, end } = nextLine(rest, readTo);
      wastedLines += RESTART_COST + Number(error.lines);
      if (wastedLines > WASTED_LINES_MAX) {
        add([], 'has a misplaced quote, like many before it; nothing after it is read');
        break;
      }
      addLoose(rest.subarray(start, end));
      rest = rest.subarray(end);
    }
  }
  return records;
};

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
