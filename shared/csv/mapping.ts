import * as z from 'zod';
import { checked } from '#contract/fields.ts';
import { type ImportField, ImportMapping } from '#contract/projects.ts';
import { invalidField, invalidFields } from '#shared/errors.ts';

/** A valid mapping. */
export interface ParsedMapping {
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

// Header cells are trimmed as well.
const trimmed = (columns: ImportMapping['columns']): ImportMapping['columns'] =>
  Object.fromEntries(Object.entries(columns).map(([column, field]) => [column.trim(), field]));

/** Reads a mapping in its long or short form. @throws 400 under `details.mapping`. */
export const parseMapping = (text: string): ParsedMapping => readMapping(parseJson(text));

/** Reads a mapping like `parseMapping`, from a value. @throws 400 under `details.mapping`. */
export const readMapping = (given: unknown): ParsedMapping => {
  if (!isObject(given)) throw invalidField(['mapping'], 'must be a JSON object');
  if (isShortForm(given)) {
    const { mapping: columns } = checked(ShortForm, { mapping: given });
    return { mapping: ImportMapping.parse({ columns: trimmed(columns) }), columnsPath: ['mapping'] };
  }
  const { mapping } = checked(LongForm, { mapping: given });
  const columnsPath = ['mapping', 'columns'];
  if (Object.keys(mapping.columns).length === 0) throw invalidField(columnsPath, 'must map at least one column');
  return { mapping: { ...mapping, columns: trimmed(mapping.columns) }, columnsPath };
};

/** A column of the file that is mapped to a field. */
export interface MappedColumn {
  readonly column: string;
  readonly field: ImportField;
  /** The index of its cells in a record. */
  readonly index: number;
}

/**
 * Finds the mapped columns in the header; other columns are ignored.
 * @throws 400 naming every mapped column that is missing or repeated, and every column whose field has another column.
 */
export const mappedColumns = ({ mapping, columnsPath }: ParsedMapping, header: readonly string[]): MappedColumn[] => {
  const wrong = new Map<string, string>();
  const columnOf = new Map<ImportField, string>();
  const columns = Object.entries(mapping.columns).map(([column, field]) => {
    const index = header.indexOf(column);
    const other = columnOf.get(field);
    if (index < 0) wrong.set(column, 'is not a column of the file');
    else if (header.includes(column, index + 1)) wrong.set(column, 'is repeated in the header of the file');
    else if (other !== undefined) wrong.set(column, `is mapped to ${field}, as is "${other}"`);
    else columnOf.set(field, column);
    return { column, field, index };
  });
  if (wrong.size > 0)
    throw invalidFields([...wrong].map(([column, message]) => ({ path: [...columnsPath, column], message })));
  return columns;
};
