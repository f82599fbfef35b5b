import * as z from 'zod';
import { checked } from '#contract/checked.ts';
import { type ImportField, ImportMapping } from '#contract/projects.ts';
import { type FieldErrors, invalidField } from '#shared/errors.ts';

/** A mapping that passed its schema, and where in what the caller sent its columns stand. */
export interface ReadMapping {
  readonly mapping: ImportMapping;
  readonly columnsAt: readonly string[];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The short form names columns only: every value is the name of a field. `columns` may then be a column like any other. */
const isShortForm = (given: Record<string, unknown>): boolean =>
  !isObject(given.columns) &&
  Object.keys(given).length > 0 &&
  Object.values(given).every((one) => typeof one === 'string');

const Short = z.object({ mapping: ImportMapping.shape.columns });
const Long = z.object({ mapping: ImportMapping });

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidField(['mapping'], 'is not valid JSON');
  }
};

// Header cells are trimmed, so the names that are to be found among them are too.
const trimmed = (columns: ImportMapping['columns']): ImportMapping['columns'] =>
  Object.fromEntries(Object.entries(columns).map(([column, field]) => [column.trim(), field]));

/**
 * Reads a mapping in its long or short form.
 * @throws 400 under `details.mapping`.
 */
export const readMapping = (text: string): ReadMapping => {
  const given = parsed(text);
  if (!isObject(given)) throw invalidField(['mapping'], 'must be a JSON object');
  if (isShortForm(given)) {
    const { mapping: columns } = checked(Short, { mapping: given });
    return { mapping: ImportMapping.parse({ columns: trimmed(columns) }), columnsAt: ['mapping'] };
  }
  const { mapping } = checked(Long, { mapping: given });
  const columnsAt = ['mapping', 'columns'];
  if (Object.keys(mapping.columns).length === 0) throw invalidField(columnsAt, 'must map at least one column');
  return { mapping: { ...mapping, columns: trimmed(mapping.columns) }, columnsAt };
};

/** A column of a file that is mapped to a field. */
export interface MappedColumn {
  readonly column: string;
  readonly field: ImportField;
  /** Where its cells stand in a record, from 0. */
  readonly index: number;
}

/**
 * Finds the mapped columns in a header. Columns of the header that are not mapped may be called as they like.
 * @throws 400 with every column that is not there or there twice, and every field that two columns are mapped to.
 */
export const mappedColumns = ({ mapping, columnsAt }: ReadMapping, header: readonly string[]): MappedColumn[] => {
  const wrong: Record<string, string> = {};
  const columnOf = new Map<ImportField, string>();
  const columns = Object.entries(mapping.columns).map(([column, field]) => {
    const index = header.indexOf(column);
    const other = columnOf.get(field);
    if (index < 0) wrong[column] = 'is not a column of the file';
    else if (header.includes(column, index + 1)) wrong[column] = 'is a column of the file more than once';
    else if (other !== undefined) wrong[column] = `is mapped to ${field}, and so is "${other}"`;
    else columnOf.set(field, column);
    return { column, field, index };
  });
  if (Object.keys(wrong).length > 0) throw invalidColumns(columnsAt, wrong);
  return columns;
};

const invalidColumns = (at: readonly string[], wrong: Readonly<Record<string, string>>) => {
  const error = invalidField(at);
  let level = error.extra.details as FieldErrors;
  for (const step of at) level = level[step] as FieldErrors;
  for (const [column, message] of Object.entries(wrong)) level[column] = { _errors: [message] };
  return error;
};
