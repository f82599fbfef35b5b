import type { ImportReport } from '#contract/project-batches.ts';
import { endBatch, insertBatch } from '#data/batches.ts';
import { allCategories } from '#data/categories.ts';
import type { UserRecord } from '#model/user.ts';
import { timeAfter } from '#platform/clock.ts';
import { settings } from '#platform/settings.ts';
import { newBatch } from '#services/batches/record.ts';
import { inRequest, propagateSlugChange } from '#services/categories/propagate-slug.ts';
import { ImportBatch } from './batch.ts';
import { CategoryLookup } from './categories.ts';
import { type ImportUpload, type ParsedUpload, parseUpload } from './parse.ts';
import { type ImportState, planRows } from './plan.ts';
import { ProjectLookup } from './projects.ts';
import { ReportBuilder, shortened } from './report.ts';
import { SlugLookup } from './slugs.ts';
import { type Row, rowValidator } from './validate.ts';
import { reloadConflicting, writeProjectsOf } from './write.ts';

/** Rows that are planned and written together: enough to fill parallel transactions, few enough to stop in time. */
const ROWS_PER_CHUNK = 750;

/** In each round at least one of the conflicting writers succeeds, so conflicts become fewer. */
const ROUNDS_MAX = 20;

const openState = async (
  admin: UserRecord,
  { mapping, columns, records }: ParsedUpload,
  batch: ImportBatch,
): Promise<ImportState> => {
  const rejectsDuplicateUrls = settings().duplicateUrls === 'reject';
  const slugIndex = columns.find(({ field }) => field === 'slug')?.index;
  const slugsInFile = slugIndex === undefined ? [] : records.map(({ cells }) => (cells[slugIndex] ?? '').trim());
  const [projects, categories] = await Promise.all([
    ProjectLookup.open({ tracksUrls: mapping.match_by === 'url' || rejectsDuplicateUrls }),
    CategoryLookup.open({ mayCreate: mapping.create_categories }),
  ]);
  return {
    mapping,
    admin,
    rejectsDuplicateUrls,
    projects,
    slugs: new SlugLookup(new Set(slugsInFile)),
    categories,
    batch,
  };
};

/**
 * Plans and writes rows in their order. Rows that conflict with concurrent writes are planned again on the new state.
 */
const importRows = async (state: ImportState, rows: readonly Row[], report: ReportBuilder): Promise<void> => {
  let remaining = rows;
  for (let round = 1; remaining.length > 0; round += 1) {
    const pending = await planRows(state, remaining, report);
    const conflicts = await writeProjectsOf(state, pending, report);
    await reloadConflicting(state, conflicts);
    if (round === ROUNDS_MAX) {
      for (const { rows: conflicting, error } of conflicts) {
        const message = `The row conflicted with concurrent changes ${ROUNDS_MAX} times: ${error.message}`;
        for (const { row } of conflicting) report.failed(row, [{ field: null, message }]);
      }
      return;
    }
    remaining = conflicts
      .flatMap((conflict) => conflict.rows.map(({ row }) => row))
      .toSorted((a, b) => a.number - b.number);
  }
};

/** How long after its budget an import may still write, in milliseconds. */
const AFTER_BUDGET_MS = 10_000;

const summaryOf = ({ filename }: ImportUpload, rows: number): string =>
  `Import of ${rows} ${rows === 1 ? 'row' : 'rows'}${filename ? ` from "${filename.slice(0, 200).toWellFormed()}"` : ''}`;

/** Stores the batch of an import. @returns its id; undefined for a dry run. */
const beginBatch = async (
  admin: UserRecord,
  upload: ImportUpload,
  { mapping, header, records }: ParsedUpload,
  budgetMs: number,
): Promise<string | undefined> => {
  if (mapping.dry_run) return undefined;
  const batch = newBatch(admin, 'import', summaryOf(upload, records.length), {
    running_until: timeAfter(budgetMs + AFTER_BUDGET_MS),
    header: shortened(header).map((name) => name.toWellFormed()),
  });
  await insertBatch(batch);
  return batch.id;
};

/** Repairs imported projects whose categories were renamed or deleted during the import. */
const propagateCategoryChanges = async ({ mapping, categories }: ImportState): Promise<void> => {
  if (mapping.dry_run) return;
  for (const change of categories.changesUntil(await allCategories())) await propagateSlugChange(change, inRequest);
};

/**
 * Imports projects from a CSV file. Rows are independent: an error in one stops no other.
 *
 * A row whose `match_by` field equals that of a project, stored or from an earlier row, is skipped, updates that
 * project or fails, according to `on_conflict`. A row without a slug is matched by the slug that it would get, a row without another
 * `match_by` field matches nothing. A row that matches a deleted project is skipped and listed. An update changes only the
 * fields that the row or a default mentions. A new project keeps the id, slug, owner and times of its row, so that an
 * export restores the same records in an empty directory. Counters are not imported, because the votes, ratings and
 * comments that they count are not in the file.
 *
 * No events are published and no mail is sent. Each project is written with its entry in the batch. After a crash the written
 * projects are complete and in the batch, which can be reverted; importing the same file with `on_conflict: skip` adds the
 * others, provided that its rows can be matched.
 * @param budgetMs the time after which no further rows are started, in milliseconds; the report names the first of
 * them.
 * @throws 400 under `details.file` or `details.mapping` when the upload cannot be parsed, 413 for too many records.
 */
export const importProjects = async (
  admin: UserRecord,
  upload: ImportUpload,
  budgetMs: number,
): Promise<ImportReport> => {
  const until = performance.now() + budgetMs;
  const parsed = parseUpload(upload);
  const { records } = parsed;
  const validate = rowValidator(parsed);
  const batchId = await beginBatch(admin, upload, parsed, budgetMs);
  const state = await openState(admin, parsed, new ImportBatch(batchId));
  const report = new ReportBuilder(parsed.columns);
  let isOutOfTime = false;
  for (let start = 0; start < records.length; start += ROWS_PER_CHUNK) {
    const chunk = records.slice(start, start + ROWS_PER_CHUNK);
    isOutOfTime = performance.now() > until;
    if (isOutOfTime) {
      report.outOfTime(chunk[0]?.number ?? 0, records.length - start);
      break;
    }
    await importRows(state, chunk.map(validate), report);
    await state.batch.store(report.takeEntries());
  }
  await state.batch.store(report.takeEntries());
  await propagateCategoryChanges(state);
  const { errors, ...counts } = report.build();
  if (batchId !== undefined) await endBatch(batchId, isOutOfTime ? 'failed' : 'done', counts);
  return {
    batch_id: batchId ?? null,
    dry_run: parsed.mapping.dry_run,
    rows: records.length,
    ...counts,
    errors,
    ...(batchId === undefined && { counts, items: state.batch.items() }),
  };
};
