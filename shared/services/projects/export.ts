import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CatalogEntry, ReadCatalog } from '#catalog/types.ts';
import { type CounterField, type ImportField, importFields } from '#contract/projects.ts';
import { catalog } from '#data/catalog.ts';
import { currentFields } from '#data/custom-fields.ts';
import { dayOf } from '#model/days.ts';
import { type Fields, shownValues, typeRules } from '#model/field.ts';
import { averageRating, type ProjectRecord } from '#model/project.ts';
import { now } from '#platform/clock.ts';
import { csvLines, guarded, joinList } from '#shared/csv/cells.ts';

/** Rows per chunk of the stream: some dozen kilobytes. */
const ROWS_PER_CHUNK = 50;

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

type NotExported = Exclude<keyof ProjectRecord, ImportField>;
// The compiler reports a new stored field here until it is added to `importFields`.
type Internal =
  | 'earlier_slugs'
  | 'approved_at'
  | 'claimed_at'
  | 'pending_revision'
  | 'pending_writes'
  | 'rule_id'
  | 'rule_name'
  | 'rule_action'
  // In columns of their own.
  | 'field_values'
  | 'version';
true satisfies NotExported extends Internal ? true : never;

/** The cells of the values of further fields: those of all, because only staff exports. */
const valuesOf = (fields: Fields, project: ProjectRecord): string[] => {
  const shown = shownValues(fields, project, 'staff');
  return fields.all.map(({ key, type }) => {
    const value = Object.hasOwn(shown, key) ? shown[key] : undefined;
    if (value === undefined) return '';
    if (typeof value === 'number') return String(value);
    const text = typeRules[type].print(value);
    return guarded(typeof text === 'string' ? text : joinList(text));
  });
};

const recordOf = ({ project, counts }: CatalogEntry, fields: Fields): string[] => [
  ...importFields.map((field) => (isCounter(field) ? String(counters[field](counts)) : cellOf(project[field]))),
  ...valuesOf(fields, project),
];

const BYTE_ORDER_MARK = '\ufeff';

async function* linesOf(projects: ReadCatalog, fields: Fields, isMarked: boolean): AsyncGenerator<string> {
  if (isMarked) yield BYTE_ORDER_MARK;
  let records: string[][] = [[...importFields, ...fields.all.map(({ key }) => `fields.${key}`)]];
  for (const entry of projects.all()) {
    records.push(recordOf(entry, fields));
    if (records.length < ROWS_PER_CHUNK) continue;
    yield csvLines(records);
    records = [];
    // Other requests get their turn: the stream takes the lines without a pause.
    await nextTurn();
  }
  if (records.length > 0) yield csvLines(records);
}

/**
 * Streams all projects as CSV, oldest first, including deleted ones: a header, then one record each. The columns are
 * `importFields`, then one per definition of a further field, so the import reads the file back. Lists are joined by `|`, with `|` and backslash escaped by a backslash; a
 * text that a spreadsheet would evaluate as a formula is prefixed with an apostrophe.
 * @param isMarked whether a byte order mark comes first.
 * @returns the lines and the day (`yyyy-mm-dd`, UTC).
 */
export const exportProjects = async ({ isMarked }: { readonly isMarked: boolean }) => ({
  stream: linesOf(await catalog('now'), await currentFields(), isMarked),
  day: dayOf(now()),
});
