import { routes } from '#contract/table.ts';
import type { Config } from '#lib/config.ts';
import { publisher } from '#lib/doors.ts';
import type { Observation, Usage } from './observing.ts';
import { price } from './prices.ts';

/**
 * What cannot be seen on one machine is assumed, on the safe side: how long a function runs beside its calls and how long
 * a call to a service takes, in milliseconds; and what a request writes into logs (the gateway's line and the function's,
 * with what the runtime adds), in bytes.
 */
export const ASSUMED = { ownMs: 4, callMs: 6, logBytes: 900 } as const;

const MILLION = 1_000_000;
const GB = 1024 ** 3;

/** The parts of what a million requests of a route cost, in dollars. */
export interface RequestCost {
  readonly gateway: number;
  readonly functions: number;
  readonly table: number;
  /** Events, mails, logs and bytes sent. */
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
 * What a million requests of a route cost in a stage, with all that they start, in dollars. Traces are left out: one request
 * a second and a twentieth of the others are recorded, which does not grow with requests as the rest does.
 */
export const costOf = ({ sample, gzipBytes, own, behind, events, mails }: Observation, config: Config): RequestCost => {
  const route = routes.find(({ id }) => id === sample.route);
  if (!route) throw new Error(`${sample.route} is no route.`);
  const { memoryMb } = config;
  const ownMb = route.memoryMb ?? memoryMb[route.needs.includes('catalog') ? 'catalog' : 'request'];
  const gateway = price('apiGatewayPerMillion');
  const functions =
    functionCost(own, ownMb) +
    sum(
      [...behind].map(([id, usage]) => functionCost(usage, memoryMb[id === publisher.id ? 'publisher' : 'subscriber'])),
    );
  const table = sum([own, ...behind.values()].map(tableCost));
  const runs = sum([own, ...behind.values()].map((usage) => usage.runs));
  const rest =
    events * price('eventBridgePerMillion') +
    mails * price('sesPerThousand') * 1000 +
    ((runs * ASSUMED.logBytes * MILLION) / GB) * price('logsPerGb') +
    ((gzipBytes * MILLION) / GB) * price('transferPerGb');
  return { gateway, functions, table, rest, total: gateway + functions + table + rest };
};
