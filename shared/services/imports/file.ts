import { setImmediate as nextTurn } from 'node:timers/promises';
import { COLUMN_NAME_MAX, IMPORT_COLUMNS_MAX } from '#contract/imports.ts';
import type { ImportMapping } from '#contract/projects.ts';
import { type FilePart, readFilePart } from '#platform/s3.ts';
import {
  completeLines,
  decodedLines,
  decodedLoosely,
  encodingOf,
  lineBytes,
  MISFIT,
  withoutMark,
} from '#shared/csv/encoding.ts';
import { columnName, type MappedColumn, mappedColumns, parseMapping } from '#shared/csv/mapping.ts';
import { type CsvRecord, detectSeparator, RecordParser } from '#shared/csv/parse.ts';
import { AppError, invalidField, invalidFields } from '#shared/errors.ts';

/** The file of an import: read in blocks, so that memory does not grow with the size of an uploaded one. */

/** How much is read at once, in bytes; also what is looked at before the start. */
const BLOCK_BYTES = 1024 * 1024;
/** How much text is parsed before other work gets its turn: some milliseconds, a fifth of a second with misplaced quotes. */
const TURN_CHARACTERS = 64 * 1024;

/** The file cannot be imported; the message says why. */
export class InvalidFile extends Error {
  override readonly name = 'InvalidFile';
}

/** Reads a part of a file from an offset. @returns undefined when there is no file. */
type ReadPart = (from: number, length: number) => Promise<FilePart | undefined>;

/** The uploaded file of a large import. */
export const uploadedFile =
  (importId: string): ReadPart =>
  (from, length) =>
    readFilePart(importId, from, length);

/** The first part of the uploaded file of a large import; undefined when there is no file. */
export const firstPart = (importId: string): Promise<FilePart | undefined> => readFilePart(importId, 0, BLOCK_BYTES);

/** The beginning of a file, up to a line break unless it is the whole file. */
interface FileHead {
  readonly bytes: Uint8Array;
  /** Also where bytes do not fit the encoding. */
  readonly text: string;
  readonly encoding: string;
  readonly isWhole: boolean;
}

/** @param name of the encoding, as in a mapping. @throws 400 under `details.file` when the header does not end within it. */
export const headOf = ({ bytes: first, size }: FilePart, name: string | undefined): FileHead => {
  const encoding = encodingOf(first, name);
  const isWhole = first.length === size;
  const bytes = isWhole ? first : first.subarray(0, completeLines(first, encoding));
  if (bytes.length === 0 && !isWhole) throw invalidFile(`has no line break within its first ${first.length} bytes`);
  return { bytes, text: withoutMark(decodedLoosely(bytes, encoding)), encoding, isWhole };
};

const slicesOf = (text: string): string[] => {
  const slices: string[] = [];
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = Math.min(start + TURN_CHARACTERS, text.length);
    // Between characters, not within one.
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? '') && end < text.length) end += 1;
    slices.push(text.slice(start, end));
  }
  return slices;
};

/** How a file is read. */
interface FileFormat {
  readonly separator: string;
  /** The name of the encoding in the mapping. */
  readonly encoding?: string | undefined;
  /** The most records to read. */
  readonly max?: number;
}

/** A part of a file that ends with a line. */
interface Block {
  readonly text: string;
  readonly encoding: string;
  readonly isLast: boolean;
}

/** @param row the one that is being read, for messages. @throws {InvalidFile} when the file is gone, or has a line that is too long. */
async function* blocksOf(read: ReadPart, name: string | undefined, row: () => number): AsyncGenerator<Block> {
  let encoding: string | undefined;
  for (let from = 0, isLast = false; !isLast; ) {
    const length = lineBytes(BLOCK_BYTES, encoding);
    const part = await read(from, length);
    if (!part) throw new InvalidFile('The file does not exist any more.');
    encoding ??= encodingOf(part.bytes, name);
    isLast = from + part.bytes.length >= part.size;
    // An incomplete line is read again with the rest of it.
    const end = isLast ? part.bytes.length : completeLines(part.bytes, encoding);
    if (end === 0 && length < lineBytes(BLOCK_BYTES, encoding)) continue;
    if (end === 0 && !isLast) {
      throw new InvalidFile(`Row ${row()} has a line of more than ${length} bytes; nothing after it can be read.`);
    }
    const text = decodedLines(part.bytes.subarray(0, end), encoding);
    yield { text: from === 0 ? withoutMark(text) : text, encoding, isLast };
    from += end;
  }
}

/** Parses the text of a block a slice at a time. @param isLast whether no record stays open at its end. */
function* parsedBlock(text: string, parser: RecordParser, isLast: boolean): Generator<readonly CsvRecord[]> {
  const slices = slicesOf(text);
  for (const [position, slice] of slices.entries()) {
    yield* parser.read(slice, isLast && position === slices.length - 1);
  }
}

/** The row with the misfit of a block. @param row the one that was being read. */
const misfitIn = (text: string, parser: RecordParser, row: number): number => {
  let broken: number | undefined;
  let last = row;
  // Without the text behind the block no record stays open.
  for (const records of parsedBlock(text, parser, true)) {
    const misfit = records.find(({ cells }) => cells.some((cell) => cell.includes(MISFIT)));
    if (misfit) return misfit.number;
    // Of a record with a misplaced quote the cells are not known.
    broken ??= records.find((record) => record.broken !== undefined)?.number;
    last = records.at(-1)?.number ?? last;
  }
  return broken ?? last;
};

/**
 * Reads the records of a file, with the header as the first one, some at a time, while other work gets its turns.
 * @throws {InvalidFile} when the file is gone, or cannot be read to its end; names the row that is not in the encoding.
 */
export async function* recordsOf(
  read: ReadPart,
  { separator, encoding: name, max }: FileFormat,
): AsyncGenerator<readonly CsvRecord[]> {
  const parser = new RecordParser(separator, max);
  let row = 1;
  for await (const { text, encoding, isLast } of blocksOf(read, name, () => row)) {
    if (text.includes(MISFIT)) {
      throw new InvalidFile(
        `Row ${misfitIn(text, parser, row)} is not in the encoding ${encoding}. Name the encoding of the file in the mapping, or save it as "CSV UTF-8".`,
      );
    }
    for (const records of parsedBlock(text, parser, isLast)) {
      row = (records.at(-1)?.number ?? row - 1) + 1;
      if (records.length > 0) yield records;
      await nextTurn();
    }
    if (parser.stopped !== undefined) throw new InvalidFile(parser.stopped);
  }
}

export const hasFile = async (importId: string): Promise<boolean> => (await readFilePart(importId, 0, 1)) !== undefined;

type Part = string | Uint8Array;

/** The parts of a multipart upload; undefined where one is missing. */
export interface ImportUpload {
  readonly file: Part | undefined;
  readonly mapping: Part | undefined;
  readonly dry_run?: Part | undefined;
  readonly filename?: string | undefined;
  /** Whether the request asks for a dry run beside its form. */
  readonly isDryRun?: boolean | undefined;
}

export interface ParsedUpload {
  readonly mapping: ImportMapping;
  readonly columns: readonly MappedColumn[];
  /** The path of the columns in the request, for error details. */
  readonly columnsPath: readonly string[];
  /** The names of all columns, as `columnName` gives them. */
  readonly header: readonly string[];
  /** Without the header. */
  readonly records: readonly CsvRecord[];
}

const RECORDS_MAX = 100_000;

const asText = (part: Part): string => (typeof part === 'string' ? part : new TextDecoder().decode(part));

const asBytes = (part: Part): Uint8Array => (typeof part === 'string' ? new TextEncoder().encode(part) : part);

const missingParts = ({ file, mapping }: ImportUpload): AppError => {
  const missing = Object.entries({ file, mapping }).filter(([, part]) => part === undefined);
  return invalidFields(missing.map(([name]) => ({ path: [name], message: 'is required' })));
};

const invalidFile = (message: string): AppError => invalidField(['file'], message);

const tooManyRecords = (): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', {
    message: `A file may have at most ${RECORDS_MAX} records after its header. Split it into several files.`,
  });

/** The names of the columns. @throws 400 under `details.file` when there are none, too many or long ones. */
export const headerOf = (first: CsvRecord | undefined): string[] => {
  const header = (first?.cells ?? []).map(columnName);
  if (header.every((name) => name === '')) throw invalidFile('has no header: its first record must name the columns');
  if (header.length > IMPORT_COLUMNS_MAX) {
    throw invalidFile(`has ${header.length} columns; it may have at most ${IMPORT_COLUMNS_MAX}`);
  }
  const long = header.findIndex((name) => name.length > COLUMN_NAME_MAX);
  if (long >= 0) {
    throw invalidFile(`has a name of more than ${COLUMN_NAME_MAX} characters in its header, of column ${long + 1}`);
  }
  return header;
};

/** Reads the records of bytes in memory. @throws 400 under `details.file` when they cannot be read to their end. */
export const readRecords = async (bytes: Uint8Array, format: FileFormat): Promise<CsvRecord[]> => {
  const read: ReadPart = async (from, length) => ({ bytes: bytes.subarray(from, from + length), size: bytes.length });
  const all: CsvRecord[] = [];
  try {
    for await (const records of recordsOf(read, format)) {
      for (const record of records) all.push(record);
      if (all.length === format.max) break;
    }
  } catch (error) {
    if (error instanceof InvalidFile) throw invalidFile(`cannot be read. ${error.message}`);
    throw error;
  }
  return all;
};

/** @throws 400 under `details.dry_run` for another value than `true` or `false`. */
const parseFlag = (part: Part): boolean => {
  const value = asText(part).trim();
  if (value !== 'true' && value !== 'false') throw invalidField(['dry_run'], 'must be true or false');
  return value === 'true';
};

/**
 * Parses the mapping and the file, whose separator is detected. Each of the three places of `dry_run` makes a dry run.
 * @throws 400 under `details.file`, `details.mapping` or `details.dry_run`, 413 for too many records.
 */
export const parseUpload = async (upload: ImportUpload): Promise<ParsedUpload> => {
  if (upload.file === undefined || upload.mapping === undefined) throw missingParts(upload);
  const isDryField = upload.dry_run !== undefined && parseFlag(upload.dry_run);
  const parsed = parseMapping(asText(upload.mapping));
  const isDryRun = parsed.mapping.dry_run || isDryField || upload.isDryRun === true;
  const bytes = asBytes(upload.file);
  const { encoding } = parsed.mapping;
  const { text } = headOf({ bytes: bytes.subarray(0, BLOCK_BYTES), size: bytes.length }, encoding);
  if (text.trim() === '') throw invalidFile('is empty');
  const separator = detectSeparator(text, Object.keys(parsed.mapping.columns));
  // One more than allowed, beside the header, to detect that there are too many.
  const [first, ...records] = await readRecords(bytes, { separator, encoding, max: RECORDS_MAX + 2 });
  if (records.length > RECORDS_MAX) throw tooManyRecords();
  const header = headerOf(first);
  const columns = mappedColumns(parsed, header);
  return { ...parsed, mapping: { ...parsed.mapping, dry_run: isDryRun }, columns, header, records };
};
