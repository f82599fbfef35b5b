import type { SearchedQuery, searches } from '#contract/analytics.ts';
import { queriesBetween, SEARCHES_KEPT_DAYS } from '#data/analytics.ts';
import { pageOf } from '#data/paging.ts';
import { OTHER, type QueryFigures } from '#model/analytics.ts';
import { dayAfter, dayOf } from '#model/days.ts';
import { addQueries, isPopular } from '#model/searches.ts';
import { elapsed, type Moment, moment, NEVER, now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { singleFlight } from '#platform/single-flight.ts';
import { notFound } from '#shared/errors.ts';
import { periodOf } from './report.ts';

type SearchesQuery = typeof searches.query._zod.output;

const isOnly: Readonly<Record<NonNullable<SearchesQuery['only']>, (figures: QueryFigures) => boolean>> = {
  no_results: (one) => one.searches > 0 && one.no_results === one.searches,
  no_clicks: (one) => one.searches > one.no_results && one.clicks === 0,
};

const view = ({ q, searches: made, visitors, no_results, clicks, positions }: QueryFigures): SearchedQuery => ({
  q,
  searches: made,
  visitors,
  no_results,
  clicks,
  average_position: clicks === 0 ? null : Math.round((positions / clicks) * 100) / 100,
});

/** What visitors searched for. @throws 400, and 404 while search is switched off. */
export const listSearches = async (query: SearchesQuery) => {
  if (!environment().features.search) throw notFound();
  const today = dayOf(now());
  const { from, to } = periodOf(query, today);
  // Older queries may be stored until the table has deleted them.
  const oldest = dayAfter(today, 1 - SEARCHES_KEPT_DAYS);
  const all = addQueries((await queriesBetween(from < oldest ? oldest : from, to)).flat());
  const { only } = query;
  const shown = only ? all.filter((one) => one.q !== OTHER && isOnly[only](one)) : all;
  const { data, meta } = pageOf(shown, query);
  const sum = (of: (one: QueryFigures) => number): number => shown.reduce((total, one) => total + of(one), 0);
  const totals = {
    searches: sum((one) => one.searches),
    visitors: sum((one) => one.visitors),
    no_results: sum((one) => one.no_results),
    clicks: sum((one) => one.clicks),
  };
  return { data: data.map(view), meta: { ...meta, totals } };
};

const POPULAR_DAYS = 30;
/** How long a process suggests the same queries: as long as browsers keep a response. */
const POPULAR_FOR_MS = 60_000;

let popular: { readonly queries: readonly string[]; readonly at: Moment } = { queries: [], at: NEVER };

const readPopular = singleFlight(async (): Promise<void> => {
  const at = moment();
  const today = dayOf(now());
  const all = addQueries((await queriesBetween(dayAfter(today, 1 - POPULAR_DAYS), today)).flat());
  popular = { queries: all.filter(isPopular).map(({ q }) => q), at };
});

/** The queries that enough visitors made within 30 days and that found something, most searches first. Up to a minute old. */
export const popularQueries = async (): Promise<readonly string[]> => {
  if (elapsed(popular.at, moment()) > POPULAR_FOR_MS) await readPopular();
  return popular.queries;
};
