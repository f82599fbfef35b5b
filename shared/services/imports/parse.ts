import type { ImportMapping } from '#contract/projects.ts';
import { type MappedColumn, mappedColumns, parseMapping } from '#shared/csv/mapping.ts';
import { type CsvRecord, decodeText, detectSeparator, parseRecords } from '#shared/csv/parse.ts';
import { AppError, invalidField, invalidFields } from '#shared/errors.ts';

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
  /** The names of all columns; each record must have as many cells. */
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
export const parseUpload = (upload: ImportUpload): ParsedUpload => {
  if (upload.file === undefined || upload.mapping === undefined) throw missingParts(upload);
  const isDryField = upload.dry_run !== undefined && parseFlag(upload.dry_run);
  const read = parseMapping(asText(upload.mapping));
  const isDryRun = read.mapping.dry_run || isDryField || upload.isDryRun === true;
  const text = decodeText(asBytes(upload.file));
  if (text === undefined) throw invalidFile('is not valid UTF-8; save it as "CSV UTF-8"');
  if (text.trim() === '') throw invalidFile('is empty');
  const separator = detectSeparator(text, Object.keys(read.mapping.columns));
  // One more than allowed, beside the header, to detect that there are too many.
  const [first, ...records] = parseRecords(text, separator, RECORDS_MAX + 2);
  const header = (first?.cells ?? []).map((cell) => cell.trim());
  if (header.every((cell) => cell === '')) throw invalidFile('has no header: its first record must name the columns');
  const columns = mappedColumns(read, header);
  if (records.length > RECORDS_MAX) throw tooManyRecords();
  return { mapping: { ...read.mapping, dry_run: isDryRun }, columns, header, records };
};
