import { allCategories } from '#data/categories.ts';
import { settings } from '#platform/settings.ts';
import { Unavailable } from '#platform/unavailable.ts';
import { inRequest, propagateSlugChange } from '#services/categories/propagate-slug.ts';
import type { ImportBatch } from './batch.ts';
import { CategoryLookup } from './categories.ts';
import type { ParsedUpload } from './parse.ts';
import { type ImportState, planRows } from './plan.ts';
import { ProjectLookup } from './projects.ts';
import type { ReportBuilder } from './report.ts';
import { SlugLookup } from './slugs.ts';
import type { Row } from './validate.ts';
import { reloadConflicting, writeProjectsOf } from './write.ts';

// What imports in a request and large imports have in common: rows in, projects and entries of the batch out.

/** In each round at least one of the conflicting writers succeeds, so conflicts become fewer. */
const ROUNDS_MAX = 20;

/**
 * Reads the state of the directory for an import.
 * @param slugsInFile the slugs that rows name themselves.
 * @param earlierCategories as in `CategoryLookup`.
 */
export const openState = async (
  actorId: string,
  mapping: ParsedUpload['mapping'],
  slugsInFile: ReadonlySet<string>,
  batch: ImportBatch,
  earlierCategories?: Readonly<Record<string, string>>,
): Promise<ImportState> => {
  const rejectsDuplicateUrls = settings().duplicateUrls === 'reject';
  const [projects, categories] = await Promise.all([
    ProjectLookup.open({ tracksUrls: mapping.match_by === 'url' || rejectsDuplicateUrls, isDryRun: mapping.dry_run }),
    CategoryLookup.open({ mayCreate: mapping.create_categories, earlier: earlierCategories }),
  ]);
  return {
    mapping,
    actorId,
    rejectsDuplicateUrls,
    projects,
    slugs: new SlugLookup(slugsInFile, { isDryRun: mapping.dry_run }),
    categories,
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
    await reloadConflicting(state, conflicts);
    const conflicting = conflicts.flatMap((conflict) => conflict.rows.map(({ row }) => row));
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
