import { CsvError, type Options, parse } from 'csv-parse/sync';

/** The encodings of CSV files that imports read. */
const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof encodings)[number];

const startsWith = (bytes: Uint8Array, ...first: readonly number[]): boolean =>
  first.every((byte, position) => bytes[position] === byte);

/** UTF-16, which spreadsheets save with a byte order mark. */
const utf16Of = (bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  if (startsWith(bytes, 0xff, 0xfe)) return 'utf-16le';
  return startsWith(bytes, 0xfe, 0xff) ? 'utf-16be' : undefined;
};

/** How many bytes are searched for the zeros of UTF-16 without a byte order mark. */
const ZEROS_WITHIN = 1000;
/** Of all characters, how many are Latin ones in a file that has column names. */
const ZEROS_MIN = 0.3;

/** UTF-16 without a byte order mark has a zero in most pairs of bytes, always at the same position. */
const unmarkedUtf16Of = (bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  const length = Math.min(bytes.length, ZEROS_WITHIN);
  const zeros = [0, 0];
  for (let at = 0; at < length; at += 1) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros.map((count) => count / (length / 2));
  if (odd >= ZEROS_MIN && even === 0) return 'utf-16le';
  return even >= ZEROS_MIN && odd === 0 ? 'utf-16be' : undefined;
};

const ASCII_MAX = 0x7f;

const firstBeyondAscii = (bytes: Uint8Array): number => {
  for (let at = 0; at < bytes.length; at += 1) if ((bytes[at] ?? 0) > ASCII_MAX) return at;
  return -1;
};

/** The length of the UTF-8 sequence that a byte begins; 0 when it begins none. */
const sequenceLength = (first: number): number => {
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
};

/** Whether bytes are one valid UTF-8 sequence; undefined when they are the beginning of one. */
const isSequence = (bytes: Uint8Array): boolean | undefined => {
  const length = sequenceLength(bytes[0] ?? 0);
  if (length === 0) return false;
  const following = bytes.subarray(1, length);
  if (following.some((byte) => (byte & 0xc0) !== 0x80)) return false;
  return bytes.length < length ? undefined : true;
};

type Decoder = InstanceType<typeof TextDecoder>;

/**
 * Decodes a file block by block. Its first characters tell UTF-16. Of all other files, the first byte beyond ASCII tells
 * UTF-8 from Windows-1252, in whose texts such bytes hardly ever form UTF-8; from then on, invalid UTF-8 is an error: a wrong
 * guess would corrupt text silently.
 */
export class BlockDecoder {
  #decoder: Decoder | undefined;
  #encoding: Encoding | undefined;
  #isFirst = true;
  /** The end of the last block that may be a part of a character. */
  #held: Uint8Array = new Uint8Array();

  /** UTF-8 as long as all bytes are ASCII. */
  get encoding(): Encoding {
    return this.#encoding ?? 'utf-8';
  }

  /** @throws TypeError for text that is not in the encoding of the text before it. */
  decode(block: Uint8Array, isLast: boolean): string {
    const bytes = this.#held.length === 0 ? block : Buffer.concat([this.#held, block]);
    this.#held = new Uint8Array();
    const utf16 = this.#isFirst ? (utf16Of(bytes) ?? unmarkedUtf16Of(bytes)) : undefined;
    if (utf16) this.#begin(utf16);
    this.#isFirst = false;
    if (this.#decoder) return this.#decoder.decode(bytes, { stream: !isLast });
    const at = firstBeyondAscii(bytes);
    if (at < 0) return Buffer.from(bytes).toString('latin1');
    // The byte order mark of UTF-8 is a valid sequence too.
    const isUtf8 = isSequence(bytes.subarray(at, at + 4));
    if (isUtf8 === undefined && !isLast) {
      this.#held = bytes.subarray(at);
      return Buffer.from(bytes.subarray(0, at)).toString('latin1');
    }
    return this.#begin(isUtf8 ? 'utf-8' : 'windows-1252').decode(bytes, { stream: !isLast });
  }

  /** A decoder removes a byte order mark. */
  #begin(encoding: Encoding): Decoder {
    this.#encoding = encoding;
    this.#decoder = new TextDecoder(encoding, { fatal: true });
    return this.#decoder;
  }
}

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
