import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { ImportReport } from '#contract/batches.ts';
import { continueBatch, endBatch, entriesOf, findBatch, insertBatch } from '#data/batches.ts';
import { allCategories } from '#data/categories.ts';
import { ConflictError } from '#data/conflict.ts';
import { currentFields } from '#data/custom-fields.ts';
import { deleteReactionsOfPurged } from '#data/erasure.ts';
import { writeProjects } from '#data/imports.ts';
import { type Caller, isApiKeyId } from '#model/api-key.ts';
import type { BatchRecord } from '#model/batch.ts';
import type { UserRecord } from '#model/user.ts';
import { now, timeAfter } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { newId } from '#platform/ids.ts';
import { Unavailable } from '#platform/unavailable.ts';
import { inRequest, propagateSlugChange } from '#services/categories/propagate-slug.ts';
import { dryRunOf } from '#services/projects/batches.ts';
import { staffReader } from '#services/projects/read.ts';
import { ignoredColumns } from '#shared/csv/mapping.ts';
import type { CsvRecord } from '#shared/csv/parse.ts';
import { conflict, mustExist } from '#shared/errors.ts';
import { ImportBatch, newImportBatch, type PendingProject, ReportBuilder } from './batch.ts';
import { type ImportUpload, type ParsedUpload, parseUpload } from './file.ts';
import { CategoryLookup, ProjectLookup, SlugLookup } from './lookups.ts';
import { type ImportState, planRows } from './plan.ts';
import { mustFitFields, mustImportContent, type Row, rowValidator, textReader } from './validate.ts';

/** How long a chunk should take, in milliseconds: an import stops between chunks, within a second or before its deadline. */
const CHUNK_MS = 500;
/** Enough rows for some concurrent transactions. */
const ROWS_MIN = 50;

/** How many rows are planned and written together: as many as the table takes in half a second. */
export class ChunkSize {
  readonly #max: number;
  #rows: number;

  constructor(max: number) {
    this.#max = max;
    this.#rows = Math.min(max, ROWS_MIN * 4);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Adapts the size to the time that a chunk took, at most by a factor of two. */
  note(rows: number, ms: number): void {
    const fitting = Math.round((rows * CHUNK_MS) / Math.max(1, ms));
    const next = Math.min(Math.max(fitting, Math.floor(this.#rows / 2)), this.#rows * 2);
    this.#rows = Math.min(this.#max, Math.max(ROWS_MIN, next));
  }
}

/** How many rows are validated before other work gets its turn: about a millisecond. */
const ROWS_PER_TURN = 10;

const validated = async (records: readonly CsvRecord[], validate: (record: CsvRecord) => Row): Promise<Row[]> => {
  const rows: Row[] = [];
  for (const record of records) {
    rows.push(validate(record));
    if (rows.length % ROWS_PER_TURN === 0) await nextTurn();
  }
  return rows;
};

/**
 * The rows of a file in chunks. Each chunk is validated while the caller works on the one before it, because writing waits for
 * the table most of the time; so a chunk has the size that was known one chunk earlier.
 * @param pages the records without the header.
 */
export async function* chunksOf(
  pages: AsyncIterable<readonly CsvRecord[]> | Iterable<readonly CsvRecord[]>,
  size: ChunkSize,
  validate: (record: CsvRecord) => Row,
): AsyncGenerator<readonly Row[]> {
  let current: Promise<readonly Row[]> | undefined;
  for await (const records of pages) {
    for (let start = 0; start < records.length; ) {
      const chunk = records.slice(start, start + size.rows);
      start += chunk.length;
      const next = validated(chunk, validate);
      // A failure is thrown when the chunk is taken; until then it must not count as unhandled.
      next.catch(() => undefined);
      if (current) yield await current;
      current = next;
    }
  }
  if (current) yield await current;
}

/** A project that was not written because of a concurrent write. */
interface ConflictingProject extends PendingProject {
  readonly error: Error;
}

const hasIdFromFile = ({ step, rows }: PendingProject): boolean =>
  !step.previous && rows[0]?.row.values.id !== undefined;

/** @returns the error of each project; undefined where it was stored. */
const store = async (
  { actorId, categories, batch }: ImportState,
  pending: readonly PendingProject[],
): Promise<readonly (Error | undefined)[]> => {
  if (pending.length === 0) return [];
  const lost = await categories.createMissing(pending.flatMap(({ step }) => step.next.categories));
  const isStorable = ({ step }: PendingProject): boolean => !step.next.categories.some((slug) => lost.has(slug));
  const storable = pending.filter(isStorable);
  // A purged project may have had an id that the file gives; its reactions must not reappear.
  const reused = storable.filter(hasIdFromFile);
  if (reused.length > 0) await deleteReactionsOfPurged(reused.map(({ step }) => step.next.id));
  await batch.prepare(storable);
  const origin = { cause: 'imported', actorId } as const;
  const steps = storable.map((project) => ({ ...project.step, further: batch.writesOf(project) }));
  const errors = (await writeProjects(steps, origin)).values();
  return pending.map((project) =>
    isStorable(project) ? errors.next().value : new ConflictError('Another category took the slug of a new one.'),
  );
};

/**
 * Writes planned projects, unless this is a dry run, and reports their rows.
 * @returns the projects that conflicted with concurrent writes.
 */
const writeProjectsOf = async (
  state: ImportState,
  pending: readonly PendingProject[],
  report: ReportBuilder,
): Promise<ConflictingProject[]> => {
  const errors = state.mapping.dry_run ? [] : await store(state, pending);
  const conflicts: ConflictingProject[] = [];
  for (const [position, project] of pending.entries()) {
    const error = errors[position];
    if (error) conflicts.push({ ...project, error });
    else state.batch.addWritten(project, report);
  }
  return conflicts;
};

/** Replaces what the import assumed about conflicting projects and their slugs by the stored state. */
const reloadConflicting = async (
  { projects, slugs }: ImportState,
  conflicts: readonly ConflictingProject[],
): Promise<void> => {
  if (conflicts.length === 0) return;
  for (const { step, rows } of conflicts) {
    projects.forget(step.next.id);
    for (const slug of [step.next.slug, ...rows.map(({ row }) => row.values.slug)]) if (slug) slugs.forget(slug);
  }
  // A generated id cannot be in the table.
  const stored = conflicts.filter((one) => one.step.previous || hasIdFromFile(one));
  await projects.reload(stored.map(({ step }) => step.next.id));
};

// What imports in a request and large imports have in common: rows in, projects and entries of the batch out.

/** In each round at least one of the conflicting writers succeeds, so conflicts become fewer. */
const ROUNDS_MAX = 20;
/** The pause before rows are tried again that the table did not take, because its disk is full for example. */
const UNAVAILABLE_PAUSE_MS = 500;

/**
 * Reads the state of the directory for an import.
 * @param slugsInFile the slugs that rows name themselves.
 * @param begun when the import began, and the categories of its earlier runs, as in `CategoryLookup`.
 */
export const openState = async (
  actorId: string,
  mapping: ParsedUpload['mapping'],
  slugsInFile: ReadonlySet<string>,
  batch: ImportBatch,
  begun: { readonly at: string; readonly categories: Readonly<Record<string, string>> },
): Promise<ImportState> => {
  const isDryRun = mapping.dry_run;
  const { at: begunAt, categories: earlier } = begun;
  return {
    mapping,
    actorId,
    // What API keys import waits for a moderator, like their submissions.
    newStatus: isApiKeyId(actorId) ? 'pending' : 'live',
    rejectsDuplicateUrls: environment().duplicateUrls === 'reject',
    projects: new ProjectLookup({ isDryRun }),
    slugs: new SlugLookup(slugsInFile, { isDryRun }),
    categories: await CategoryLookup.open({ mayCreate: mapping.create_categories, begunAt, earlier }),
    batch,
  };
};

/**
 * Plans and writes rows in their order. Rows that conflict with concurrent writes are planned again on the new state.
 * @returns as `importRows`.
 */
const writeRows = async (
  state: ImportState,
  rows: readonly Row[],
  report: ReportBuilder,
  until: number,
): Promise<readonly Row[]> => {
  let remaining = rows;
  for (let round = 1; remaining.length > 0; round += 1) {
    if (round > 1 && performance.now() > until) return remaining;
    const pending = await planRows(state, remaining, report);
    const conflicts = await writeProjectsOf(state, pending, report);
    if (conflicts.some(({ error }) => error instanceof Unavailable)) await wait(UNAVAILABLE_PAUSE_MS);
    await reloadConflicting(state, conflicts);
    const conflicting = conflicts.flatMap(({ rows: of }) => of.map(({ row }) => row));
    // Another run may have imported them.
    remaining = (await state.batch.withoutStored(conflicting, report)).toSorted((a, b) => a.number - b.number);
    if (round < ROUNDS_MAX) continue;
    const errorOf = new Map(conflicts.flatMap(({ rows: of, error }) => of.map(({ row }) => [row, error] as const)));
    const isUnreached = (row: Row): boolean => errorOf.get(row) instanceof Unavailable;
    for (const row of remaining.filter((one) => !isUnreached(one))) {
      const message = `The row conflicted with concurrent changes ${ROUNDS_MAX} times: ${errorOf.get(row)?.message}`;
      report.failed(row, [{ field: null, message }]);
    }
    return remaining.filter(isUnreached);
  }
  return [];
};

/**
 * Imports some rows with all of their entries.
 * @param until the time after which rows are not tried again, on the monotonic clock, in milliseconds.
 * @returns the rows that are left, without entries: the time was up, or the table could not be reached.
 */
export const importRows = async (
  state: ImportState,
  rows: readonly Row[],
  report: ReportBuilder,
  until: number,
): Promise<readonly Row[]> => {
  const left = await writeRows(state, rows, report, until);
  await state.batch.store(report.takeEntries());
  for (const part of [state.batch, state.projects, state.slugs]) part.release();
  return left;
};

/** Repairs imported projects whose categories were renamed or deleted during the import. */
export const propagateCategoryChanges = async ({ mapping, categories }: ImportState): Promise<void> => {
  if (mapping.dry_run) return;
  for (const change of categories.changesUntil(await allCategories())) await propagateSlugChange(change, inRequest);
};

const ROWS_PER_CHUNK_MAX = 750;

/** How long after its budget an import may still write, in milliseconds. */
const AFTER_BUDGET_MS = 10_000;

/** How long and how often an import may be executed. */
interface ImportRun {
  /** The time after which no further rows are started or tried again, in milliseconds. */
  readonly budgetMs: number;
  /** The ULID that the attempts of a request share. */
  readonly seed?: string | undefined;
}

interface BegunBatch {
  readonly batch: BatchRecord;
  /** `continued`: an earlier attempt of the request died. `ended`: it died after its last write, or the batch is reverted. */
  readonly state: 'new' | 'continued' | 'ended';
}

/** Continues the batch of an earlier attempt. @throws 409 while another attempt does. */
const continueEarlier = async (batchId: string, until: string): Promise<BegunBatch> => {
  const isContinued = await continueBatch(mustExist(await findBatch(batchId)), until);
  const batch = mustExist(await findBatch(batchId));
  if (batch.state !== 'running' || batch.reverted_by !== null) return { batch, state: 'ended' };
  // The answer to the write may have been lost.
  if (!isContinued && batch.running_until !== until) throw conflict('IN_PROGRESS', 'The import is still running.');
  return { batch, state: 'continued' };
};

/** Stores the batch of an import, or finds that of an earlier attempt. @returns undefined for a dry run. */
const beginBatch = async (
  admin: UserRecord,
  upload: ImportUpload,
  { mapping, header, records }: ParsedUpload,
  { budgetMs, seed }: ImportRun,
): Promise<BegunBatch | undefined> => {
  if (mapping.dry_run) return undefined;
  const running_until = timeAfter(budgetMs + AFTER_BUDGET_MS);
  const width = records.reduce((most, { cells }) => Math.max(most, cells.length), header.length);
  const file = { header, width, rows: records.length, filename: upload.filename };
  const batch = newImportBatch(admin, file, { id: newId('bat', seed), running_until });
  return (await insertBatch(batch)) ? { batch, state: 'new' } : await continueEarlier(batch.id, running_until);
};

/** The report about a batch that has ended, from its entries. */
const endedReport = async ({ id, counts: stored }: BatchRecord, { columns, records, mapping }: ParsedUpload) => {
  const report = new ReportBuilder(columns);
  for await (const entry of entriesOf(id)) report.stored(entry);
  const { errors, ...counted } = report.build();
  const counts = stored ?? counted;
  return { batch_id: id, dry_run: false, rows: records.length, ...counts, ignored: ignoredColumns(mapping), errors };
};

/**
 * Imports projects from a CSV file. Rows are independent: an error in one stops no other.
 *
 * A row whose `match_by` field equals that of a project, stored or from an earlier row, is skipped, updates that
 * project or fails, according to `on_conflict`. Where slugs are compared, a row without one is matched by its URL with a
 * project that no other row is about. Otherwise a row without the field matches nothing. A row that matches a deleted
 * project is skipped and listed. An update changes only the fields that the row or a default mentions. A new project
 * keeps the id, slug, owner and times of its row, so that an export restores the same records in an empty directory.
 * Counters are not imported, because the votes, ratings and comments that they count are not in the file.
 *
 * No events are published and no mail is sent. Each project is written with its entry in the batch. After a crash the written
 * projects are complete and in the batch, which can be reverted; a retry of the request continues with the others. Importing
 * the same file with `on_conflict: skip` adds them too, provided that its rows can be matched.
 * @param run the report names the first of the rows for which its time did not suffice.
 * @throws 400 under `details.file` or `details.mapping` when the upload cannot be parsed, 403 when an API key imports more than
 * content, 413 for too many records.
 */
export const importProjects = async (admin: Caller, upload: ImportUpload, run: ImportRun): Promise<ImportReport> => {
  const until = performance.now() + run.budgetMs;
  const parsed = await parseUpload(upload);
  mustImportContent(parsed.mapping, admin);
  const fields = await currentFields();
  mustFitFields(parsed, fields);
  const { records } = parsed;
  const validate = rowValidator({ ...parsed, fields });
  const begun = await beginBatch(admin, upload, parsed, run);
  if (begun?.state === 'ended') return await endedReport(begun.batch, parsed);
  const batchId = begun?.batch.id;
  const batch = new ImportBatch(batchId);
  const isContinued = begun?.state === 'continued';
  if (isContinued) await batch.resume();
  const slugIndex = parsed.columns.find(({ field }) => field === 'slug')?.index;
  const textAt = textReader(parsed.mapping);
  const slugsInFile = slugIndex === undefined ? [] : records.map(({ cells }) => textAt(cells, slugIndex));
  // Categories that were renamed since an earlier attempt are repaired by `reconcile-counters`.
  const begunAt = { at: begun?.batch.at ?? now(), categories: {} };
  const state = await openState(admin.id, parsed.mapping, new Set(slugsInFile), batch, begunAt);
  const report = new ReportBuilder(parsed.columns);
  let left: readonly Pick<Row, 'number'>[] = [];
  const size = new ChunkSize(ROWS_PER_CHUNK_MAX);
  let done = 0;
  for await (const rows of chunksOf([records], size, validate)) {
    const from = performance.now();
    const open = isContinued ? await batch.withoutStored(rows, report) : rows;
    left = from > until ? open : await importRows(state, open, report, until);
    done += rows.length;
    const [first] = left;
    if (first) {
      const rest = records.slice(done);
      const unread = isContinued ? await batch.withoutStored(rest, report) : rest;
      report.outOfTime(first.number, left.length + unread.length);
      break;
    }
    size.note(rows.length, performance.now() - from);
  }
  await propagateCategoryChanges(state);
  const { errors, ...counts } = report.build();
  if (batchId !== undefined) await endBatch(batchId, left.length > 0 ? 'failed' : 'done', counts);
  // That of the row for which the time did not suffice: while the batch runs, a retry would take the row as done.
  await state.batch.store(report.takeEntries());
  return {
    batch_id: batchId ?? null,
    dry_run: parsed.mapping.dry_run,
    rows: records.length,
    ...counts,
    ignored: ignoredColumns(parsed.mapping),
    errors,
    ...(batchId === undefined && {
      counts,
      items: dryRunOf(state.batch.planned(), counts, await currentFields(), staffReader(admin)).items,
    }),
  };
};
