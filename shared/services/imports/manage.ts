import { LISTED_MAX } from '#contract/batches.ts';
import {
  IMPORT_BYTES_MAX,
  type Import,
  type ImportBody,
  type ImportPreview,
  type ImportSummary,
  type ImportUpload,
} from '#contract/imports.ts';
import { entriesOf } from '#data/batches.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { findImport, importChange, importInsertion, pageOfImports } from '#data/imports.ts';
import { inOutbox } from '#data/outbox.ts';
import { transact } from '#data/write.ts';
import { newMessage } from '#events/catalogue.ts';
import { batchItemView, noOutcomes } from '#model/batch.ts';
import { hasEnded, type ImportRecord, importView, isStartable, newImport } from '#model/import.ts';
import { type Paging, pageMeta, skipOf } from '#model/paging.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { signUpload } from '#platform/object-storage.ts';
import { mappedColumns, readMapping } from '#shared/csv/mapping.ts';
import { detectSeparator, parseRecords } from '#shared/csv/parse.ts';
import { AppError, conflict, invalidField, notFound } from '#shared/errors.ts';
import { type FileHead, hasFile, readHead } from './file.ts';
import { proposeMapping } from './propose-mapping.ts';
import { rowValidator } from './validate.ts';

/** @throws 413 for a file that is too large. */
export const announceImport = async ({ filename, bytes }: ImportBody): Promise<ImportUpload> => {
  if (bytes > IMPORT_BYTES_MAX) {
    const message = `A file may have at most ${IMPORT_BYTES_MAX} bytes. Split it into several files.`;
    throw new AppError('PAYLOAD_TOO_LARGE', { message });
  }
  const id = newId('imp');
  const upload = await signUpload(id, bytes);
  await transact([importInsertion(newImport(id, filename.toWellFormed(), bytes, now()))]);
  return { id, upload: { ...upload, headers: { ...upload.headers } }, state: 'waiting' };
};

/** @throws 404. */
export const getImportRecord = async (id: string): Promise<ImportRecord> => {
  const record = await findImport(id);
  if (!record) throw notFound();
  return record;
};

const summaryOf = async (record: ImportRecord): Promise<ImportSummary> => {
  const at = now();
  // The storage does not report uploads.
  const isUploaded = record.state === 'waiting' && isStartable(record, at) && (await hasFile(record.id));
  return importView(record, at, isUploaded);
};

const viewOf = async (record: ImportRecord): Promise<Import> => {
  const { dry_run } = record;
  const items: Import['dry_run'] = dry_run && { counts: dry_run.counts, items: [] };
  for await (const entry of dry_run ? entriesOf(dry_run.entries_id) : []) items?.items.push(batchItemView(entry));
  items?.items.splice(LISTED_MAX);
  return { ...(await summaryOf(record)), dry_run: items };
};

/** A page of imports, newest first. */
export const listImports = async (
  query: Paging,
): Promise<{ data: ImportSummary[]; meta: ReturnType<typeof pageMeta> }> => {
  const { imports, total } = await pageOfImports(skipOf(query), query.limit);
  return { data: await Promise.all(imports.map(summaryOf)), meta: pageMeta(query, total, imports.length) };
};

/** @throws 404. */
export const readImport = async (id: string): Promise<Import> => await viewOf(await getImportRecord(id));

const headOf = async (importId: string): Promise<FileHead> => {
  const head = await readHead(importId);
  if (!head) throw conflict('INVALID_TRANSITION', 'The file is not uploaded, or deleted already.');
  return head;
};

const headerOf = (cells: readonly string[] | undefined): string[] => (cells ?? []).map((cell) => cell.trim());

/** Reads the beginning of a file. @throws 404, 409 without a file. */
export const previewImport = async (id: string, count: number): Promise<ImportPreview> => {
  const { id: importId, state } = await getImportRecord(id);
  if (hasEnded(state)) throw conflict('INVALID_TRANSITION', 'The import has ended.');
  const { text, encoding, isWhole } = await headOf(importId);
  const separator = detectSeparator(text, []);
  const [first, ...all] = parseRecords(text, separator, count + 2);
  // The last record of the beginning may be incomplete.
  const complete = isWhole || all.length > count ? all : all.slice(0, -1);
  const rows = complete.slice(0, count).map(({ cells }) => [...cells]);
  const header = headerOf(first?.cells);
  return { header, separator, encoding, mapping: proposeMapping(header, rows), rows };
};

/**
 * Starts an import, or a dry run of it.
 * @param given the mapping.
 * @throws 404, 409 unless there is a file that is not started, 400 for a mapping that does not fit the file.
 */
export const startImport = (user: UserRecord, id: string, given: unknown, isDryRun: boolean): Promise<Import> =>
  retryOnConflict(async () => {
    const record = await getImportRecord(id);
    const at = now();
    if (!isStartable(record, at)) throw conflict('INVALID_TRANSITION', 'The import is started already, or has ended.');
    const { text } = await headOf(record.id);
    const read = readMapping(given);
    const mapping = { ...read.mapping, dry_run: read.mapping.dry_run || isDryRun };
    const separator = detectSeparator(text, Object.keys(mapping.columns));
    const header = headerOf(parseRecords(text, separator, 1)[0]?.cells);
    if (header.every((cell) => cell === ''))
      throw invalidField(['file'], 'has no header: its first record must name the columns');
    rowValidator({ mapping, columns: mappedColumns(read, header), header });
    const change: Partial<ImportRecord> = {
      state: 'checking',
      mapping,
      separator,
      rows_total: null,
      rows_done: 0,
      counts: noOutcomes,
      started_at: at,
      finished_at: null,
      error: null,
    };
    await transact([
      importChange(record, change),
      inOutbox(newMessage('importDue', user.id, { import_id: record.id })),
    ]);
    return await viewOf({ ...record, ...change });
  });

/** Cancels an import; the run that imports its rows stops, and ends its batch. @throws 404, 409 for an ended one. */
export const cancelImport = (user: UserRecord, id: string): Promise<Import> =>
  retryOnConflict(async () => {
    const record = await getImportRecord(id);
    const at = now();
    if (hasEnded(importView(record, at, false).state)) throw conflict('INVALID_TRANSITION', 'The import has ended.');
    const change: Partial<ImportRecord> = { state: 'cancelled', finished_at: at };
    await transact([
      importChange(record, change),
      inOutbox(newMessage('importDue', user.id, { import_id: record.id })),
    ]);
    return await viewOf({ ...record, ...change });
  });
