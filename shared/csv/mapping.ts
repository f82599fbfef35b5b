import * as z from 'zod';
import { trimmed } from '#contract/characters.ts';
import { checked } from '#contract/fields.ts';
import { type ColumnTarget, counterFields, ImportMapping, type MappedField } from '#contract/projects.ts';
import { invalidField, invalidFields } from '#shared/errors.ts';

/** A valid mapping. */
interface ParsedMapping {
  readonly mapping: ImportMapping;
  /** The path of its columns in the request, for error details. */
  readonly columnsPath: readonly string[];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The short form has columns only, each with the name of a field. `columns` may then be the name of a column. */
const isShortForm = (given: Record<string, unknown>): boolean =>
  !isObject(given.columns) &&
  Object.keys(given).length > 0 &&
  Object.values(given).every((one) => typeof one === 'string');

// Wrapped, so that the paths of errors begin with `mapping`.
const ShortForm = z.object({ mapping: ImportMapping.shape.columns });
const LongForm = z.object({ mapping: ImportMapping });

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidField(['mapping'], 'is not valid JSON');
  }
};

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** The name of a column as headers, mappings and defaults are compared by it: in NFC, trimmed, without invisible characters. */
export const columnName = (given: string): string => given.replace(INVISIBLE, '').normalize('NFC').trim();

/** @throws 400 for two columns of one name. */
const named = (
  columns: ImportMapping['columns'],
  columnsPath: ParsedMapping['columnsPath'],
): ImportMapping['columns'] => {
  const all = new Map<string, (typeof columns)[string]>();
  for (const [column, target] of Object.entries(columns)) {
    const name = columnName(column);
    if (all.has(name))
      throw invalidField([...columnsPath, column], `is the column "${name}", which has a field already`);
    all.set(name, target);
  }
  return Object.fromEntries(all);
};

/** No schema keeps a member of this name. */
const PROTO = '__proto__';

/** Columns with a blank before a name that the schema would drop; `columnName` takes it off. */
const keepable = (columns: unknown): unknown =>
  isObject(columns)
    ? Object.fromEntries(
        Object.entries(columns).map(([column, field]) => [column === PROTO ? ` ${column}` : column, field]),
      )
    : columns;

/** Reads a mapping in its long or short form. @throws 400 under `details.mapping`. */
export const parseMapping = (text: string): ParsedMapping => readMapping(parseJson(text));

/** Reads a mapping like `parseMapping`, from a value. @throws 400 under `details.mapping`. */
export const readMapping = (given: unknown): ParsedMapping => {
  if (!isObject(given)) throw invalidField(['mapping'], 'must be a JSON object');
  if (isShortForm(given)) {
    const { mapping: columns } = checked(ShortForm, { mapping: keepable(given) });
    const columnsPath = ['mapping'];
    return { mapping: { ...ImportMapping.parse({ columns: {} }), columns: named(columns, columnsPath) }, columnsPath };
  }
  const { mapping } = checked(LongForm, { mapping: { ...given, columns: keepable(given.columns) } });
  const columnsPath = ['mapping', 'columns'];
  if (Object.keys(mapping.columns).length === 0) throw invalidField(columnsPath, 'must map at least one column');
  return { mapping: { ...mapping, columns: named(mapping.columns, columnsPath) }, columnsPath };
};

/** The fields that a new project needs. */
export const requiredFields = ['name', 'url', 'description'] as const;

const isBlank = (value: ImportMapping['defaults'][MappedField] | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'string' && trimmed(value) === '');

/**
 * Rows that update existing projects may lack these fields; all others would fail.
 * @throws 400 under `details.mapping.columns`, naming the fields.
 */
export const mustFillRequired = ({ columns, defaults, on_conflict }: ImportMapping): void => {
  if (on_conflict === 'update') return;
  const mapped = new Set<string>(Object.values(columns));
  const missing = requiredFields.filter((field) => !mapped.has(field) && isBlank(defaults[field]));
  if (missing.length === 0) return;
  throw invalidField(['mapping', 'columns'], `${missing.join(', ')}: no column and no default`);
};

/** A column of the file that is mapped to a field. */
export interface MappedColumn {
  readonly column: string;
  readonly field: MappedField;
  /** The index of its cells in a record. */
  readonly index: number;
  /** Whether its cells hold a latitude and a longitude, of which this is one. */
  readonly isPlace: boolean;
}

/** The virtual field for a latitude and a longitude in one cell. */
const COORDINATES = 'coordinates' satisfies ColumnTarget;

const fieldsOf = (target: ColumnTarget): readonly MappedField[] =>
  target === COORDINATES ? ['latitude', 'longitude'] : [target];

/**
 * Finds the mapped columns in the header, one with coordinates for both fields; other columns are ignored.
 * @throws 400 naming every mapped column that is missing or repeated, and every column whose field has another column.
 */
export const mappedColumns = ({ mapping, columnsPath }: ParsedMapping, header: readonly string[]): MappedColumn[] => {
  const wrong = new Map<string, string>();
  const columnOf = new Map<MappedField, string>();
  const all = Object.entries(mapping.columns).flatMap(([column, target]) =>
    fieldsOf(target).map((field) => ({
      column,
      field,
      index: header.indexOf(column),
      isPlace: target === COORDINATES,
    })),
  );
  for (const { column, field, index } of all) {
    const other = columnOf.get(field);
    if (index < 0) wrong.set(column, 'is not a column of the file');
    else if (header.includes(column, index + 1)) wrong.set(column, 'is repeated in the header of the file');
    else if (other !== undefined) wrong.set(column, `is mapped to ${field}, as is "${other}"`);
    else columnOf.set(field, column);
  }
  if (wrong.size > 0)
    throw invalidFields([...wrong].map(([column, message]) => ({ path: [...columnsPath, column], message })));
  return all;
};

const counters: ReadonlySet<ColumnTarget> = new Set(counterFields);

/** The columns whose field an import does not set. */
export const ignoredColumns = ({ columns }: Pick<ImportMapping, 'columns'>): string[] =>
  Object.entries(columns).flatMap(([column, target]) => (counters.has(target) ? [column] : []));
