import { setImmediate as nextTurn } from 'node:timers/promises';
import { IMPORT_COLUMNS_MAX } from '#contract/imports.ts';
import type { ImportMapping } from '#contract/projects.ts';
import { readFilePart } from '#platform/s3.ts';
import { type MappedColumn, mappedColumns, parseMapping } from '#shared/csv/mapping.ts';
import {
  BlockDecoder,
  type CsvRecord,
  decodeText,
  detectSeparator,
  type Encoding,
  parseRecords,
  RecordParser,
  type Separator,
} from '#shared/csv/parse.ts';
import { AppError, invalidField, invalidFields } from '#shared/errors.ts';

/** The uploaded file of an import: read in blocks, so that memory does not grow with its size. */

/** How much is read at once, in bytes; also what is looked at before the start. */
const BLOCK_BYTES = 1024 * 1024;

/** The file cannot be imported; the message says why. */
export class InvalidFile extends Error {
  override readonly name = 'InvalidFile';
}

export const hasFile = async (importId: string): Promise<boolean> => (await readFilePart(importId, 0, 1)) !== undefined;

/** The beginning of a file. */
export interface FileHead {
  readonly text: string;
  /** As far as the beginning tells it. */
  readonly encoding: Encoding;
  readonly isWhole: boolean;
}

/** @returns undefined when there is no file. */
export const readHead = async (importId: string): Promise<FileHead | undefined> => {
  const part = await readFilePart(importId, 0, BLOCK_BYTES);
  if (!part) return undefined;
  const decoder = new BlockDecoder();
  const isWhole = part.bytes.length === part.size;
  try {
    return { text: decoder.decode(part.bytes, isWhole), encoding: decoder.encoding, isWhole };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The import will fail with a message; until then, what can be read is shown.
    return { text: new TextDecoder().decode(part.bytes), encoding: decoder.encoding, isWhole };
  }
};

/**
 * Reads all records of a file, with the header as the first one, some at a time.
 * @throws {InvalidFile} when the file is gone, not in one encoding, or cannot be read to its end.
 */
export async function* recordsOf(importId: string, separator: Separator): AsyncGenerator<readonly CsvRecord[]> {
  const decoder = new BlockDecoder();
  const parser = new RecordParser(separator);
  let read = 0;
  let lastRecord = 0;
  for (let isLast = false; !isLast; ) {
    const part = await readFilePart(importId, read, BLOCK_BYTES);
    if (!part) throw new InvalidFile('The file does not exist any more.');
    read += part.bytes.length;
    isLast = read >= part.size;
    let text: string;
    try {
      text = decoder.decode(part.bytes, isLast);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new InvalidFile(
        `The file is not valid ${decoder.encoding.toUpperCase()} after row ${lastRecord}; save it as "CSV UTF-8".`,
      );
    }
    for (const records of parser.read(text, isLast)) {
      lastRecord = records.at(-1)?.number ?? lastRecord;
      if (records.length > 0) yield records;
      await nextTurn();
    }
    if (parser.stopped !== undefined) throw new InvalidFile(parser.stopped);
  }
}

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
  /** The names of all columns; each record must have as many cells. */
  readonly header: readonly string[];
  /** Without the header. */
  readonly records: readonly CsvRecord[];
}

const RECORDS_MAX = 100_000;
/** How much text is parsed before other work gets its turn. */
const BLOCK_CHARACTERS = 256 * 1024;

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

/** The names of the columns. @throws 400 under `details.file` when there are none or too many. */
export const headerOf = (first: CsvRecord | undefined): string[] => {
  const header = (first?.cells ?? []).map((cell) => cell.trim());
  if (header.every((cell) => cell === '')) throw invalidFile('has no header: its first record must name the columns');
  if (header.length > IMPORT_COLUMNS_MAX) {
    throw invalidFile(`has ${header.length} columns; it may have at most ${IMPORT_COLUMNS_MAX}`);
  }
  return header;
};

/** Reads the records like `parseRecords`, while other work gets its turns. @throws 400 under `details.file`. */
const readRecords = async (text: string, separator: Separator, max: number): Promise<CsvRecord[]> => {
  const parser = new RecordParser(separator, max);
  const all: CsvRecord[] = [];
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = Math.min(start + BLOCK_CHARACTERS, text.length);
    // Between characters, not within one.
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? '') && end < text.length) end += 1;
    for (const records of parser.read(text.slice(start, end), end === text.length)) {
      for (const record of records) all.push(record);
      await nextTurn();
    }
    if (parser.stopped !== undefined) throw invalidFile(`cannot be read. ${parser.stopped}`);
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
 * Parses the mapping and the file, whose encoding and separator are detected. Each of
 * the three places of `dry_run` makes a dry run.
 * @throws 400 under `details.file`, `details.mapping` or `details.dry_run`, 413 for too many records.
 */
export const parseUpload = async (upload: ImportUpload): Promise<ParsedUpload> => {
  if (upload.file === undefined || upload.mapping === undefined) throw missingParts(upload);
  const isDryField = upload.dry_run !== undefined && parseFlag(upload.dry_run);
  const read = parseMapping(asText(upload.mapping));
  const isDryRun = read.mapping.dry_run || isDryField || upload.isDryRun === true;
  const text = decodeText(asBytes(upload.file));
  if (text === undefined) throw invalidFile('is not valid UTF-8; save it as "CSV UTF-8"');
  if (text.trim() === '') throw invalidFile('is empty');
  const separator = detectSeparator(text.slice(0, BLOCK_BYTES), Object.keys(read.mapping.columns));
  // One more than allowed, beside the header, to detect that there are too many.
  const header = headerOf(parseRecords(text.slice(0, BLOCK_BYTES), separator, 1)[0]);
  const columns = mappedColumns(read, header);
  const [, ...records] = await readRecords(text, separator, RECORDS_MAX + 2);
  if (records.length > RECORDS_MAX) throw tooManyRecords();
  return { ...read, mapping: { ...read.mapping, dry_run: isDryRun }, columns, header, records };
};
