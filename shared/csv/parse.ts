import { CsvError, type Options, parse } from 'csv-parse/sync';

/** The separators that are understood; of equally likely ones the first. */
export const separators = [',', ';', '\t'] as const;
export type Separator = (typeof separators)[number];

/** One record of a file, or why it cannot be read. Its number counts records; the first is 1. */
export interface CsvRecord {
  readonly number: number;
  readonly cells: readonly string[];
  readonly broken?: string;
}

const options = (separator: Separator): Options => ({
  delimiter: separator,
  // All three in one file are no mistake of anybody who edits it here and there.
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  skip_empty_lines: true,
});

const isQuoteError = (error: unknown): error is CsvError =>
  error instanceof CsvError &&
  (error.code === 'CSV_QUOTE_NOT_CLOSED' ||
    error.code === 'CSV_INVALID_CLOSING_QUOTE' ||
    error.code === 'INVALID_OPENING_QUOTE');

// Behind a wrong quote reading begins anew at the next line. That takes time, so it has an end somewhere: this many lines
// read in vain, where beginning anew counts as much as a hundred.
const LINES_IN_VAIN_MAX = 1_000_000;
const NEW_BEGINNING_LINES = 100;

const CR = 0x0d;
const LF = 0x0a;

/** Where the next line with any character begins and ends; its break is left out. */
const lineFrom = (bytes: Buffer, from: number): { start: number; end: number } => {
  const isBreak = (at: number) => bytes[at] === LF || bytes[at] === CR;
  let start = from;
  while (start < bytes.length && isBreak(start)) start += 1;
  let end = start;
  while (end < bytes.length && !isBreak(end)) end += 1;
  return { start, end };
};

/** The cells of a line that has a quote where none may be, such as `5" pipe`, with the quote as a part of the text. */
const withLooseQuotes = (line: Buffer, separator: Separator): readonly string[] | undefined => {
  try {
    return parse(line, { ...options(separator), relax_quotes: true })[0];
  } catch (error) {
    if (isQuoteError(error)) return undefined;
    throw error;
  }
};

/**
 * Reads the records of a text; lines without any character are none. A quote in the wrong place would swallow what comes
 * after it: its line alone is taken as it stands or, when it then has not as many cells as the first record, is broken,
 * and reading goes on behind it.
 * @param max how many records are read at most.
 */
export const readRecords = (text: string, separator: Separator, max: number): CsvRecord[] => {
  const records: CsvRecord[] = [];
  const take = (cells: readonly string[], broken?: string): void => {
    records.push({ number: records.length + 1, cells, ...(broken !== undefined && { broken }) });
  };
  const takeLoose = (line: Buffer): void => {
    const cells = withLooseQuotes(line, separator);
    const width = records[0]?.cells.length ?? cells?.length;
    if (cells?.length === width) take(cells ?? []);
    else take([], 'has a quote in the wrong place');
  };
  let rest = Buffer.from(text);
  for (let inVain = 0; rest.length > 0 && records.length < max; ) {
    let readTo = 0;
    try {
      parse(rest, {
        ...options(separator),
        to: max - records.length,
        on_record: (cells: string[], { bytes }) => {
          take(cells);
          readTo = bytes;
          return null;
        },
      });
      break;
    } catch (error) {
      if (!isQuoteError(error)) throw error;
      const { start, end } = lineFrom(rest, readTo);
      inVain += NEW_BEGINNING_LINES + Number(error.lines);
      if (inVain > LINES_IN_VAIN_MAX) {
        take([], 'has a quote in the wrong place, as have many before it; nothing after it is read');
        break;
      }
      takeLoose(rest.subarray(start, end));
      rest = rest.subarray(end);
    }
  }
  return records;
};

/** The cells of the first record, trimmed, as they are with a separator. */
const headerWith = (text: string, separator: Separator): string[] =>
  (readRecords(text, separator, 1)[0]?.cells ?? []).map((cell) => cell.trim());

/** The separator under which the first record has most of the expected cells, or else most cells. */
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
