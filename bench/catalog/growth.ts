import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { replicaEnvironment, replicaScript, startFeed } from './feed-process.ts';
import { queryUnits } from './item-size.ts';
import {
  algoliaCost,
  auroraCost,
  commonCost,
  openSearchCost,
  openSearchServerlessCost,
  replicaCost,
  type Workload,
} from './monthly-cost.ts';
import { simulate } from './traffic.ts';

const HELP = `Measures the replica by size: memory, cold start, refresh, read units and dollars per month, compared with alternatives.

  node bench/catalog/growth.ts [--sizes 5000,50000,500000] [--extrapolate 5000000] [--requests 1,10,100] [--writes 0.2]
                               [--seed 1]

  --sizes        measured, each in separate processes; the largest default takes some minutes and 4 GB
  --extrapolate  a size that is not measured but extrapolated linearly from the last two
  --requests     millions of list requests per month
  --writes       changes of projects and counters per second (default 0.2, about 17,000 per day)
  --service-ms   duration of a warm invocation, including the write of its rate counter (default 12)
  --seed         of the generated directory

One process simulates DynamoDB: it serves the feed from memory with items of the size that the service writes. Another one
loads and follows it with the service's own code. Cold starts are the CPU time of the reader plus 20 ms of DynamoDB time per
page of 1 MB, which is not measured. A month is simulated request by request: days with a busy and a quiet half, and
processes that Lambda ends after 7 idle minutes or 2 hours. Prices are those of docs/prices.json.`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    sizes: { type: 'string', default: '5000,50000,500000' },
    extrapolate: { type: 'string', default: '5000000' },
    requests: { type: 'string', default: '1,10,100' },
    writes: { type: 'string', default: '0.2' },
    'service-ms': { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
  },
});

const MB = 1024 * 1024;
/** Time of DynamoDB and the network for a page of 1 MB. */
const PAGE_MS = 20;
/** The memory at which Lambda allocates one core. */
const ONE_CORE_MB = 1769;
const LAMBDA_MB_MAX = 10_240;
/** Configured memory relative to the measured maximum. */
const HEADROOM = 1.2;
/**
 * CPU milliseconds of PostgreSQL per list: derived from the throughput of two cores in the HTTP benchmark at 50,000
 * listings, and proportional to the size, because it counts and sorts the matches.
 */
const postgresqlCoreMs = (listings: number): number => 1 + (5 * listings) / 50_000;

/** Output of growth-replica.ts. */
interface Replica {
  readonly loadedMs: number;
  readonly cpuMs: number;
  readonly firstSearchMs: number;
  readonly loadedBytes: number;
  readonly bytes: number;
  readonly highestBytes: number;
  readonly refreshMs: number;
}

/** One size, measured or estimated. */
interface Growth {
  readonly listings: number;
  readonly isEstimate: boolean;
  readonly feedBytes: number;
  readonly pages: number;
  readonly loadUnits: number;
  readonly memoryMb: number;
  readonly highestMb: number;
  readonly cpuSeconds: number;
  readonly coldSeconds: number;
  readonly searchMs: number;
  readonly refreshMs: number;
}

const measure = async (listings: number): Promise<Growth> => {
  const { feed, stop } = await startFeed(listings, options.seed);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [replicaScript], { env: replicaEnvironment(feed) });
    const replica = JSON.parse(stdout) as Replica;
    return {
      listings,
      isEstimate: false,
      feedBytes: feed.feedBytes,
      pages: feed.pages,
      // Units are rounded up per page.
      loadUnits: feed.pages * queryUnits(feed.feedBytes / feed.pages),
      memoryMb: replica.bytes / MB,
      highestMb: replica.highestBytes / MB,
      cpuSeconds: replica.cpuMs / 1000,
      coldSeconds: (replica.cpuMs + feed.pages * PAGE_MS) / 1000,
      searchMs: replica.firstSearchMs,
      refreshMs: replica.refreshMs,
    };
  } finally {
    await stop();
  }
};

/** Linear extrapolation from two sizes. */
const extrapolate = (a: Growth, b: Growth, listings: number): Growth => {
  const at = (value: (growth: Growth) => number): number =>
    value(b) + ((value(b) - value(a)) / (b.listings - a.listings)) * (listings - b.listings);
  return {
    listings,
    isEstimate: true,
    feedBytes: at((growth) => growth.feedBytes),
    pages: Math.round(at((growth) => growth.pages)),
    loadUnits: at((growth) => growth.loadUnits),
    memoryMb: at((growth) => growth.memoryMb),
    highestMb: at((growth) => growth.highestMb),
    cpuSeconds: at((growth) => growth.cpuSeconds),
    coldSeconds: at((growth) => growth.coldSeconds),
    searchMs: at((growth) => growth.searchMs),
    refreshMs: b.refreshMs,
  };
};

const neededMb = ({ highestMb }: Growth): number => Math.max(ONE_CORE_MB, Math.ceil((highestMb * HEADROOM) / 64) * 64);

const table = (head: readonly string[], rows: readonly (readonly string[])[]): void => {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of [head, ...rows]) {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    console.log(cells.join('  '));
  }
};

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const dollars = (value: number | undefined): string =>
  value === undefined ? 'does not fit' : `$${value < 10 ? value.toFixed(2) : whole(value)}`;

const showGrowth = (growths: readonly Growth[]): void => {
  console.log('\nReplica by number of listings (≈ extrapolated)');
  table(
    [
      'listings',
      'feed',
      'pages',
      'units to load',
      'memory',
      'per listing',
      'maximum',
      'CPU time',
      'cold start',
      'first search',
      'refresh',
      'function',
    ],
    growths.map((growth) => [
      `${growth.isEstimate ? '≈ ' : ''}${whole(growth.listings)}`,
      `${whole(growth.feedBytes / MB)} MB`,
      whole(growth.pages),
      whole(growth.loadUnits),
      `${whole(growth.memoryMb)} MB`,
      `${whole((growth.memoryMb * MB) / growth.listings)} B`,
      `${whole(growth.highestMb)} MB`,
      `${growth.cpuSeconds.toFixed(2)} s`,
      `${growth.coldSeconds.toFixed(2)} s`,
      `${whole(growth.searchMs)} ms`,
      `${growth.refreshMs.toFixed(2)} ms`,
      neededMb(growth) > LAMBDA_MB_MAX ? 'none' : `${whole(neededMb(growth))} MB`,
    ]),
  );
};

const showRefreshes = (itemBytes: number): void => {
  console.log(`\nRead units of one refresh, for items of ${whole(itemBytes)} bytes on average`);
  table(
    ['writes per second', 'after 1 s (2 s overlap)', 'every 5 s (30 s overlap)', 'per second and busy process'],
    [0.01, 0.1, 1, 10].map((writes) => {
      const near = queryUnits((1 + writes * 3) * itemBytes);
      const wide = queryUnits((1 + writes * 31) * itemBytes);
      return [String(writes), near.toFixed(1), wide.toFixed(1), (near * 0.8 + wide * 0.2).toFixed(2)];
    }),
  );
};

const showMonths = (growths: readonly Growth[], itemBytes: number): void => {
  const months = options.requests.split(',').map((millions) => Number(millions) * 1e6);
  const rows: string[][] = [];
  for (const growth of growths) {
    for (const requestsPerMonth of months) {
      const workload: Workload = { listings: growth.listings, requestsPerMonth, feedBytes: growth.feedBytes };
      const serviceMs = Number(options['service-ms']);
      const month = simulate({
        requestsPerMonth,
        serviceMs,
        coldMs: growth.coldSeconds * 1000,
        writesPerSecond: Number(options.writes),
      });
      const memoryMb = neededMb(growth);
      const replica = replicaCost(workload, month, { memoryMb, loadUnits: growth.loadUnits, itemBytes });
      const fits = memoryMb <= LAMBDA_MB_MAX && month.refused === 0;
      rows.push([
        `${growth.isEstimate ? '≈ ' : ''}${whole(growth.listings)}`,
        `${whole(requestsPerMonth / 1e6)} M`,
        whole(month.coldStarts),
        whole(month.processes),
        `${((month.coldStarts / requestsPerMonth) * 100).toFixed(3)} %`,
        (replica.units / requestsPerMonth).toFixed(2),
        dollars(fits ? replica.dollars : undefined),
        dollars(openSearchServerlessCost(workload)),
        dollars(openSearchCost(workload)),
        dollars(auroraCost(workload, postgresqlCoreMs(growth.listings))),
        dollars(algoliaCost(workload)),
        dollars(commonCost(workload)),
      ]);
    }
  }
  console.log('\nOne month of list requests; dollars exclude the costs common to all alternatives, in the last column');
  table(
    [
      'listings',
      'requests',
      'cold starts',
      'processes',
      'cold',
      'units/request',
      'replica',
      'OpenSearch serverless',
      'OpenSearch',
      'Aurora',
      'Algolia',
      'common',
    ],
    rows,
  );
};

const main = async (): Promise<void> => {
  const growths: Growth[] = [];
  let mean = 0;
  for (const size of options.sizes.split(',').map(Number)) {
    process.stderr.write(`${whole(size)} listings …\n`);
    const growth = await measure(size);
    growths.push(growth);
    mean = growth.feedBytes / (growth.listings * 1.7);
  }
  const [a, b] = growths.slice(-2);
  if (a && b && options.extrapolate !== '0') growths.push(extrapolate(a, b, Number(options.extrapolate)));
  showGrowth(growths);
  showRefreshes(mean);
  showMonths(growths, mean);
};

if (options.help) console.log(HELP);
else await main();
