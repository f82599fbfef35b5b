import type { ImportPreview } from '#contract/imports.ts';
import type { ImportMapping } from '#contract/projects.ts';
import { currentFields } from '#data/custom-fields.ts';
import type { Caller } from '#model/api-key.ts';
import { mayRead } from '#model/field.ts';
import { hasEnded } from '#model/import.ts';
import { firstFitting } from '#model/response-size.ts';
import { staffReader } from '#services/projects/read.ts';
import { ignoredColumns } from '#shared/csv/mapping.ts';
import { detectSeparator, parseRecords } from '#shared/csv/parse.ts';
import { hasMarkup, plainText } from '#shared/csv/plain-text.ts';
import { proposedEncoding } from '#shared/csv/propose-encoding.ts';
import { proposeMapping } from '#shared/csv/propose-mapping.ts';
import { conflict } from '#shared/errors.ts';
import { headerOf, headOf } from './file.ts';
import { getImportRecord, uploadedPart } from './manage.ts';

/** Of the rows of a preview, in bytes of the response, which names the columns three times. */
const ROWS_BYTES_MAX = 3_000_000;

/**
 * Reads the beginning of a file. The mapping proposes the fields that the caller may read, and the encoding and kind of text
 * unless they are given.
 * Bytes that do not fit the encoding are shown as U+FFFD. @throws 404, 409 without a file, 400 for a file without a usable header.
 */
export const previewImport = async (
  staff: Caller,
  id: string,
  given: {
    readonly rows: number;
    readonly encoding?: string | undefined;
    readonly text?: ImportMapping['text'] | undefined;
  },
): Promise<ImportPreview> => {
  const { id: importId, state } = await getImportRecord(id);
  if (hasEnded(state)) throw conflict('INVALID_TRANSITION', 'The import has ended.');
  const part = await uploadedPart(importId);
  const named = given.encoding ?? proposedEncoding(part.bytes, part.bytes.length === part.size);
  const { text, encoding, isWhole } = headOf(part, named);
  const separator = detectSeparator(text, []);
  const header = headerOf(parseRecords(text, separator, 1)[0]);
  const [, ...all] = parseRecords(text, separator, given.rows + 2);
  // The last record of the beginning may be incomplete.
  const complete = isWhole || all.length > given.rows ? all : all.slice(0, -1);
  const first = complete
    .slice(0, given.rows)
    .map(({ cells }) => [...header.map((_, at) => cells[at] ?? ''), ...cells.slice(header.length)]);
  const kind = given.text ?? (first.some((cells) => cells.some(hasMarkup)) ? 'html' : 'plain');
  const rows = kind === 'html' ? first.map((cells) => cells.map(plainText)) : first;
  const readable = (await currentFields()).all.filter((field) => mayRead(staffReader(staff), field));
  const mapping = { ...proposeMapping(header, rows, readable), encoding, text: kind };
  const listed = firstFitting(rows, ROWS_BYTES_MAX);
  return { header, separator, encoding, mapping, ignored: ignoredColumns(mapping), rows: listed };
};
