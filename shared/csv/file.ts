import type { ImportMapping } from '#contract/projects.ts';
import { AppError, invalidField } from '#shared/errors.ts';
import { decodeText } from './decode.ts';
import { type MappedColumn, mappedColumns, type ReadMapping } from './mapping.ts';
import { type CsvRecord, detectSeparator, readRecords } from './parse.ts';

/** How many records one file may have beside its header. */
const RECORDS_MAX = 100_000;

/** A file that fits its mapping. */
export interface OpenedFile {
  readonly mapping: ImportMapping;
  readonly columns: readonly MappedColumn[];
  /** How many cells each record has to have. */
  readonly width: number;
  /** All but the header. */
  readonly records: readonly CsvRecord[];
}

const refused = (message: string) => invalidField(['file'], message);

const tooLong = () =>
  new AppError('PAYLOAD_TOO_LARGE', {
    message: `A file may have at most ${RECORDS_MAX} records beside its header. Send it in parts.`,
  });

/**
 * Opens a file: finds its encoding, its separator and its header, and the mapped columns in it.
 * @throws 400 under `details.file` or `details.mapping`, 413 when it has too many records.
 */
export const openFile = (bytes: Uint8Array, read: ReadMapping): OpenedFile => {
  const text = decodeText(bytes);
  if (text === undefined) throw refused('is not valid UTF-8; save it as "CSV UTF-8"');
  if (text.trim() === '') throw refused('is empty');
  const separator = detectSeparator(text, Object.keys(read.mapping.columns));
  const [first, ...records] = readRecords(text, separator, RECORDS_MAX + 2);
  const header = (first?.cells ?? []).map((cell) => cell.trim());
  if (header.every((cell) => cell === '')) throw refused('has no header: its first record must name the columns');
  const columns = mappedColumns(read, header);
  if (records.length > RECORDS_MAX) throw tooLong();
  return { mapping: read.mapping, columns, width: header.length, records };
};
