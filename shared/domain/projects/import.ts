import type { ImportMapping, ImportReport } from '#contract/projects.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { openFile } from '#shared/csv/file.ts';
import { readMapping } from '#shared/csv/mapping.ts';
import type { CsvRecord } from '#shared/csv/parse.ts';
import { invalidFields } from '#shared/errors.ts';
import { CategoryBook } from './import-categories.ts';
import type { JudgeContext } from './import-judge.ts';
import type { ImportPorts } from './import-ports.ts';
import { rowReader } from './import-row.ts';
import { ImportRun } from './import-run.ts';
import { SlugBook } from './import-slugs.ts';
import { Tally } from './import-tally.ts';
import { ImportView } from './import-view.ts';

/** The parts of an upload, as they came. */
export interface ImportUpload {
  readonly file: string | Uint8Array | undefined;
  readonly mapping: string | Uint8Array | undefined;
}

// As many rows as are looked at before the table is asked and written: enough to keep it busy, few enough to stop in time.
const ROWS_AT_ONCE = 750;

const asText = (part: string | Uint8Array): string =>
  typeof part === 'string' ? part : new TextDecoder().decode(part);
const asBytes = (part: string | Uint8Array): Uint8Array =>
  typeof part === 'string' ? new TextEncoder().encode(part) : part;

/** @throws 400 naming every part that is missing. */
const complete = ({ file, mapping }: ImportUpload): { file: Uint8Array; mapping: string } => {
  if (file !== undefined && mapping !== undefined) return { file: asBytes(file), mapping: asText(mapping) };
  const missing = { _errors: ['is required'] };
  throw invalidFields({
    _errors: [],
    ...(file === undefined && { file: missing }),
    ...(mapping === undefined && { mapping: missing }),
  });
};

/** What the slug column says, before anything is checked: these slugs are not given to rows that name none. */
const namedSlugs = (records: readonly CsvRecord[], index: number | undefined): ReadonlySet<string> =>
  new Set(index === undefined ? [] : records.map(({ cells }) => (cells[index] ?? '').trim()));

const open = async (
  ports: ImportPorts,
  admin: UserRecord,
  mapping: ImportMapping,
  named: ReadonlySet<string>,
): Promise<JudgeContext> => {
  const [catalog, categories] = await Promise.all([ports.catalog('now'), ports.allCategories()]);
  const tracksUrls = mapping.match_by === 'url' || ports.refusesDuplicateUrls();
  return {
    ports,
    mapping,
    admin,
    view: new ImportView(ports, catalog, tracksUrls),
    slugs: new SlugBook(ports.slugHolders, named),
    categories: new CategoryBook(ports, categories, mapping.create_categories),
  };
};

/**
 * Imports projects from a CSV file. Each row stands by itself: what is wrong with one is reported and stops no other.
 *
 * A row whose `match_by` field is that of a project, of the directory or of an earlier row, is skipped, updates that
 * project or is an error, as `on_conflict` says; a row without that field matches nothing. An update changes only the
 * fields that the row or a default mentions. A new project keeps id, slug, owner and times that the file gives, so that an
 * export brings the same records back into an empty directory. Counters are not taken over: votes, ratings and comments
 * are not in the file, and a counter that counts nothing would only be put right again by the next recount.
 *
 * Nobody is told: no event, no mail. When the process dies, what is written stands complete, and the same file with
 * `on_conflict: skip` does the rest, provided that its rows can be matched.
 * @throws 400 under `details.file` or `details.mapping` when nothing of it can be imported, 413 for too many records.
 */
export const importProjects = async (
  ports: ImportPorts,
  admin: UserRecord,
  upload: ImportUpload,
): Promise<ImportReport> => {
  const until = performance.now() + ports.budgetMs;
  const { file, mapping: mappingText } = complete(upload);
  const { mapping, columns, width, records } = openFile(file, readMapping(mappingText));
  const readRow = rowReader(mapping, columns, width);
  const slugIndex = columns.find(({ field }) => field === 'slug')?.index;
  const tally = new Tally(new Map(columns.map(({ column, field }) => [field, column])));
  const context = await open(ports, admin, mapping, namedSlugs(records, slugIndex));
  const run = new ImportRun(ports, context, tally);
  for (let start = 0; start < records.length; start += ROWS_AT_ONCE) {
    if (performance.now() > until) {
      tally.leftOut((records[start] as CsvRecord).number, records.length - start);
      break;
    }
    await run.take(records.slice(start, start + ROWS_AT_ONCE).map(readRow));
  }
  await run.finish();
  return { batch_id: ports.newId('bat'), dry_run: mapping.dry_run, rows: records.length, ...tally.result() };
};
