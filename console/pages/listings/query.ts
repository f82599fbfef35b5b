import type { client } from '../../api.ts';

type Query = NonNullable<NonNullable<Parameters<typeof client.projects.browse>[0]>['query']>;

export const statuses = ['all', 'live', 'pending', 'rejected'] as const;
export const sorts = ['newest', 'oldest', 'upvotes', 'rating', 'views', 'name', 'trending'] as const;
export const pricings = ['all', 'free', 'freemium', 'paid'] as const;

const LIMIT = 50;

/** The first of the values is the default. */
const oneOf = <Value extends string>(values: readonly [Value, ...Value[]], text: string | null): Value =>
  values.find((value) => value === text) ?? values[0];

/** The filters of the list, which the address holds. */
export const filtersOf = (url: URLSearchParams) => ({
  status: oneOf(statuses, url.get('status')),
  pricing: oneOf(pricings, url.get('pricing')),
  sort: oneOf(sorts, url.get('sort')),
  category: url.get('category') ?? '',
  q: url.get('q') ?? '',
  page: Math.max(1, Math.trunc(Number(url.get('page') ?? 1)) || 1),
});

/** Whether these filters may leave out listings. */
export const isFiltered = ({ status, pricing, category, q, page }: ReturnType<typeof filtersOf>): boolean =>
  status !== 'all' || pricing !== 'all' || category !== '' || q !== '' || page > 1;

export const queryOf = (filters: ReturnType<typeof filtersOf>): Query => ({
  ...filters,
  page: filters.page,
  limit: LIMIT,
  facets: ['status'],
});
