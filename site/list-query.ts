import type * as z from 'zod';
import { type Field, RANGE } from '#contract/custom-fields.ts';
import { checkedQuery, parsed } from '#contract/fields.ts';
import { list } from '#contract/projects.ts';
import { listParameters } from '#contract/site.ts';
import { conditionOf } from '#model/field-filter.ts';
import { environment } from '#platform/environment.ts';
import type { PageRequest } from './page.ts';

/** The cards of a page. */
export const PAGE_SIZE = 24;

/** A parameter with its text as it is written into addresses. */
export type Parameters = Readonly<Record<string, string>>;

/** The query of a page of a list. */
export interface ListState {
  /** The parameters with a value, without `page`. */
  readonly parameters: Parameters;
  readonly query: z.output<typeof list.query>;
  /** The parameters with a wrong value; they are left out of the query. */
  readonly problems: readonly string[];
}

const FACETS = 'category,pricing,tag';

const isBlank = (value: string | readonly string[]): boolean => [value].flat().every((one) => one.trim() === '');

/** The names of parameters that are on while their feature is. Pages offer no orders of fields. */
const isAvailable = (name: string, value: string): boolean => {
  const { features } = environment();
  if (name === 'sort' && /^-?fields\./.test(value)) return false;
  return features.search || (name !== 'match' && !(name === 'sort' && value === 'relevance'));
};

/** The parameter that filters by a field. */
export const filterName = (key: string): string => `filter[${key}]`;

/** The names of the bounds of a range in a form. */
export const boundNames = (key: string) => ({ from: `from[${key}]`, to: `to[${key}]` }) as const;

/** Whether a form filters by a field. */
export const isEntered = ({ type, filterable }: Field): boolean =>
  filterable && (type === 'text' || type === 'number' || type === 'date');

/** Whether the values of a field are counted beside a list. */
export const isCounted = ({ type, filterable }: Field): boolean =>
  filterable && (type === 'select' || type === 'multi_select' || type === 'boolean');

type SentFilters = Pick<PageRequest, 'filter' | 'from' | 'to'>;

/** The filters as the API takes them: a range is one value. */
const withRanges = ({ filter, from, to }: SentFilters): SentFilters['filter'] => ({
  ...filter,
  ...Object.fromEntries(
    Object.keys({ ...from, ...to }).map((key) => [key, [from[key] ?? '', to[key] ?? ''].map(String).join(RANGE)]),
  ),
});

/** The filters by key that the fields allow, and the keys of the others. */
const readFilters = (sent: SentFilters, fields: readonly Field[]) => {
  const filters: Record<string, string> = {};
  const problems: string[] = [];
  if (!environment().features.fields) return { filters, problems };
  for (const [key, value] of Object.entries(withRanges(sent))) {
    const field = fields.find((one) => one.key === key && one.filterable);
    const condition = field && typeof value === 'string' ? conditionOf(field, value, Date.now()) : { message: '' };
    if (condition && 'message' in condition) problems.push(key);
    else if (condition) filters[key] = value as string;
  }
  return { filters, problems };
};

/**
 * Reads the query of a page as the API reads that of its list.
 * @param fixed parameters that the path decides.
 */
export const readListQuery = (
  { query: sent, site: { fields }, ...filters }: Omit<PageRequest, 'params'>,
  fixed: Parameters = {},
): ListState => {
  const shape = list.query.shape;
  const parameters: Record<string, string> = {};
  const problems: string[] = [];
  for (const name of listParameters) {
    const value = sent[name];
    if (value === undefined || isBlank(value) || Object.hasOwn(fixed, name)) continue;
    // A blank keeps a backslash at the end from the comma after it.
    const text = [value].flat().join(' ,');
    const isWrong =
      parsed(shape[name], Array.isArray(value) && value.length === 1 ? value[0] : value).issues !== undefined;
    if (isWrong || !isAvailable(name, text)) problems.push(name);
    else parameters[name] = text;
  }
  const given = readFilters(filters, fields);
  const facets = [FACETS, ...fields.filter(isCounted).map(({ key }) => `fields.${key}`)].join(',');
  const query = checkedQuery(list.query, {
    ...{ ...parameters, ...fixed, limit: String(PAGE_SIZE), facets },
    ...(Object.keys(given.filters).length > 0 && { filter: given.filters }),
  });
  const { page: _page, ...others } = parameters;
  const written = Object.entries(given.filters).map(([key, value]) => [filterName(key), value] as const);
  return {
    parameters: { ...others, ...Object.fromEntries(written) },
    query,
    problems: [...problems, ...given.problems.map(filterName)],
  };
};

/** The path with parameters; null removes one. */
export const pathWith = (
  path: string,
  parameters: Parameters,
  changes: Readonly<Record<string, string | null>> = {},
): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...parameters, ...changes })) if (value !== null) query.set(name, value);
  return query.size > 0 ? `${path}?${query.toString()}` : path;
};
