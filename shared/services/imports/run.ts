import { setTimeout as wait } from 'node:timers/promises';
import type { BatchCounts } from '#contract/batches.ts';
import { IMPORT_ROWS_MAX } from '#contract/imports.ts';
import type { ImportMapping } from '#contract/projects.ts';
import { batchEnding, batchInsertion, countEntries, putEntries } from '#data/batches.ts';
import { allCategories } from '#data/categories.ts';
import { currentFields } from '#data/custom-fields.ts';
import { inOutbox } from '#data/event-log.ts';
import { changeImport, claimImport, findImport, importChange } from '#data/imports.ts';
import { tryTransact, type Write } from '#data/write.ts';
import { newMessage } from '#events/catalogue.ts';
import { noOutcomes, rowPosition, withShortValues } from '#model/batch.ts';
import { hasEnded, type ImportRecord } from '#model/import.ts';
import { isRecent, now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { deleteFile } from '#platform/s3.ts';
import { type MappedColumn, mappedColumns } from '#shared/csv/mapping.ts';
import type { CsvRecord } from '#shared/csv/parse.ts';
import { AppError, isRefusal } from '#shared/errors.ts';
import { ImportBatch, newImportBatch, ReportBuilder } from './batch.ts';
import { headerOf, InvalidFile, recordsOf, uploadedFile } from './file.ts';
import { ChunkSize, chunksOf, importRows, openState, propagateCategoryChanges } from './import-rows.ts';
import type { ImportState } from './plan.ts';
import { rowValidator, textReader } from './validate.ts';

// The rows of a large import are imported by runs, each as long as a function may take. Every row gets an entry in the
// transaction that writes its project, and a row with an entry is not imported again; the number of rows that are done only
// tells where to continue. So a run may end at any point, and another one may begin while it still works: the later one
// becomes the run of the import, and the earlier one stops at its next chunk.

interface RunLimits {
  /** How long a run works, in milliseconds; it may take 300 seconds. */
  readonly budgetMs: number;
  readonly rowsPerChunkMax: number;
}

const LIMITS: RunLimits = { budgetMs: 270_000, rowsPerChunkMax: 250 };

/** Rows after those that are done, of which an earlier run may have imported some: more than a chunk. */
const ROWS_IN_DOUBT = 1000;
/** How often a run that writes nothing looks whether it goes on, in milliseconds. */
const HEARTBEAT_MS = 500;
/** A run without a sign of life for so long is dead, in milliseconds. */
const DEAD_AFTER_MS = 15_000;

/** The import was cancelled, or another run has taken it over. */
class Aborted extends Error {
  override readonly name = 'Aborted';
}

/** An import that a run has taken over. */
interface Lease {
  record: ImportRecord;
  readonly mapping: ImportMapping;
  readonly separator: string;
  readonly actorId: string;
  readonly rowsPerChunkMax: number;
  /** On the monotonic clock, in milliseconds. */
  readonly until: number;
}

/** Changes the import. @throws {Aborted} */
const change = async (lease: Lease, changed: Partial<ImportRecord>): Promise<void> => {
  const record = await changeImport(lease.record, { ...changed, seen_at: now() });
  if (!record) throw new Aborted();
  lease.record = record;
};

/** Changes the import together with other items. @throws {Aborted} */
const changeWith = async (lease: Lease, changed: Partial<ImportRecord>, others: readonly Write[]): Promise<void> => {
  const isDone = await tryTransact([importChange(lease.record, { ...changed, seen_at: now() }), ...others]);
  if (!isDone) throw new Aborted();
  lease.record = { ...lease.record, ...changed };
};

/** What the run has to know of the whole file before the first row. */
interface Prescan {
  readonly header: readonly string[];
  readonly columns: readonly MappedColumn[];
  /** Without the header; 0 where they are counted already. */
  readonly rows: number;
  /** The most cells of a record. */
  readonly width: number;
  /** The slugs that rows name themselves. */
  readonly slugs: ReadonlySet<string>;
}

/** The records of the file with its header. */
const fileOf = ({ record, mapping, separator }: Lease): AsyncGenerator<readonly CsvRecord[]> =>
  recordsOf(uploadedFile(record.id), { separator, encoding: mapping.encoding });

/** Reads the whole file; its beginning where rows are counted already and none names its slug. @throws {InvalidFile}, {Aborted} */
const prescan = async (lease: Lease): Promise<Prescan> => {
  const { record, mapping } = lease;
  const textAt = textReader(mapping);
  let header: string[] | undefined;
  let columns: MappedColumn[] = [];
  let rows = 0;
  let width = 0;
  const slugs = new Set<string>();
  let heartbeatAt = performance.now();
  for await (const records of fileOf(lease)) {
    const [first] = records;
    if (!header && first) {
      header = headerOf(first);
      columns = mappedColumns({ mapping, columnsPath: ['mapping', 'columns'] }, header);
    }
    const slugIndex = columns.find(({ field }) => field === 'slug')?.index;
    for (const { number, cells } of records) {
      width = Math.max(width, cells.length);
      if (slugIndex !== undefined && number > 1) slugs.add(textAt(cells, slugIndex));
    }
    if (record.rows_total !== null && slugIndex === undefined) break;
    rows += records.filter(({ number }) => number > 1).length;
    if (rows > IMPORT_ROWS_MAX) {
      throw new InvalidFile(`The file has more than ${IMPORT_ROWS_MAX} rows. Split it into several files.`);
    }
    if (performance.now() < heartbeatAt + HEARTBEAT_MS) continue;
    heartbeatAt = performance.now();
    await change(lease, {});
  }
  return { header: header ?? [], columns, rows, width, slugs };
};

/** The number of the last record of the file that is done: the header is record 1. */
const lastDone = ({ rows_done }: ImportRecord): number => rows_done + 1;

/** What the batch of an import has done. Only the entries after the last checkpoint are counted: few, in any import. */
const countDone = async (batchId: string, record: ImportRecord): Promise<BatchCounts> =>
  await countEntries(batchId, { after: rowPosition(lastDone(record)) }, record.counts);

/** The import begins to write. @throws {Aborted} */
const beginRunning = async (lease: Lease, { header, rows, width }: Prescan): Promise<void> => {
  const { mapping, record, actorId } = lease;
  const running = { state: 'running', rows_total: rows } as const;
  if (mapping.dry_run) {
    await change(lease, running);
    return;
  }
  const { filename, id: import_id } = record;
  const batch = newImportBatch({ id: actorId }, { header, width, rows, filename }, { import_id });
  await changeWith(lease, { ...running, batch_id: batch.id }, [batchInsertion(batch)]);
};

/** Remembers the slugs of all categories, because rows may carry them when another run continues. */
const noteCategories = async (lease: Lease): Promise<void> => {
  const present = Object.fromEntries((await allCategories()).map(({ id, slug }) => [slug, id]));
  await change(lease, { categories: { ...lease.record.categories, ...present } });
};

/** The records of the file without its header. */
async function* rowsOf(lease: Lease): AsyncGenerator<readonly CsvRecord[]> {
  for await (const records of fileOf(lease)) yield records.filter(({ number }) => number > 1);
}

/** Imports the rows that are not imported yet. @returns whether the time sufficed. @throws {Aborted}, {InvalidFile} */
const runRows = async (
  lease: Lease,
  { header, columns }: Prescan,
  state: ImportState,
  report: ReportBuilder,
): Promise<boolean> => {
  const { batch, mapping } = state;
  const firstOpen = lastDone(lease.record) + 1;
  let hasImported = false;
  const size = new ChunkSize(lease.rowsPerChunkMax);
  const validate = rowValidator({ mapping, columns, header, fields: await currentFields() });
  for await (const rows of chunksOf(rowsOf(lease), size, validate)) {
    const open = rows.filter(({ number }) => number >= firstOpen);
    const [first] = open;
    if (!first) continue;
    // Every run imports a chunk at least, so that they come to an end.
    if (hasImported && performance.now() > lease.until) return false;
    hasImported = true;
    const from = performance.now();
    const isInDoubt = first.number < firstOpen + ROWS_IN_DOUBT;
    const rest = isInDoubt ? await batch.withoutStored(open, report) : open;
    const left = await importRows(state, rest, report, lease.until);
    // Without a checkpoint: the next run counts those rows of this chunk that are done by their entries.
    if (left.length > 0) return false;
    await change(lease, { rows_done: (open.at(-1)?.number ?? 1) - 1, counts: report.counts() });
    size.note(open.length, performance.now() - from);
  }
  return true;
};

/** What a dry run leaves of its progress. */
const nothingDone: Pick<ImportRecord, 'rows_done' | 'counts'> = { rows_done: 0, counts: noOutcomes };

/** Ends an import that writes: with its batch, or as a dry run that may be started now. @throws {Aborted} */
const finish = async (lease: Lease, state: ImportState, report: ReportBuilder): Promise<void> => {
  const { record, mapping } = lease;
  const counts = report.counts();
  if (mapping.dry_run) {
    const entries_id = newId('bat');
    await putEntries(entries_id, state.batch.planned().map(withShortValues));
    await change(lease, {
      state: 'uploaded',
      ...nothingDone,
      dry_run: { entries_id, counts, problems: report.problems() },
    });
    return;
  }
  const ending = record.batch_id === null ? [] : batchEnding(record.batch_id, 'done', counts);
  await changeWith(lease, { state: 'done', finished_at: now(), counts }, ending);
  await deleteFile(record.id);
};

/** Why an import cannot be completed; undefined for an error that may pass. An earlier version checked the mapping at its start. */
const reasonOf = (error: unknown): string | undefined => {
  if (error instanceof InvalidFile) return error.message;
  const isRefused = error instanceof AppError && isRefusal(error.status);
  return isRefused ? 'The mapping does not fit the file or the fields any more. Import the file again.' : undefined;
};

/** Ends an import that cannot be completed. What it has written stays. @throws {Aborted} */
const fail = async (lease: Lease, reason: string): Promise<void> => {
  const { batch_id } = lease.record;
  const ending = batch_id === null ? [] : batchEnding(batch_id, 'failed', await countDone(batch_id, lease.record));
  const progress = batch_id === null ? nothingDone : {};
  await changeWith(lease, { state: 'failed', finished_at: now(), error: reason, ...progress }, ending);
  await deleteFile(lease.record.id);
};

const isAlive = ({ seen_at }: ImportRecord): boolean => seen_at !== null && isRecent(seen_at, DEAD_AFTER_MS);

const cancellationOf = async (record: ImportRecord): Promise<Write[]> => {
  const ended = { state: 'cancelled', finished_at: now() } as const;
  const { batch_id } = record;
  if (batch_id === null) return [importChange(record, { ...ended, ...nothingDone })];
  const counts = await countDone(batch_id, record);
  return [importChange(record, { ...ended, counts }), ...batchEnding(batch_id, 'cancelled', counts)];
};

/**
 * Completes the end of an import: ends a cancelled one with its batch, and deletes the file.
 * @param ownRun the run of the caller, which writes nothing more. While another run lives, that one ends the import.
 */
const completeEnd = async (importId: string, ownRun?: string): Promise<void> => {
  for (;;) {
    const record = await findImport(importId);
    if (!record) return;
    if (hasEnded(record.state)) {
      await deleteFile(importId);
      return;
    }
    if (record.cancel_requested_at === null) return;
    if (record.run === ownRun || !isAlive(record)) {
      await tryTransact(await cancellationOf(record));
    } else {
      await wait(HEARTBEAT_MS);
    }
  }
};

/** Checks the file, and imports its rows until they are done or the time is up. @throws {Aborted}, {InvalidFile} */
const work = async (lease: Lease): Promise<void> => {
  const { mapping, actorId } = lease;
  const isResumed = lease.record.state === 'running' && !mapping.dry_run;
  const prescanned = await prescan(lease);
  if (lease.record.state === 'checking') await beginRunning(lease, prescanned);
  const { record } = lease;
  const batch = new ImportBatch(mapping.dry_run ? undefined : (record.batch_id ?? undefined));
  if (isResumed) await batch.resume();
  const begun = { at: record.started_at ?? record.created_at, categories: record.categories };
  const state = await openState(actorId, mapping, prescanned.slugs, batch, begun);
  await noteCategories(lease);
  const report = new ReportBuilder(prescanned.columns, mapping.dry_run ? undefined : record.counts);
  const isComplete = await runRows(lease, prescanned, state, report);
  await propagateCategoryChanges(state);
  if (isComplete) {
    await finish(lease, state, report);
  } else if (mapping.dry_run) {
    throw new InvalidFile('The dry run did not end in time. Try it with a part of the file.');
  } else {
    await changeWith(lease, {}, [inOutbox(newMessage('importDue', actorId, { import_id: record.id }))]);
  }
};

/**
 * Runs an import, continuing where earlier runs ended, and enqueues itself again when the time is up. Safe to repeat, to run
 * concurrently and to end at any point.
 */
export const runImport = async (
  importId: string,
  actorId: string,
  { budgetMs, rowsPerChunkMax }: RunLimits = LIMITS,
): Promise<void> => {
  const run = newId('run');
  const record = await claimImport(importId, run, now());
  if (!record?.mapping || record.separator === null) {
    await completeEnd(importId);
    return;
  }
  const lease: Lease = {
    record: record.mapping.dry_run ? { ...record, rows_done: 0 } : record,
    mapping: record.mapping,
    separator: record.separator,
    actorId,
    rowsPerChunkMax,
    until: performance.now() + budgetMs,
  };
  try {
    await work(lease).catch(async (error: unknown) => {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      await fail(lease, reason);
    });
  } catch (error) {
    if (!(error instanceof Aborted)) throw error;
    await completeEnd(importId, run);
  }
};
