import type { BatchItem } from '#contract/batches.ts';
import {
  IMPORT_BYTES_MAX,
  type Import,
  type ImportBody,
  type ImportSummary,
  type ImportUpload,
  WAITING_IMPORTS_MAX,
} from '#contract/imports.ts';
import { entriesOf } from '#data/batches.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { currentFields } from '#data/custom-fields.ts';
import { inOutbox } from '#data/event-log.ts';
import { findImport, importChange, importInsertion, pageOfImports } from '#data/imports.ts';
import { type Paging, pageMeta, skipOf } from '#data/paging.ts';
import { transact } from '#data/write.ts';
import { newMessage } from '#events/catalogue.ts';
import type { Caller } from '#model/api-key.ts';
import { batchItemView, listedItems, noOutcomes } from '#model/batch.ts';
import { hasEnded, type ImportRecord, importView, isStartable, newImport } from '#model/import.ts';
import { now } from '#platform/clock.ts';
import { type FilePart, signUpload } from '#platform/s3.ts';
import { createOnce } from '#services/create-once.ts';
import { staffReader } from '#services/projects/read.ts';
import { ignoredColumns, mappedColumns, mustFillRequired, readMapping } from '#shared/csv/mapping.ts';
import { detectSeparator } from '#shared/csv/parse.ts';
import { AppError, conflict, notFound } from '#shared/errors.ts';
import { firstPart, hasFile, headerOf, headOf, readRecords } from './file.ts';
import { mustFitFields, mustImportContent, rowValidator } from './validate.ts';

const PAGE = 100;

/** How many imports wait for their file or their start. */
const countWaiting = async (at: string): Promise<number> => {
  let waiting = 0;
  for (let skip = 0; ; skip += PAGE) {
    const { imports, total } = await pageOfImports(skip, PAGE);
    waiting += imports.filter((record) => isStartable(record, at)).length;
    const oldest = imports.at(-1);
    // Those before it were announced too long ago.
    if (!oldest || skip + PAGE >= total || !isStartable({ ...oldest, state: 'waiting' }, at)) return waiting;
  }
};

/**
 * @param seed as in `createOnce`.
 * @throws 413 for a file that is too large, 409 while as many imports wait as are allowed.
 */
export const announceImport = async ({ filename, bytes }: ImportBody, seed?: string): Promise<ImportUpload> => {
  if (bytes > IMPORT_BYTES_MAX) {
    const message = `A file may have at most ${IMPORT_BYTES_MAX} bytes. Split it into several files.`;
    throw new AppError('PAYLOAD_TOO_LARGE', { message });
  }
  const uploadOf = async (id: string): Promise<ImportUpload> => {
    const upload = await signUpload(id, bytes);
    return { id, upload: { ...upload, headers: { ...upload.headers } }, state: 'waiting' };
  };
  return await createOnce('imp', seed, {
    find: async (id) => ((await findImport(id)) ? await uploadOf(id) : undefined),
    create: async (id) => {
      const at = now();
      if ((await countWaiting(at)) >= WAITING_IMPORTS_MAX) {
        throw conflict(
          'INVALID_TRANSITION',
          `${WAITING_IMPORTS_MAX} imports wait for their start. Start or cancel one first.`,
        );
      }
      const announced = await uploadOf(id);
      await transact([importInsertion(newImport(id, filename.toWellFormed(), bytes, at))]);
      return announced;
    },
  });
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

const viewOf = async (record: ImportRecord, staff: Caller): Promise<Import> => {
  const definitions = await currentFields();
  const { dry_run } = record;
  const items: BatchItem[] = [];
  for await (const entry of dry_run ? entriesOf(dry_run.entries_id) : []) {
    items.push(batchItemView(entry, definitions, staffReader(staff)));
  }
  return {
    ...(await summaryOf(record)),
    dry_run: dry_run && {
      counts: dry_run.counts,
      problems: [...(dry_run.problems ?? [])],
      items: listedItems(items),
    },
    ignored: record.mapping ? ignoredColumns(record.mapping) : [],
  };
};

/** A page of imports, newest first. */
export const listImports = async (
  query: Paging,
): Promise<{ data: ImportSummary[]; meta: ReturnType<typeof pageMeta> }> => {
  const { imports, total } = await pageOfImports(skipOf(query), query.limit);
  return { data: await Promise.all(imports.map(summaryOf)), meta: pageMeta(query, total, imports.length) };
};

/** @throws 404. */
export const readImport = async (staff: Caller, id: string): Promise<Import> =>
  await viewOf(await getImportRecord(id), staff);

/** The first part of the file of an import. @throws 409 without a file. */
export const uploadedPart = async (importId: string): Promise<FilePart> => {
  const part = await firstPart(importId);
  if (!part) throw conflict('INVALID_TRANSITION', 'The file is not uploaded, or deleted already.');
  return part;
};

/**
 * Starts an import, or a dry run of it.
 * @param given the mapping.
 * @throws 404, 409 unless there is a file that is not started, 400 for a mapping that does not fit the file, 403 when an API
 * key imports more than content.
 */
export const startImport = (user: Caller, id: string, given: unknown, isDryRun: boolean): Promise<Import> =>
  retryOnConflict(async () => {
    const record = await getImportRecord(id);
    const at = now();
    if (!isStartable(record, at)) throw conflict('INVALID_TRANSITION', 'The import is started already, or has ended.');
    const part = await uploadedPart(record.id);
    const read = readMapping(given);
    mustImportContent(read.mapping, user);
    const mapping = { ...read.mapping, dry_run: read.mapping.dry_run || isDryRun };
    const head = headOf(part, mapping.encoding);
    const separator = detectSeparator(head.text, Object.keys(mapping.columns));
    // A wrong encoding is reported here, while the file can still be started with another one.
    const [first] = await readRecords(head.bytes, { separator, encoding: mapping.encoding });
    const header = headerOf(first);
    const fields = await currentFields();
    const columns = mappedColumns(read, header);
    mustFitFields({ ...read, header }, fields);
    rowValidator({ mapping, columns, header, fields });
    mustFillRequired(mapping);
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
      run: null,
      seen_at: null,
    };
    await transact([
      importChange(record, change),
      inOutbox(newMessage('importDue', user.id, { import_id: record.id })),
    ]);
    return await viewOf({ ...record, ...change }, user);
  });

/**
 * Cancels an import. The run that imports its rows stops, ends its batch and then the import.
 * @throws 404, 409 for an ended one.
 */
export const cancelImport = (user: Caller, id: string): Promise<Import> =>
  retryOnConflict(async () => {
    const record = await getImportRecord(id);
    const at = now();
    if (hasEnded(importView(record, at, false).state)) throw conflict('INVALID_TRANSITION', 'The import has ended.');
    if (record.cancel_requested_at !== null) return await viewOf(record, user);
    const ending: Partial<ImportRecord> = isStartable(record, at) ? { state: 'cancelled', finished_at: at } : {};
    const change: Partial<ImportRecord> = { ...ending, cancel_requested_at: at };
    await transact([
      importChange(record, change),
      inOutbox(newMessage('importDue', user.id, { import_id: record.id })),
    ]);
    return await viewOf({ ...record, ...change }, user);
  });
