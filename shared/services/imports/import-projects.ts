import type { ImportReport } from '#contract/project-batches.ts';
import { endBatch, insertBatch } from '#data/batches.ts';
import { batchItemView } from '#model/batch.ts';
import type { UserRecord } from '#model/user.ts';
import { timeAfter } from '#platform/clock.ts';
import { ImportBatch, newImportBatch } from './batch.ts';
import { ChunkSize, chunksOf } from './chunks.ts';
import { importRows, openState, propagateCategoryChanges } from './import-rows.ts';
import { type ImportUpload, type ParsedUpload, parseUpload } from './parse.ts';
import { ReportBuilder } from './report.ts';
import { type Row, rowValidator } from './validate.ts';

const ROWS_PER_CHUNK_MAX = 750;

/** How long after its budget an import may still write, in milliseconds. */
const AFTER_BUDGET_MS = 10_000;

/** Stores the batch of an import. @returns its id; undefined for a dry run. */
const beginBatch = async (
  admin: UserRecord,
  upload: ImportUpload,
  { mapping, header, records }: ParsedUpload,
  budgetMs: number,
): Promise<string | undefined> => {
  if (mapping.dry_run) return undefined;
  const running_until = timeAfter(budgetMs + AFTER_BUDGET_MS);
  const batch = newImportBatch(admin, header, records.length, { filename: upload.filename, running_until });
  await insertBatch(batch);
  return batch.id;
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
 * @param budgetMs the time after which no further rows are started or tried again, in milliseconds; the report names the
 * first of them.
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
  const slugIndex = parsed.columns.find(({ field }) => field === 'slug')?.index;
  const slugsInFile = slugIndex === undefined ? [] : records.map(({ cells }) => (cells[slugIndex] ?? '').trim());
  const state = await openState(admin.id, parsed.mapping, new Set(slugsInFile), new ImportBatch(batchId));
  const report = new ReportBuilder(parsed.columns);
  let left: readonly Pick<Row, 'number'>[] = [];
  const size = new ChunkSize(ROWS_PER_CHUNK_MAX);
  let done = 0;
  for await (const rows of chunksOf([records], size, validate)) {
    const from = performance.now();
    left = from > until ? rows : await importRows(state, rows, report, until);
    done += rows.length;
    const [first] = left;
    if (first) {
      report.outOfTime(first.number, left.length + records.length - done);
      break;
    }
    size.note(rows.length, performance.now() - from);
  }
  await state.batch.store(report.takeEntries());
  await propagateCategoryChanges(state);
  const { errors, ...counts } = report.build();
  if (batchId !== undefined) await endBatch(batchId, left.length > 0 ? 'failed' : 'done', counts);
  return {
    batch_id: batchId ?? null,
    dry_run: parsed.mapping.dry_run,
    rows: records.length,
    ...counts,
    errors,
    ...(batchId === undefined && { counts, items: state.batch.planned().map(batchItemView) }),
  };
};
