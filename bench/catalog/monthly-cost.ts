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

/** What a directory is like that is asked for lists. */
export interface Asked {
  readonly listings: number;
  readonly requestsPerMonth: number;
  /** Bytes of the feed: cards and counters. */
  readonly feedBytes: number;
}

/** What every way has: the gateway, the invocation and the rate counter's write. */
export const commonCost = ({ requestsPerMonth }: Asked): number =>
  (requestsPerMonth / MILLION) *
  (price('apiGatewayPerMillion') + price('lambdaPerMillion') + price('dynamodbWritePerMillion'));

const lambdaTime = (seconds: number, memoryMb: number): number =>
  seconds * (memoryMb / 1024) * price('lambdaPerGbSecond');

/** What a replica in each process costs: the time of its functions, what they read, and the index that they follow. */
export const replicaCost = (
  asked: Asked,
  month: Month,
  replica: { readonly memoryMb: number; readonly loadUnits: number; readonly itemBytes: number },
): { readonly units: number; readonly dollars: number } => {
  const perLook = month.looks === 0 ? 0 : month.itemsRead / month.looks;
  const units = month.coldStarts * replica.loadUnits + month.looks * queryUnits(perLook * replica.itemBytes);
  const dollars =
    lambdaTime(month.workSeconds, replica.memoryMb) +
    (units / MILLION) * price('dynamodbReadPerMillion') +
    (asked.feedBytes / GB) * price('dynamodbStoragePerGbMonth');
  return { units, dollars };
};

/** What a function needs that asks another service: little memory, and longer by the way there and back. */
const ASKING_MB = 512;
const ASKING_SECONDS = 0.022;

const asking = ({ requestsPerMonth }: Asked): number => lambdaTime(requestsPerMonth * ASKING_SECONDS, ASKING_MB);

/** Requests a second at the busiest time, as `simulate` spreads them. */
const busiest = ({ requestsPerMonth }: Asked): number => (requestsPerMonth / 30 / 86_400) * 1.8;

/** An index takes about twice what it indexes, and as much again in its copy. */
const INDEXED = 2;

/** OpenSearch Serverless: two units at least, in two zones; one more per 6 GB of index and per 100 requests a second. */
export const openSearchServerlessCost = (asked: Asked): number => {
  const search = Math.max(1, Math.ceil((asked.feedBytes * INDEXED) / (6 * GB)), Math.ceil(busiest(asked) / 100));
  return asking(asked) + (1 + search) * HOURS * price('openSearchServerlessPerOcuHour');
};

/** OpenSearch on two nodes in two zones: small ones up to 50,000 listings and 10 requests a second. */
export const openSearchCost = (asked: Asked): number => {
  const isSmall = asked.listings <= 50_000 && busiest(asked) <= 10;
  const pairs = isSmall ? 1 : Math.max(1, Math.ceil(busiest(asked) / 200), Math.ceil(asked.listings / 5e6));
  const node = price(isSmall ? 'openSearchSmallNodePerHour' : 'openSearchLargeNodePerHour');
  const storageGb = Math.max(20, (asked.feedBytes * INDEXED * 2) / GB);
  return asking(asked) + pairs * 2 * (node * HOURS + (storageGb / 2) * price('openSearchStoragePerGbMonth'));
};

/** A quarter of a core each. */
const ACUS_PER_CORE = 4;

/**
 * Aurora Serverless v2, a writer and a reader of at least half a unit.
 * @param coreMs that PostgreSQL works on a request, as bench/catalog/http.ts sees it.
 */
export const auroraCost = (asked: Asked, coreMs: number): number => {
  const mean = asked.requestsPerMonth / 30 / 86_400;
  const acus = Math.max(0.5, ((mean * coreMs) / 1000) * ACUS_PER_CORE, (asked.feedBytes * INDEXED) / (4 * GB));
  return (
    asking(asked) +
    (acus + 0.5) * HOURS * price('auroraPerAcuHour') +
    ((asked.feedBytes * INDEXED) / GB) * price('auroraStoragePerGbMonth')
  );
};

/** Algolia's plan Grow, each list a search; seven sort orders as virtual replicas, which cost nothing. */
export const algoliaCost = ({ requestsPerMonth, listings }: Asked): number =>
  (Math.max(0, requestsPerMonth - 10_000) / 1000) * price('algoliaPerThousandSearches') +
  (Math.max(0, listings - 100_000) / 1000) * price('algoliaPerThousandRecords');
