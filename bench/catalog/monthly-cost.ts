import { readFileSync } from 'node:fs';
import { queryUnits } from './item-size.ts';
import type { Month } from './traffic.ts';

type PriceName =
  | 'dynamodbReadPerMillion'
  | 'dynamodbWritePerMillion'
  | 'dynamodbStoragePerGbMonth'
  | 'lambdaPerGbSecond'
  | 'lambdaPerMillion'
  | 'apiGatewayPerMillion'
  | 'openSearchServerlessPerOcuHour'
  | 'openSearchSmallNodePerHour'
  | 'openSearchLargeNodePerHour'
  | 'openSearchStoragePerGbMonth'
  | 'auroraPerAcuHour'
  | 'auroraStoragePerGbMonth'
  | 'algoliaPerThousandSearches'
  | 'algoliaPerThousandRecords';

const { prices } = JSON.parse(readFileSync(new URL('../../docs/prices.json', import.meta.url), 'utf8')) as {
  prices: Readonly<Record<PriceName, { readonly value: number }>>;
};

const price = (name: PriceName): number => prices[name].value;

const MILLION = 1e6;
const GB = 1024 ** 3;
const HOURS = 730;

export interface Workload {
  readonly listings: number;
  readonly requestsPerMonth: number;
  /** Bytes of the feed: projects and counters. */
  readonly feedBytes: number;
}

/** The cost that all alternatives have in common: gateway, invocation and the write of the rate counter. */
export const commonCost = ({ requestsPerMonth }: Workload): number =>
  (requestsPerMonth / MILLION) *
  (price('apiGatewayPerMillion') + price('lambdaPerMillion') + price('dynamodbWritePerMillion'));

const lambdaTime = (seconds: number, memoryMb: number): number =>
  seconds * (memoryMb / 1024) * price('lambdaPerGbSecond');

/** The cost of a replica in each process: function time, reads and the storage of the feed index. */
export const replicaCost = (
  workload: Workload,
  month: Month,
  replica: { readonly memoryMb: number; readonly loadUnits: number; readonly itemBytes: number },
): { readonly units: number; readonly dollars: number } => {
  const perLook = month.refreshes === 0 ? 0 : month.itemsRead / month.refreshes;
  const units = month.coldStarts * replica.loadUnits + month.refreshes * queryUnits(perLook * replica.itemBytes);
  const dollars =
    lambdaTime(month.workSeconds, replica.memoryMb) +
    (units / MILLION) * price('dynamodbReadPerMillion') +
    (workload.feedBytes / GB) * price('dynamodbStoragePerGbMonth');
  return { units, dollars };
};

/** A function that queries another service: less memory, plus the time of the round trip. */
const CLIENT_MB = 512;
const CLIENT_SECONDS = 0.022;

const functionTime = ({ requestsPerMonth }: Workload): number =>
  lambdaTime(requestsPerMonth * CLIENT_SECONDS, CLIENT_MB);

/** Requests per second at the peak, as in `simulate`. */
const peak = ({ requestsPerMonth }: Workload): number => (requestsPerMonth / 30 / 86_400) * 1.8;

/** The size of an index relative to its data, without replicas. */
const INDEXED = 2;

/** OpenSearch Serverless: at least two units; one search unit per 6 GB of index and per 100 requests per second. */
export const openSearchServerlessCost = (workload: Workload): number => {
  const search = Math.max(1, Math.ceil((workload.feedBytes * INDEXED) / (6 * GB)), Math.ceil(peak(workload) / 100));
  return functionTime(workload) + (1 + search) * HOURS * price('openSearchServerlessPerOcuHour');
};

/** OpenSearch on two nodes in two zones: small ones up to 50,000 listings and 10 requests per second. */
export const openSearchCost = (workload: Workload): number => {
  const isSmall = workload.listings <= 50_000 && peak(workload) <= 10;
  const pairs = isSmall ? 1 : Math.max(1, Math.ceil(peak(workload) / 200), Math.ceil(workload.listings / 5e6));
  const node = price(isSmall ? 'openSearchSmallNodePerHour' : 'openSearchLargeNodePerHour');
  const storageGb = Math.max(20, (workload.feedBytes * INDEXED * 2) / GB);
  return functionTime(workload) + pairs * 2 * (node * HOURS + (storageGb / 2) * price('openSearchStoragePerGbMonth'));
};

const ACUS_PER_CORE = 4;

/**
 * Aurora Serverless v2, a writer and a reader of at least half a unit each.
 * @param coreMs CPU milliseconds of PostgreSQL per request, from bench/catalog/http.ts.
 */
export const auroraCost = (workload: Workload, coreMs: number): number => {
  const mean = workload.requestsPerMonth / 30 / 86_400;
  const acus = Math.max(0.5, ((mean * coreMs) / 1000) * ACUS_PER_CORE, (workload.feedBytes * INDEXED) / (4 * GB));
  return (
    functionTime(workload) +
    (acus + 0.5) * HOURS * price('auroraPerAcuHour') +
    ((workload.feedBytes * INDEXED) / GB) * price('auroraStoragePerGbMonth')
  );
};

/** Algolia's Grow plan, one search per list; seven sort orders as virtual replicas, which are free. */
export const algoliaCost = ({ requestsPerMonth, listings }: Workload): number =>
  (Math.max(0, requestsPerMonth - 10_000) / 1000) * price('algoliaPerThousandSearches') +
  (Math.max(0, listings - 100_000) / 1000) * price('algoliaPerThousandRecords');
