import * as z from 'zod';
import { TimestampInput, text } from '#contract/fields.ts';
import { type ImportField, type ImportMapping, Plan, PricingType, ProjectContent, Status } from '#contract/projects.ts';
import { unguarded } from '#shared/csv/guard.ts';
import { splitList } from '#shared/csv/list-cell.ts';
import type { MappedColumn } from '#shared/csv/mapping.ts';
import type { CsvRecord } from '#shared/csv/parse.ts';
import { type FieldErrors, invalidField } from '#shared/errors.ts';

/** What is wrong with a row, and with which of its fields; null when it is the row as a whole. */
export interface Problem {
  readonly field: ImportField | null;
  readonly message: string;
}

const { shape } = ProjectContent;

// People write "Free", and mean the same.
const inLowerCase = <T extends z.ZodType<string, string>>(schema: T) => z.string().trim().toLowerCase().pipe(schema);

const DAY = /^\d{4}-\d\d-\d\d$/;

/** A time; a day alone is its beginning in UTC. */
const Time = z
  .string()
  .trim()
  .transform((value) => (DAY.test(value) ? `${value}T00:00:00Z` : value))
  .pipe(TimestampInput);

const RowValues = z
  .object({
    id: z.string().regex(/^prj_[0-7][0-9A-HJKMNP-TV-Z]{25}$/, { error: 'must be prj_ and a ULID' }),
    slug: shape.slug,
    name: shape.name,
    url: shape.url,
    description: shape.description,
    long_description: shape.long_description,
    // Cells may hold names in place of slugs; how many and which ones is asked when it is known what they stand for.
    categories: z.array(z.string().max(100, { error: 'must have at most 100 characters' })),
    tags: shape.tags,
    logo_url: shape.logo_url,
    screenshots: shape.screenshots,
    video_url: shape.video_url,
    pricing_type: inLowerCase(PricingType),
    plan: inLowerCase(Plan),
    status: inLowerCase(Status),
    latitude: shape.latitude,
    longitude: shape.longitude,
    address_city: shape.address_city,
    address_country: shape.address_country,
    owner_id: z.string().trim().min(1).max(200, { error: 'must have at most 200 characters' }),
    rejection_reason: text(0, 1000).nullable(),
    created_at: Time,
    updated_at: Time,
    published_at: Time.nullable(),
    deleted_at: Time.nullable(),
    paid_at: Time.nullable(),
  })
  .partial();

/** What a row says of a project. A field that is not mentioned is not there; null means that it shall be nothing. */
export type RowValues = z.output<typeof RowValues>;

/** A row that was understood, at least so far that it can be said what is wrong with it. */
export interface Row {
  readonly number: number;
  /** Empty when there are problems. */
  readonly values: RowValues;
  /** The fields that it says anything of, valid or not. */
  readonly mentions: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

const lists: ReadonlySet<ImportField> = new Set(['categories', 'tags', 'screenshots']);
const numbers: ReadonlySet<ImportField> = new Set(['latitude', 'longitude']);
const addresses: ReadonlySet<ImportField> = new Set(['url', 'logo_url', 'video_url']);
const readFields: ReadonlySet<string> = new Set(Object.keys(RowValues.shape));
const nullable: ReadonlySet<string> = new Set(
  Object.entries(RowValues.shape).flatMap(([field, { def }]) => (def.innerType.safeParse(null).success ? [field] : [])),
);

const BARE_HOST = /^(?:[\p{L}\p{N}-]+\.)+(?:\p{L}{2,}|xn--[a-z\d-]+)(?::\d+)?(?:[/?#]\S*)?$/iu;

/** `www.example.com` is what people write for an address; the scheme that nearly all of them have is put before it. */
const withScheme = (address: string): string => (BARE_HOST.test(address) ? `https://${address}` : address);

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

// Where the comma is the decimal point; degrees are never so many that they need a comma for the thousands.
const numberOf = (cell: string): number => {
  const plain = cell.replace(',', '.');
  return NUMBER.test(plain) ? Number(plain) : Number.NaN;
};

const readCell = (field: ImportField, cell: string, separator: string): unknown => {
  if (lists.has(field)) {
    const entries = splitList(cell, separator);
    return field === 'screenshots' ? entries.map(withScheme) : entries;
  }
  if (numbers.has(field)) return numberOf(cell);
  return addresses.has(field) ? withScheme(cell) : cell;
};

const explain = (issue: z.core.$ZodRawIssue): string | undefined => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'number' ? 'must be a number' : 'is not of the right type';
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      return `must be at least ${String(issue.minimum)}`;
    case 'too_big':
      return `must be at most ${String(issue.maximum)}`;
    default:
      return undefined;
  }
};

/** What an issue of a schema says of a row. */
export const problemOf = ({ path, message }: z.core.$ZodIssue): Problem => {
  const [field, position] = path;
  const entry = typeof position === 'number' ? `entry ${position + 1} ` : '';
  return { field: field as ImportField, message: `${entry}${message}` };
};

const understand = (given: Record<string, unknown>): { values: RowValues; problems: Problem[] } => {
  const parsed = RowValues.safeParse(given, { error: explain });
  return parsed.success
    ? { values: parsed.data, problems: [] }
    : { values: {}, problems: firstOfEach(parsed.error.issues).map(problemOf) };
};

// Whoever is told that it is no time at all need not hear that it is none that exists.
const firstOfEach = (issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] =>
  [...new Map(issues.toReversed().map((issue) => [issue.path.join(' '), issue])).values()].toReversed();

type Default = NonNullable<ImportMapping['defaults'][ImportField]> | null;

const readDefault = (field: ImportField, value: Default, separator: string): unknown => {
  if (value === null) return lists.has(field) ? [] : nullable.has(field) ? null : undefined;
  if (value === '') return undefined;
  if (typeof value === 'number') return numbers.has(field) ? value : String(value);
  return typeof value === 'string' ? readCell(field, value.trim(), separator) : value;
};

/** What every project has one of its own of cannot be the same for all rows. */
const own: ReadonlySet<string> = new Set(['id', 'slug']);

/** @throws 400 under `details.mapping.defaults`. */
const readDefaults = ({ defaults, list_separator: separator }: ImportMapping): Record<string, unknown> => {
  const given = Object.entries(defaults) as [ImportField, Default][];
  const read = Object.fromEntries(
    given.flatMap(([field, value]) => {
      const understood = readFields.has(field) ? readDefault(field, value, separator) : undefined;
      return understood === undefined ? [] : [[field, understood]];
    }),
  );
  const wrong = understand(read).problems.concat(
    Object.keys(read).flatMap((field) =>
      own.has(field) ? [{ field: field as ImportField, message: 'cannot be the same for all rows' }] : [],
    ),
  );
  if (wrong.length === 0) return read;
  const error = invalidField(['mapping', 'defaults']);
  const level = ((error.extra.details as FieldErrors).mapping as FieldErrors).defaults as FieldErrors;
  for (const { field, message } of wrong) level[String(field)] = { _errors: [message] };
  throw error;
};

/**
 * Makes the reader of a file's rows. A blank cell counts as the field's default or, where there is none, as not mentioned;
 * counters are not read, because what they count is not in the file.
 * @param width how many cells each row must have.
 * @throws 400 when the mapping's defaults are not valid themselves.
 */
export const rowReader = (
  mapping: ImportMapping,
  columns: readonly MappedColumn[],
  width: number,
): ((record: CsvRecord) => Row) => {
  const defaults = readDefaults(mapping);
  const read = columns.filter(({ field }) => readFields.has(field));
  return ({ number, cells, broken }) => {
    const broke = broken ?? (cells.length === width ? undefined : `has ${cells.length} cells in place of ${width}`);
    if (broke !== undefined) {
      return { number, values: {}, mentions: new Set(), problems: [{ field: null, message: `The row ${broke}.` }] };
    }
    const given = { ...defaults };
    for (const { field, index } of read) {
      const cell = unguarded((cells[index] ?? '').trim());
      if (cell !== '') given[field] = readCell(field, cell, mapping.list_separator);
    }
    return { number, mentions: new Set(Object.keys(given)), ...understand(given) };
  };
};
