import * as z from 'zod';
import { RANGE } from '#contract/custom-fields.ts';
import { decimalParameter, TimestampInput } from '#contract/fields.ts';
import { type FieldIssue, invalidField, invalidFields } from '#shared/errors.ts';
import { DAY_MS } from './days.ts';
import { type CurrentField, type Fields, hasOptions, mayRead, type Reader } from './field.ts';

/** What a filter requires of the value of a field. */
export type FieldCondition =
  | { readonly kind: 'present' }
  /** One of these options, booleans or folded texts. */
  | { readonly kind: 'any'; readonly values: readonly string[] }
  /** Each of these options. */
  | { readonly kind: 'all'; readonly values: readonly string[] }
  /** A number, or a date as `dayNumber`, both bounds included. */
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  /** Opening hours that include a time, in milliseconds since the epoch. */
  | { readonly kind: 'open'; readonly at: number };

/** A filter on the values of a field. */
export interface FieldFilter {
  readonly field: CurrentField;
  readonly condition: FieldCondition;
}

/** An order by the values of a field. Listings without one come last in both directions. */
export interface FieldSort {
  readonly field: CurrentField;
  readonly descending: boolean;
}

const date = z.iso.date();
const number = decimalParameter();

/** Dates as numbers that compare like them. */
export const dayNumber = (day: string): number => Date.parse(day) / DAY_MS;

export const dayOfNumber = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** The part of a definition that decides what its filters may be. */
type TypedField = Pick<CurrentField, 'type'>;

/** A value that ranges have as a bound. */
const boundOf = (field: TypedField, text: string): number | undefined => {
  if (field.type === 'date') return date.safeParse(text).success ? dayNumber(text) : undefined;
  return number.safeParse(text).data;
};

type Parsed = FieldCondition | { readonly message: string } | undefined;

const rangeOf = (field: TypedField, text: string): Parsed => {
  const at = text.indexOf(RANGE);
  const [begin, end] = at < 0 ? [text, text] : [text.slice(0, at), text.slice(at + RANGE.length)];
  const from = begin.trim() === '' ? Number.NEGATIVE_INFINITY : boundOf(field, begin.trim());
  const to = end.trim() === '' ? Number.POSITIVE_INFINITY : boundOf(field, end.trim());
  if (from === undefined || to === undefined || (begin.trim() === '' && end.trim() === '')) {
    const [what, example] = field.type === 'date' ? ['date', '2026-11-01..2026-11-30'] : ['number', '10..50'];
    return { message: `must be a ${what} or a range such as ${example}` };
  }
  if (to < from) return { message: 'must not end before it begins' };
  return { kind: 'range', from, to };
};

const OPEN_AT = 'open@';

/** @param now milliseconds since the epoch. */
const openingOf = (text: string, now: number): Parsed => {
  if (text === 'open') return { kind: 'open', at: now };
  const time = TimestampInput.safeParse(text.startsWith(OPEN_AT) ? text.slice(OPEN_AT.length) : undefined);
  if (!time.success) return { message: 'must be open, open@ with an ISO 8601 time, or *' };
  return { kind: 'open', at: Date.parse(time.data) };
};

const ALL = 'all:';

const choiceOf = ({ type }: TypedField, text: string): Parsed => {
  const isAll = type === 'multi_select' && text.startsWith(ALL);
  const parts = (isAll ? text.slice(ALL.length) : text).split(',').map((part) => part.trim());
  const values = [...new Set(parts.filter((part) => part !== ''))];
  if (type === 'boolean' && values.some((value) => value !== 'true' && value !== 'false')) {
    return { message: 'must be true or false' };
  }
  return values.length === 0 ? undefined : { kind: isAll ? 'all' : 'any', values };
};

/** The condition of a filter as it is written, or what is wrong with it; undefined for none. @param now milliseconds since the epoch. */
export const conditionOf = (field: TypedField, given: string, now: number): Parsed => {
  const text = given.trim();
  if (text === '') return undefined;
  if (text === '*') return { kind: 'present' };
  switch (field.type) {
    case 'number':
    case 'date':
      return rangeOf(field, text);
    case 'hours':
      return openingOf(text, now);
    case 'text':
      return { kind: 'any', values: [text] };
    default:
      return choiceOf(field, text);
  }
};

/**
 * The filters of a query.
 * @param now milliseconds since the epoch.
 * @throws 400 on `filter.<key>`, also for keys that the reader may not see.
 */
export const fieldFilters = (
  fields: Fields,
  reader: Reader,
  given: Readonly<Record<string, string>> | undefined,
  now: number,
): FieldFilter[] => {
  const filters: FieldFilter[] = [];
  const issues: FieldIssue[] = [];
  for (const [key, value] of Object.entries(given ?? {})) {
    const field = fields.get(key);
    const reject = (message: string): void => void issues.push({ path: ['filter', key], message });
    if (!field?.filterable || !mayRead(reader, field)) {
      reject('is not a filterable field');
    } else {
      const condition = conditionOf(field, value, now);
      if (condition && 'message' in condition) reject(condition.message);
      else if (condition) filters.push({ field, condition });
    }
  }
  if (issues.length > 0) throw invalidFields(issues);
  return filters;
};

const PREFIX = 'fields.';

/** The name of a field among facets. */
export const facetName = ({ key }: CurrentField): `fields.${string}` => `${PREFIX}${key}`;

/** The key of a field in `sort`; undefined for other orders. */
export const keyOfSort = (sort: string): string | undefined => {
  const name = sort.startsWith('-') ? sort.slice(1) : sort;
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;
};

/** The order of a query by a field; undefined for other orders. @throws 400 on `sort`. */
export const fieldSort = (fields: Fields, reader: Reader, sort: string): FieldSort | undefined => {
  const key = keyOfSort(sort);
  if (key === undefined) return undefined;
  const field = fields.get(key);
  if (!field?.sortable || !mayRead(reader, field)) throw invalidField(['sort'], 'is not a sortable field');
  return { field, descending: sort.startsWith('-') };
};

/** Whether values of a field can be counted, or have a range. */
const isCountable = (field: CurrentField): boolean =>
  hasOptions(field.type) || field.type === 'boolean' || field.type === 'number' || field.type === 'date';

/** The fields among the facets of a query. @throws 400 on `facets`. */
export const fieldFacets = (fields: Fields, reader: Reader, facets: readonly string[] | undefined): CurrentField[] =>
  (facets ?? []).flatMap((name) => {
    const key = keyOfSort(name);
    if (key === undefined) return [];
    const field = fields.get(key);
    if (!field?.filterable || !mayRead(reader, field) || !isCountable(field)) {
      throw invalidField(['facets'], `"${name}" is not a field with facets`);
    }
    return field;
  });
