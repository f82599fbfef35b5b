import type { Config } from '#lib/config/schema.ts';
import { idleCost, type StandingResources, storedCost } from './idle-cost.ts';
import type { Observation } from './load-observer.ts';
import { price } from './prices.ts';
import { costOf, GB, MILLION } from './request-cost.ts';

/** The cost of a month of mixed traffic, on AWS as deployed and on one instance with PostgreSQL. */

/** The assumed share of each route in the requests. */
export const MIX: Readonly<Record<string, number>> = {
  'projects.list': 0.5,
  'projects.read': 0.25,
  'analytics.track': 0.15,
  'settings.readPublic': 0.05,
  'votes.toggle': 0.04,
  'comments.add': 0.009,
  'projects.submit': 0.001,
};

/** The peak of a day compared with its average. */
export const PEAK = 5;

const HOURS = 730;
const MONTH_SECONDS = HOURS * 3600;
export const perSecond = (requests: number): number => requests / MONTH_SECONDS;

/** A t4g.medium: 2 processors at 20 % all the time, more by credits. A request is assumed to take 5 ms of a processor. */
export const INSTANCE = { processors: 2, baseline: 0.2, requestMs: 5, diskGb: 30 } as const;

const observed = (observations: readonly Observation[], id: string): Observation => {
  const found = observations.find(({ sample }) => sample.route === id);
  if (!found) throw new Error(`${id} is not measured.`);
  return found;
};

/** A sum over the mix, for a million requests. */
const mixed = (observations: readonly Observation[], amountOf: (observation: Observation) => number): number =>
  Object.entries(MIX).reduce((sum, [id, share]) => sum + share * amountOf(observed(observations, id)), 0);

/** One request per second is traced, and a twentieth of the others. */
const tracesCost = (requests: number): number => {
  const rate = perSecond(requests);
  const traced = Math.min(rate, 1) + 0.05 * Math.max(0, rate - 1);
  return ((traced * MONTH_SECONDS) / MILLION) * price('xrayPerMillion');
};

const transferAndMail = ({ gzipBytes, mails }: Observation): number =>
  ((gzipBytes * MILLION) / GB) * price('transferPerGb') + mails * price('sesPerThousand') * 1000;

interface MonthCost {
  readonly gateway: number;
  readonly functions: number;
  readonly table: number;
  /** Events, mails, logs, traces and transfer. */
  readonly other: number;
  /** What the stage costs without traffic, with a GB of data. */
  readonly standing: number;
  readonly total: number;
}

/** A month of a stage with a GB of data, in dollars. */
export const monthCost = (
  requests: number,
  observations: readonly Observation[],
  { config, standing: resources }: { readonly config: Config; readonly standing: StandingResources },
): MonthCost => {
  const millions = requests / MILLION;
  const part = (name: 'gateway' | 'functions' | 'table' | 'rest') =>
    millions * mixed(observations, (observation) => costOf(observation, config)[name]);
  const gateway = part('gateway');
  const functions = part('functions');
  const table = part('table');
  const other = part('rest') + tracesCost(requests);
  const standing = idleCost(config, resources).reduce((sum, { dollars }) => sum + dollars, 0) + storedCost(config);
  return { gateway, functions, table, other, standing, total: gateway + functions + table + other + standing };
};

/** A month of the same traffic on one instance with PostgreSQL: instance, disk with a copy, address, transfer and mail. */
export const instanceCost = (requests: number, observations: readonly Observation[]): number =>
  HOURS * (price('t4gMediumPerHour') + price('publicAddressPerHour')) +
  INSTANCE.diskGb * (price('diskPerGbMonth') + price('diskCopyPerGbMonth')) +
  (requests / MILLION) * mixed(observations, transferAndMail);

/** The processors that the instance needs at the peak. */
export const processorsAtPeak = (requests: number): number => (perSecond(requests) * PEAK * INSTANCE.requestMs) / 1000;

/** The requests per month from which the instance is cheaper. */
export const breakEven = (
  observations: readonly Observation[],
  stage: { readonly config: Config; readonly standing: StandingResources },
): number => {
  let [low, high] = [0, 1000 * MILLION];
  while (high - low > 1000) {
    const middle = (low + high) / 2;
    if (monthCost(middle, observations, stage).total < instanceCost(middle, observations)) low = middle;
    else high = middle;
  }
  return high;
};
