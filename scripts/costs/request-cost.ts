import { routes } from '#contract/table.ts';
import type { Config } from '#lib/config/schema.ts';
import { publisher } from '#lib/handlers.ts';
import { furtherFeedUnits } from './catalog-cost.ts';
import type { Observation, Usage } from './load-observer.ts';
import { price } from './prices.ts';

/**
 * Conservative assumptions for values that cannot be measured locally: the running time of a function without its calls
 * and the duration of a call, in milliseconds, and the logs of a request (gateway, function and runtime), in bytes.
 */
export const ASSUMED = { ownMs: 4, callMs: 6, logBytes: 900 } as const;

export const MILLION = 1_000_000;
export const GB = 1024 ** 3;

/** Cost of a million requests, in dollars. */
interface RequestCost {
  readonly gateway: number;
  readonly functions: number;
  readonly table: number;
  /** Events, mails, logs and data transfer. */
  readonly rest: number;
  readonly total: number;
}

const functionCost = ({ runs, calls }: Usage, memoryMb: number): number =>
  runs * price('lambdaPerMillion') +
  ((runs * ASSUMED.ownMs + calls * ASSUMED.callMs) / 1000) * (memoryMb / 1024) * price('lambdaPerGbSecond') * MILLION;

const tableCost = ({ reads, writes }: Usage): number =>
  reads * price('dynamodbReadPerMillion') + writes * price('dynamodbWritePerMillion');

const sum = (values: Iterable<number>): number => [...values].reduce((all, one) => all + one, 0);

/**
 * Cost of a million requests in a stage, including triggered functions, in dollars. Traces are not included, because they
 * are sampled: one request per second and a twentieth of the others.
 */
export const costOf = ({ sample, gzipBytes, own, behind, events, mails }: Observation, config: Config): RequestCost => {
  const route = routes.find(({ id }) => id === sample.route);
  if (!route) throw new Error(`${sample.route} is not a route.`);
  const { memoryMb } = config;
  const holdsCatalog = route.permissions.includes('catalog');
  const ownMb = route.memoryMb ?? memoryMb[holdsCatalog ? 'catalog' : 'request'];
  const gateway = price('apiGatewayPerMillion');
  const functions =
    functionCost(own, ownMb) +
    sum(
      [...behind].map(([id, usage]) => functionCost(usage, memoryMb[id === publisher.id ? 'publisher' : 'subscriber'])),
    );
  const feedReads = holdsCatalog ? furtherFeedUnits(config) : 0;
  const table = sum([own, ...behind.values()].map(tableCost)) + feedReads * price('dynamodbReadPerMillion');
  const runs = sum([own, ...behind.values()].map((usage) => usage.runs));
  const rest =
    events * price('eventBridgePerMillion') +
    mails * price('sesPerThousand') * 1000 +
    ((runs * ASSUMED.logBytes * MILLION) / GB) * price('logsPerGb') +
    ((gzipBytes * MILLION) / GB) * price('transferPerGb');
  return { gateway, functions, table, rest, total: gateway + functions + table + rest };
};
