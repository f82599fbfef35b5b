import type { FieldOrder } from '#contract/custom-fields.ts';
import { bodyOf, client } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { searchesWords, searchParameters } from '../../app/search.ts';
import { seenStatus, statusOf } from './selection.ts';

type Query = NonNullable<NonNullable<Parameters<typeof client.projects.browse>[0]>['query']>;

export const statuses = ['all', 'live', 'pending', 'rejected', 'deleted'] as const;
export const sorts = ['newest', 'oldest', 'upvotes', 'rating', 'views', 'name', 'trending', 'weighted_rating'] as const;

/** The orders of a search; without a choice the best match is first. */
export const sortsOf = (q: string) => (searchesWords(q) ? (['relevance', ...sorts] as const) : sorts);

export const pricings = ['all', 'free', 'freemium', 'paid'] as const;

export const pageSizes = ['25', '50', '100'] as const;

/** The first of the values is the default. */
const oneOf = <Value extends string>(values: readonly [Value, ...Value[]], text: string | null): Value =>
  values.find((value) => value === text) ?? values[0];

/** A filter that takes listings with any value of a field. */
export const HAS_VALUE = '*';

const FILTER = /^filter\[([^\]]+)\]$/;

/** The parameter that filters by a further field. */
export const filterName = (key: string): string => `filter[${key}]`;

/** The filters by further fields, by key. */
const fieldFiltersOf = (url: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...url].flatMap(([name, value]) => {
      const key = FILTER.exec(name)?.[1];
      return key === undefined || value.trim() === '' ? [] : [[key, value]];
    }),
  );

const isFieldOrder = (sort: string | null): sort is FieldOrder => sort !== null && /^-?fields\./.test(sort);

/** The order that the URL asks for; the first one of the others is the default. */
const sortOf = (url: URLSearchParams): (typeof sorts)[number] | 'relevance' | FieldOrder => {
  const sort = url.get('sort');
  if (isFieldOrder(sort)) return sort;
  return oneOf<(typeof sorts)[number] | 'relevance'>(sortsOf(url.get('q') ?? ''), sort);
};

/** The filters of the list, which the URL holds. */
export const filtersOf = (url: URLSearchParams) => ({
  status: oneOf(statuses, url.get('status')),
  pricing: oneOf(pricings, url.get('pricing')),
  sort: sortOf(url),
  category: url.get('category') ?? '',
  /** The id of the user whose listings are shown. */
  owner: url.get('owner') ?? '',
  q: url.get('q') ?? '',
  fields: fieldFiltersOf(url),
  size: oneOf(['50', ...pageSizes], url.get('size')),
  page: Math.max(1, Math.trunc(Number(url.get('page') ?? 1)) || 1),
});

export type Filters = ReturnType<typeof filtersOf>;

/** Whether these filters may leave out listings. */
export const isFiltered = ({ status, pricing, category, owner, q, fields, page }: Filters): boolean =>
  [pricing, status].some((one) => one !== 'all') ||
  [category, owner, q].some((one) => one !== '') ||
  Object.keys(fields).length > 0 ||
  page > 1;

export const queryOf = ({ size, q, fields, ...filters }: Filters): Query => ({
  ...filters,
  ...(Object.keys(fields).length > 0 && { filter: fields }),
  ...searchParameters(q),
  limit: Number(size),
  facets: ['status'],
});

/** The filters that the map has as well: it shows live listings only. */
export const mapQueryOf = ({ pricing, category, q, fields }: Filters) => ({
  pricing,
  ...(category !== '' && { category }),
  ...(Object.keys(fields).length > 0 && { filter: fields }),
  ...(q !== '' && { q }),
  ...(searchesWords(q) && ({ match: 'fuzzy' } as const)),
});

/** The page of the list that the filters ask for. */
export const useListings = (filters: Filters) =>
  useResource(
    ['projects', 'list', queryOf(filters)],
    async (signal) => {
      const found = await bodyOf(client.projects.browse({ query: queryOf(filters), signal }));
      for (const project of found.data) seenStatus.set(project.id, statusOf(project));
      return found;
    },
    { poll: true },
  );
