import type { CatalogEntry, ReadCatalog } from '#catalog/types.ts';
import { type ImportField, importFields } from '#contract/projects.ts';
import { averageRating, type ProjectRecord } from '#model/project.ts';
import { csvLines, guarded, joinList } from '#shared/csv/cells.ts';

/** Rows per chunk of the stream: some dozen kilobytes. */
const ROWS_PER_CHUNK = 50;

type CounterField = Extract<
  ImportField,
  'upvote_count' | 'average_rating' | 'ratings_count' | 'comments_count' | 'views_count'
>;

const counters: Readonly<Record<CounterField, (counts: CatalogEntry['counts']) => number>> = {
  upvote_count: (counts) => counts.upvote_count,
  average_rating: averageRating,
  ratings_count: (counts) => counts.ratings_count,
  comments_count: (counts) => counts.comments_count,
  views_count: (counts) => counts.views_count,
};

const isCounter = (field: ImportField): field is CounterField => field in counters;

/** Numbers need no guard against formulas: it would turn `-12.5` into text. */
const cellOf = (value: ProjectRecord[Exclude<ImportField, CounterField>]): string => {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  return guarded(typeof value === 'string' ? value : joinList(value));
};

/** The stored fields that no column exports. */
type NotExported = Exclude<keyof ProjectRecord, ImportField>;
// The compiler reports a new stored field here until it is added to `importFields`.
type Internal =
  | 'earlier_slugs'
  | 'pending_revision'
  | 'waiting_writes'
  | 'rule_id'
  | 'rule_name'
  | 'rule_action'
  | 'version';
true satisfies NotExported extends Internal ? true : never;

const recordOf = ({ project, counts }: CatalogEntry): string[] =>
  importFields.map((field) => (isCounter(field) ? String(counters[field](counts)) : cellOf(project[field])));

/**
 * Streams all projects as CSV, oldest first, including deleted ones: a header, then one record each. The columns are
 * `importFields`, so the import reads the file back. Lists are joined by `|`, with `|` and backslash escaped by a backslash; a
 * text that a spreadsheet would evaluate as a formula is prefixed with an apostrophe.
 */
export async function* exportProjects(projects: ReadCatalog): AsyncGenerator<string> {
  let records: string[][] = [[...importFields]];
  for (const entry of projects.all()) {
    records.push(recordOf(entry));
    if (records.length < ROWS_PER_CHUNK) continue;
    yield csvLines(records);
    records = [];
  }
  if (records.length > 0) yield csvLines(records);
}
