import { type Hit, OTHER, type QueryFigures } from './analytics.ts';

/** What visitors searched for, per day. */

/** Queries that are kept per day: at most 60 KB. */
const QUERIES_PER_DAY = 500;

/** Stands for queries that may identify a person. */
export const REMOVED = '(removed)';

const unused = (q: string): QueryFigures => ({ q, searches: 0, visitors: 0, no_results: 0, clicks: 0, positions: 0 });

const sumOf = (one: QueryFigures, other: QueryFigures): QueryFigures => ({
  q: one.q,
  searches: one.searches + other.searches,
  visitors: one.visitors + other.visitors,
  no_results: one.no_results + other.no_results,
  clicks: one.clicks + other.clicks,
  positions: one.positions + other.positions,
});

/** Most searches first, then by query; `Other` last. */
const byFrequency = (one: QueryFigures, other: QueryFigures): number => {
  if ((one.q === OTHER) !== (other.q === OTHER)) return one.q === OTHER ? 1 : -1;
  return other.searches - one.searches || (one.q < other.q ? -1 : 1);
};

/** The sum of the figures of each query, most searches first. */
export const addQueries = (all: readonly QueryFigures[]): QueryFigures[] => {
  const sums = new Map<string, QueryFigures>();
  for (const one of all) sums.set(one.q, sumOf(sums.get(one.q) ?? unused(one.q), one));
  return [...sums.values()].sort(byFrequency);
};

/** The figures of a day after further ones: the most frequent queries, and the sum of the others. */
export const queriesOfDay = (before: readonly QueryFigures[], more: readonly QueryFigures[]): QueryFigures[] => {
  const named = addQueries([...before, ...more]);
  const others = named.slice(QUERIES_PER_DAY);
  if (others.length === 0) return named;
  return addQueries([...named.slice(0, QUERIES_PER_DAY), ...others.map((one) => ({ ...one, q: OTHER }))]);
};

/** The number of visitors from which a query is suggested. A rarer query could identify a person. */
const POPULAR_VISITORS = 5;

/** Whether a query may be suggested to others: enough visitors made it, and it found something. */
export const isPopular = ({ q, visitors, searches, no_results }: QueryFigures): boolean =>
  visitors >= POPULAR_VISITORS && no_results < searches && q !== OTHER && q !== REMOVED;

/** What hits add to the figures of their queries. @param newVisitors per query, visitors that made it first on this day. */
export const queriesIn = (hits: readonly Hit[], newVisitors: ReadonlyMap<string, number>): QueryFigures[] => {
  const found = hits.flatMap(({ line: { type, search, count } }): QueryFigures[] => {
    if (!search) return [];
    const { q, value } = search;
    return [
      type === 'search'
        ? { ...unused(q), searches: count, no_results: value === 0 ? count : 0 }
        : { ...unused(q), clicks: count, positions: value * count },
    ];
  });
  return addQueries([...found, ...[...newVisitors].map(([q, visitors]) => ({ ...unused(q), visitors }))]);
};
