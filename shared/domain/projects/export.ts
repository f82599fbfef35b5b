import type { CatalogEntry, ReadCatalog } from '#catalog/types.ts';
import { type ImportField, importFields } from '#contract/projects.ts';
import { csvLines } from '#shared/csv/format.ts';
import { guarded } from '#shared/csv/guard.ts';
import { joinList } from '#shared/csv/list-cell.ts';
import { averageRating, type ProjectRecord } from './project.ts';

// Some dozen kilobytes: few enough pieces to be quick, each small beside everything else.
const ROWS_PER_PIECE = 50;

type Counted = Extract<
  ImportField,
  'upvote_count' | 'average_rating' | 'ratings_count' | 'comments_count' | 'views_count'
>;

const counters: Readonly<Record<Counted, (counts: CatalogEntry['counts']) => number>> = {
  upvote_count: (counts) => counts.upvote_count,
  average_rating: averageRating,
  ratings_count: (counts) => counts.ratings_count,
  comments_count: (counts) => counts.comments_count,
  views_count: (counts) => counts.views_count,
};

const isCounted = (field: ImportField): field is Counted => field in counters;

/** Numbers are written as they are: `-12.5` is no formula, and a guard would make a text of it. */
const cellOf = (value: ProjectRecord[keyof ProjectRecord]): string => {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  return guarded(typeof value === 'string' ? value : joinList(value));
};

const recordOf = ({ project, counts }: CatalogEntry): string[] =>
  importFields.map((field) => (isCounted(field) ? String(counters[field](counts)) : cellOf(project[field])));

/**
 * Every project as CSV, oldest first, of every status and deleted ones too: a header, then one record each, in pieces of some
 * kilobytes that are made when they are asked for. The columns are the fields that an import takes; lists are joined by
 * `|`, where a `|` or a backslash inside an entry has a backslash before it, and a text that a spreadsheet would run as a
 * formula begins with an apostrophe. The import understands both. Earlier slugs are not in it.
 */
export async function* exportProjects(catalog: ReadCatalog): AsyncGenerator<string> {
  let records: string[][] = [[...importFields]];
  for (const entry of catalog.all()) {
    records.push(recordOf(entry));
    if (records.length < ROWS_PER_PIECE) continue;
    yield csvLines(records);
    records = [];
  }
  if (records.length > 0) yield csvLines(records);
}
