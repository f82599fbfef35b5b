import type { Config } from '#lib/config/schema.ts';
import type { Observation } from './load-observer.ts';
import { MIX, PEAK, perSecond } from './month-cost.ts';
import { price } from './prices.ts';
import { costOf, GB, MILLION } from './request-cost.ts';

/** The effect of CloudFront with one second of caching in front of anonymous lists (docs/adr/0051). */

const ROUTE = 'projects.list';
export const CACHED_SECONDS = 1;

/** Different queries, of which the second is half as frequent as the first, and so on (Zipf); caches that see the requests. */
export const ASSUMED_QUERIES = { queries: 1000, caches: 5 } as const;

/** The share of requests that a cache answers, at a rate over all of them. A miss starts the time of an entry. */
const hitRatio = (requestsPerSecond: number): number => {
  const weights = Array.from({ length: ASSUMED_QUERIES.queries }, (_, rank) => 1 / (rank + 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.reduce((sum, weight) => {
    const share = weight / total;
    const within = ((requestsPerSecond * share) / ASSUMED_QUERIES.caches) * CACHED_SECONDS;
    return sum + share * (within / (1 + within));
  }, 0);
};

interface EdgeCache {
  readonly hits: number;
  /** Dollars a month for the lists, without and with the cache. */
  readonly without: number;
  readonly with: number;
}

const costsOf = (observations: readonly Observation[], config: Config, route = ROUTE) => {
  const found = observations.find(({ sample }) => sample.route === route);
  if (!found) throw new Error(`${route} is not measured.`);
  const { total } = costOf(found, config);
  const transfer = ((found.gzipBytes * MILLION) / GB) * price('transferPerGb');
  // Transfer is paid on either way, at about the same price.
  return { total, transfer, saved: total - transfer };
};

/** The share of hits from which the cache pays for itself. */
export const hitsNeeded = (observations: readonly Observation[], config: Config): number =>
  price('cloudFrontPerMillion') / costsOf(observations, config).saved;

/** A month of lists. All of them are counted at the rate of the peak, which is in favour of the cache. */
export const edgeCache = (requests: number, observations: readonly Observation[], config: Config): EdgeCache => {
  const lists = requests * (MIX[ROUTE] ?? 0);
  const { total, transfer, saved } = costsOf(observations, config);
  const hits = hitRatio(perSecond(lists) * PEAK);
  const millions = lists / MILLION;
  return {
    hits,
    without: millions * total,
    with: millions * (price('cloudFrontPerMillion') + transfer + (1 - hits) * saved),
  };
};

/** Dollars for a million requests of a page, without CloudFront and with it at a share of hits. */
export const pageCost = (
  route: string,
  hits: number | undefined,
  observations: readonly Observation[],
  config: Config,
) => {
  const { total, transfer, saved } = costsOf(observations, config, route);
  return hits === undefined ? total : price('cloudFrontPerMillion') + transfer + (1 - hits) * saved;
};
