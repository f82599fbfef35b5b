import * as z from 'zod';
import { trimmed } from '#contract/characters.ts';
import { line, optionalText, parsed, Reference, TimestampInput } from '#contract/fields.ts';
import {
  type ColumnTarget,
  type CounterField,
  type ImportField,
  type ImportMapping,
  importFields,
  type MappedField,
  Plan,
  PricingType,
  ProjectContent,
  Status,
} from '#contract/projects.ts';
import { withScheme } from '#contract/web-addresses.ts';
import type { Caller } from '#model/api-key.ts';
import { type Fields, fieldNamed, isFieldName, problemOfValue, typeRules } from '#model/field.ts';
import { splitList, unguarded } from '#shared/csv/cells.ts';
import { columnName } from '#shared/csv/mapping.ts';
import { degreesOf, placeOf, timeOf } from '#shared/csv/notations.ts';
import type { CsvRecord } from '#shared/csv/parse.ts';
import { plainText } from '#shared/csv/plain-text.ts';
import { type FieldIssue, invalidFields, outOfScope } from '#shared/errors.ts';
import type { ParsedUpload } from './file.ts';

/** Why a row fails. */
export interface Problem {
  /** Null for the row as a whole. */
  readonly field: MappedField | 'fields' | null;
  readonly message: string;
}

const inLowerCase = <T extends z.ZodType<string, string>>(schema: T) => z.string().trim().toLowerCase().pipe(schema);

const Time = z.string().trim().transform(timeOf).pipe(TimestampInput);

const cellSchemas = {
  ...ProjectContent.shape,
  id: z.string().regex(/^prj_[0-7][0-9A-HJKMNP-TV-Z]{25}$/, { error: 'must be "prj_" followed by a ULID' }),
  // Slugs or names; their number is limited after they are resolved.
  categories: z.array(line(1, 100)),
  pricing_type: inLowerCase(PricingType),
  plan: inLowerCase(Plan),
  status: inLowerCase(Status),
  owner_id: Reference,
  rejection_reason: optionalText(1000),
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

// The compiler reports a field of the contract that is neither read nor a counter.
true satisfies [Exclude<ImportField, keyof typeof cellSchemas | CounterField>] extends [never] ? true : never;

const RowValues = z.object(inColumnOrder).partial();

/** The fields that a row mentions; null clears a field. */
export type RowValues = z.output<typeof RowValues>;

export interface Row {
  readonly number: number;
  /** As they came. */
  readonly cells: readonly string[];
  /** The URL, also when another field is invalid; undefined when it is missing or invalid itself. */
  readonly url?: string | undefined;
  /** Empty when there are problems. */
  readonly values: RowValues;
  /** Given values of further fields by key, not checked: that depends on the categories and present values of the listing. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The mentioned fields, valid or not. */
  readonly mentions: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

const listFields: ReadonlySet<string> = new Set<ImportField>(['categories', 'tags', 'screenshots']);
const urlFields: ReadonlySet<string> = new Set<ImportField>(['url', 'logo_url', 'video_url']);
const importedFields: ReadonlySet<string> = new Set(Object.keys(RowValues.shape));
const nullableFields: ReadonlySet<string> = new Set(
  Object.entries(RowValues.shape).flatMap(([field, { def }]) => (def.innerType.safeParse(null).success ? [field] : [])),
);

const isAxis = (field: string): field is 'latitude' | 'longitude' => field === 'latitude' || field === 'longitude';

/** How the cells of a file are read. */
interface Reading {
  readonly separator: string;
  readonly fields: Fields;
}

const readCell = (field: MappedField, cell: string, { separator, fields }: Reading): unknown => {
  const definition = fieldNamed(fields, field);
  if (definition) return typeRules[definition.type].read(cell, (entries) => splitList(entries, separator));
  if (listFields.has(field)) {
    const entries = splitList(cell, separator);
    return field === 'screenshots' ? entries.map(withScheme) : entries;
  }
  if (isAxis(field)) return degreesOf(cell, field);
  return urlFields.has(field) ? withScheme(cell) : cell;
};

/** One of the two numbers in a cell with coordinates. */
const partOfPlace = (cell: string, field: MappedField): number =>
  placeOf(cell)?.[isAxis(field) ? field : 'latitude'] ?? Number.NaN;

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

const validUrl = (url: unknown): string | undefined => ProjectContent.shape.url.safeParse(url).data;

/** Fields that are not content, which API keys do not import. */
const reservedFields: readonly ImportField[] = [
  'status',
  'plan',
  'owner_id',
  'paid_at',
  'deleted_at',
  'rejection_reason',
];

/** @throws 403 when an API key imports more than content. */
export const mustImportContent = ({ columns, defaults }: ImportMapping, caller: Caller): void => {
  const fields = new Set([...Object.values(columns), ...Object.keys(defaults)]);
  if (caller.scopes && reservedFields.some((field) => fields.has(field))) throw outOfScope();
};

/** The values of further fields among those that a row gives. */
const valuesByKey = (given: Readonly<Record<string, unknown>>, fields: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const definition = fieldNamed(fields, name);
      return definition ? [[definition.key, value]] : [];
    }),
  );

/** A column in the text of a default. */
const PLACEHOLDER = /\{([^{}]+)\}/g;

const columnsIn = (value: Default | undefined): string[] =>
  (Array.isArray(value) ? value : typeof value === 'string' ? [value] : []).flatMap((one) =>
    [...one.matchAll(PLACEHOLDER)].map(([, column = '']) => columnName(column)),
  );

/** The defaults that name columns. @throws 400 under `details.mapping.defaults` for a column that the file does not have once. */
const templatesOf = ({ defaults }: ImportMapping, header: readonly string[], fields: Fields) => {
  // Hours are JSON, which has braces.
  const isTemplate = (field: MappedField): boolean =>
    isImported(field, fields) && !uniqueFields.has(field) && fieldNamed(fields, field)?.type !== 'hours';
  const named = entriesOf(defaults).filter(([field, value]) => isTemplate(field) && columnsIn(value).length > 0);
  const wrong = named.flatMap(([field, value]) => {
    const column = columnsIn(value).find(
      (one) => header.indexOf(one) !== header.lastIndexOf(one) || !header.includes(one),
    );
    const problem = column !== undefined && (header.includes(column) ? 'is repeated in' : 'is not a column of');
    return problem ? [{ path: ['mapping', 'defaults', field], message: `"${column}" ${problem} the file` }] : [];
  });
  if (wrong.length > 0) throw invalidFields(wrong);
  return named;
};

/** A default with the cells of a row in place of its columns; blank when all of these are. */
const filled = (value: Default, header: readonly string[], cellAt: (index: number) => string): Default => {
  const cellOf = (column: string): string => cellAt(header.indexOf(columnName(column)));
  if (columnsIn(value).every((column) => cellOf(column) === '')) return '';
  const fill = (one: string): string => one.replace(PLACEHOLDER, (_, column: string) => cellOf(column));
  return Array.isArray(value) ? value.map(fill) : typeof value === 'string' ? fill(value) : value;
};

type Default = NonNullable<ImportMapping['defaults'][MappedField]> | null;

const entriesOf = (defaults: ImportMapping['defaults']) => Object.entries(defaults) as [MappedField, Default][];

/** Whether a field is not a counter, nor one whose definition is deleted. */
const isImported = (field: MappedField, fields: Fields): boolean =>
  importedFields.has(field) || fieldNamed(fields, field) !== undefined;

const readDefault = (field: MappedField, value: Default, reading: Reading): unknown => {
  const definition = fieldNamed(reading.fields, field);
  if (value === null) return listFields.has(field) ? [] : nullableFields.has(field) || definition ? null : undefined;
  if (typeof value === 'number') {
    return isAxis(field) || definition?.type === 'number' ? value : String(value);
  }
  if (typeof value !== 'string') return value;
  const cell = trimmed(value);
  return cell === '' ? undefined : readCell(field, cell, reading);
};

/** The value of a field without one; nothing for a field that every listing has. */
const emptied = (field: MappedField, reading: Reading): Record<string, unknown> => {
  const value = readDefault(field, null, reading);
  return value === undefined ? {} : { [field]: value };
};

/** Fields that cannot have a default, because they differ between projects. */
const uniqueFields: ReadonlySet<string> = new Set(['id', 'slug']);

/** @throws 400 under `details.mapping.defaults`. */
const readDefaults = (
  { defaults }: ParsedUpload['mapping'],
  templates: ReadonlySet<string>,
  reading: Reading,
): Record<string, unknown> => {
  const read = Object.fromEntries(
    entriesOf(defaults).flatMap(([field, value]) => {
      const isRead = isImported(field, reading.fields) && !templates.has(field);
      const result = isRead ? readDefault(field, value, reading) : undefined;
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
 * Checks what a mapping says of further fields before rows are read. While they are read, a definition may change: rows then
 * fail, or ignore what is deleted.
 * @throws 400 under `details.mapping` for an unknown key and for a default that its field does not take.
 */
export const mustFitFields = (
  { mapping, columnsPath, header }: Pick<ParsedUpload, 'mapping' | 'columnsPath' | 'header'>,
  fields: Fields,
): void => {
  const { columns, defaults, list_separator: separator } = mapping;
  const isUnknown = (field: ColumnTarget): boolean => isFieldName(field) && !fieldNamed(fields, field);
  const message = 'must be a field of a project';
  const unknown = [
    ...Object.entries(columns).flatMap(([column, field]) =>
      isUnknown(field) ? [{ path: [...columnsPath, column], message }] : [],
    ),
    ...entriesOf(defaults).flatMap(([field]) =>
      isUnknown(field) ? [{ path: ['mapping', 'defaults', field], message }] : [],
    ),
  ];
  const templates = new Set(templatesOf(mapping, header, fields).map(([field]) => field));
  const wrong = entriesOf(defaults).flatMap(([field, value]) => {
    const definition = templates.has(field) ? undefined : fieldNamed(fields, field);
    const problem = definition && problemOfValue(definition, readDefault(field, value, { separator, fields }));
    return problem === undefined ? [] : [{ path: ['mapping', 'defaults', field], message: problem }];
  });
  if (unknown.length + wrong.length > 0) throw invalidFields([...unknown, ...wrong]);
};

/** How the text of a cell is read, before it is read as the value of a field; blank for a cell that is missing. */
export const textReader =
  (mapping: Pick<ImportMapping, 'text'>) =>
  (cells: readonly string[], index: number): string => {
    const cell = cells[index] ?? '';
    return unguarded(trimmed(mapping.text === 'html' ? plainText(cell) : cell));
  };

/**
 * Creates the function that validates the rows of a file. A blank cell counts as the default of its field or, without
 * one, as not mentioned, or as no value where blank cells clear fields. A default may name columns, as in `{type} in {city}`. Counters are ignored, because the votes and comments that they count are not in the file.
 * @throws 400 when a default is invalid.
 */
export const rowValidator = ({
  mapping,
  columns,
  header,
  fields,
}: Pick<ParsedUpload, 'mapping' | 'columns' | 'header'> & { readonly fields: Fields }): ((
  record: CsvRecord,
) => Row) => {
  const reading = { separator: mapping.list_separator, fields };
  const templates = templatesOf(mapping, header, fields);
  const defaults = readDefaults(mapping, new Set(templates.map(([field]) => field)), reading);
  const imported = columns.filter(({ field }) => isImported(field, fields));
  const textAt = textReader(mapping);
  const givenBy = (cells: readonly string[]): Record<string, unknown> => {
    const cellAt = (index: number): string => textAt(cells, index);
    const given = { ...defaults };
    for (const [field, value] of templates) {
      const read = readDefault(field, filled(value, header, cellAt), reading);
      if (read !== undefined) given[field] = read;
    }
    for (const { field, index, isPlace } of imported) {
      const cell = cellAt(index);
      if (cell !== '') given[field] = isPlace ? partOfPlace(cell, field) : readCell(field, cell, reading);
      else if (mapping.blank === 'clear' && !(field in given)) Object.assign(given, emptied(field, reading));
    }
    return given;
  };
  return ({ number, cells, broken }) => {
    const defect =
      broken ?? (cells.length > header.length ? `has ${cells.length} cells instead of ${header.length}` : undefined);
    if (defect !== undefined) {
      const problems = [{ field: null, message: `The row ${defect}.` }];
      return { number, cells, values: {}, fields: {}, mentions: new Set(), problems };
    }
    const given = givenBy(cells);
    const { values, problems } = parseValues(given);
    const url = problems.length === 0 ? values.url : validUrl(given.url);
    const mentions = new Set(Object.keys(given));
    return { number, cells, url, mentions, values, fields: valuesByKey(given, fields), problems };
  };
};
