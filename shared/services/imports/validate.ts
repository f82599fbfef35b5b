import * as z from 'zod';
import { line, parsed, Reference, TimestampInput, text } from '#contract/fields.ts';
import {
  type ImportField,
  type ImportMapping,
  importFields,
  Plan,
  PricingType,
  ProjectContent,
  Status,
} from '#contract/projects.ts';
import { splitList, unguarded } from '#shared/csv/cells.ts';
import type { CsvRecord } from '#shared/csv/parse.ts';
import { type FieldIssue, invalidFields } from '#shared/errors.ts';
import type { ParsedUpload } from './parse.ts';

/** Why a row fails. */
export interface Problem {
  /** Null for the row as a whole. */
  readonly field: ImportField | null;
  readonly message: string;
}

const inLowerCase = <T extends z.ZodType<string, string>>(schema: T) => z.string().trim().toLowerCase().pipe(schema);

const DAY = /^\d{4}-\d\d-\d\d$/;

/** A date without a time is its start in UTC. */
const Time = z
  .string()
  .trim()
  .transform((value) => (DAY.test(value) ? `${value}T00:00:00Z` : value))
  .pipe(TimestampInput);

const cellSchemas = {
  ...ProjectContent.shape,
  id: z.string().regex(/^prj_[0-7][0-9A-HJKMNP-TV-Z]{25}$/, { error: 'must be "prj_" followed by a ULID' }),
  // Slugs or names; their number is limited after they are resolved.
  categories: z.array(line(1, 100)),
  pricing_type: inLowerCase(PricingType),
  plan: inLowerCase(Plan),
  status: inLowerCase(Status),
  owner_id: Reference,
  rejection_reason: text(0, 1000).nullable(),
  created_at: Time,
  updated_at: Time,
  published_at: Time.nullable(),
  deleted_at: Time.nullable(),
  paid_at: Time.nullable(),
};

/** The schema reports the problems of a row in the order of the columns. */
const inColumnOrder = Object.fromEntries(
  importFields.flatMap((field) =>
    field in cellSchemas ? [[field, cellSchemas[field as keyof typeof cellSchemas]]] : [],
  ),
) as typeof cellSchemas;

const RowValues = z.object(inColumnOrder).partial();

/** The fields that a row mentions; null clears a field. */
export type RowValues = z.output<typeof RowValues>;

export interface Row {
  readonly number: number;
  /** As they came. */
  readonly cells: readonly string[];
  /** The name, also when another field is invalid; undefined when it is missing or invalid itself. */
  readonly name?: string | undefined;
  /** Empty when there are problems. */
  readonly values: RowValues;
  /** The mentioned fields, valid or not. */
  readonly mentions: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

const listFields: ReadonlySet<ImportField> = new Set(['categories', 'tags', 'screenshots']);
const numberFields: ReadonlySet<ImportField> = new Set(['latitude', 'longitude']);
const urlFields: ReadonlySet<ImportField> = new Set(['url', 'logo_url', 'video_url']);
const importedFields: ReadonlySet<string> = new Set(Object.keys(RowValues.shape));
const nullableFields: ReadonlySet<string> = new Set(
  Object.entries(RowValues.shape).flatMap(([field, { def }]) => (def.innerType.safeParse(null).success ? [field] : [])),
);

const BARE_HOST = /^(?:[\p{L}\p{N}-]+\.)+(?:\p{L}{2,}|xn--[a-z\d-]+)(?::\d+)?(?:[/?#]\S*)?$/iu;

/** Adds `https://` to a URL without a scheme, such as `www.example.com`. */
const withScheme = (url: string): string => (BARE_HOST.test(url) ? `https://${url}` : url);

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** A comma is a decimal separator: degrees need no separator of thousands. */
const numberOf = (cell: string): number => {
  const withPoint = cell.replace(',', '.');
  return NUMBER.test(withPoint) ? Number(withPoint) : Number.NaN;
};

const readCell = (field: ImportField, cell: string, separator: string): unknown => {
  if (listFields.has(field)) {
    const entries = splitList(cell, separator);
    return field === 'screenshots' ? entries.map(withScheme) : entries;
  }
  if (numberFields.has(field)) return numberOf(cell);
  return urlFields.has(field) ? withScheme(cell) : cell;
};

export const problemOf = ({ path, message }: FieldIssue): Problem => {
  const [field, position] = path;
  const entry = typeof position === 'number' ? `entry ${position + 1} ` : '';
  return { field: field as ImportField, message: `${entry}${message}` };
};

/** One issue per field and entry: a value of the wrong type also violates the rules about its content. */
const firstOfEach = (issues: readonly FieldIssue[]): FieldIssue[] =>
  [...new Map(issues.toReversed().map((issue) => [issue.path.join(' '), issue])).values()].toReversed();

const parseValues = (given: Record<string, unknown>): { values: RowValues; problems: Problem[] } => {
  const result = parsed(RowValues, given);
  return result.issues
    ? { values: {}, problems: firstOfEach(result.issues).map(problemOf) }
    : { values: result.data, problems: [] };
};

const validName = (name: unknown): string | undefined => ProjectContent.shape.name.safeParse(name).data;

type Default = NonNullable<ImportMapping['defaults'][ImportField]> | null;

const readDefault = (field: ImportField, value: Default, separator: string): unknown => {
  if (value === null) return listFields.has(field) ? [] : nullableFields.has(field) ? null : undefined;
  if (value === '') return undefined;
  if (typeof value === 'number') return numberFields.has(field) ? value : String(value);
  return typeof value === 'string' ? readCell(field, value.trim(), separator) : value;
};

/** Fields that cannot have a default, because they differ between projects. */
const uniqueFields: ReadonlySet<string> = new Set(['id', 'slug']);

/** @throws 400 under `details.mapping.defaults`. */
const readDefaults = ({ defaults, list_separator: separator }: ParsedUpload['mapping']): Record<string, unknown> => {
  const read = Object.fromEntries(
    (Object.entries(defaults) as [ImportField, Default][]).flatMap(([field, value]) => {
      const result = importedFields.has(field) ? readDefault(field, value, separator) : undefined;
      return result === undefined ? [] : [[field, result]];
    }),
  );
  const problems = parseValues(read).problems.concat(
    Object.keys(read).flatMap((field) =>
      uniqueFields.has(field) ? [{ field: field as ImportField, message: 'cannot be the same for all rows' }] : [],
    ),
  );
  if (problems.length === 0) return read;
  throw invalidFields(
    problems.map(({ field, message }) => ({ path: ['mapping', 'defaults', String(field)], message })),
  );
};

/**
 * Creates the function that validates the rows of a file. A blank cell counts as the default of its field or, without
 * one, as not mentioned. Counters are ignored, because the votes and comments that they count are not in the file.
 * @throws 400 when a default is invalid.
 */
export const rowValidator = ({
  mapping,
  columns,
  header,
}: Pick<ParsedUpload, 'mapping' | 'columns' | 'header'>): ((record: CsvRecord) => Row) => {
  const defaults = readDefaults(mapping);
  const imported = columns.filter(({ field }) => importedFields.has(field));
  return ({ number, cells, broken }) => {
    const defect =
      broken ?? (cells.length === header.length ? undefined : `has ${cells.length} cells instead of ${header.length}`);
    if (defect !== undefined) {
      return {
        number,
        cells,
        values: {},
        mentions: new Set(),
        problems: [{ field: null, message: `The row ${defect}.` }],
      };
    }
    const given = { ...defaults };
    for (const { field, index } of imported) {
      const cell = unguarded((cells[index] ?? '').trim());
      if (cell !== '') given[field] = readCell(field, cell, mapping.list_separator);
    }
    const { values, problems } = parseValues(given);
    const name = problems.length === 0 ? values.name : validName(given.name);
    return { number, cells, name, mentions: new Set(Object.keys(given)), values, problems };
  };
};
