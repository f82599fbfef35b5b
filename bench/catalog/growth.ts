import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { queryUnits } from './item-size.ts';
import {
  type Asked,
  algoliaCost,
  auroraCost,
  commonCost,
  openSearchCost,
  openSearchServerlessCost,
  replicaCost,
} from './monthly-cost.ts';
import { simulate } from './traffic.ts';

const HELP = `Says how the replica grows: memory, cold start, refresh, read units and dollars a month, beside the alternatives.

  node bench/catalog/growth.ts [--sizes 5000,50000,500000] [--extrapolate 5000000] [--requests 1,10,100] [--writes 0.2]
                               [--seed 1]

  --sizes        measured, each in processes of its own; the last takes some minutes and 4 GB
  --extrapolate  a size that is not measured: from the last two by their slope
  --requests     millions of requests for lists a month
  --writes       changes of cards and counters a second (default 0.2, about 17,000 a day)
  --service-ms   how long a warm function works on a request, its rate counter's write included (default 12)
  --seed         of the made-up directory

A process that plays DynamoDB answers the feed from memory with items of the size that the service writes; another one loads and
follows it with the service's own code. Times of a cold start are the reader's processor time, and what DynamoDB would add for each
page of 1 MB (20 ms, not measured). A month is simulated request for request: days with a busy and a quiet half, processes that
Lambda ends after 7 idle minutes or 2 hours. Prices are those of docs/prices.json.`;

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
/** What DynamoDB and the way from it take for a page of 1 MB. */
const PAGE_MS = 20;
/** Below this a function has less than one core. */
const ONE_CORE_MB = 1769;
/** The most that a function can have. */
const LAMBDA_MB_MAX = 10_240;
/** What has to be left beside what was seen at the highest. */
const HEADROOM = 1.2;
/**
 * Milliseconds of a core that PostgreSQL works on a list: what two cores answered in the http bench at 50,000 listings, and as many
 * times more as there are more listings, because it counts and sorts what matches.
 */
const postgresqlCoreMs = (listings: number): number => 1 + (5 * listings) / 50_000;

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** What the feed of a directory is like. */
interface Feed {
  readonly port: number;
  readonly pages: number;
  readonly cards: number;
  readonly cardBytes: number;
  readonly counts: number;
  readonly countsBytes: number;
  readonly feedBytes: number;
}

/** What the reader of the feed says of itself. */
interface Replica {
  readonly loadedMs: number;
  readonly cpuMs: number;
  readonly firstSearchMs: number;
  readonly loadedBytes: number;
  readonly bytes: number;
  readonly highestBytes: number;
  readonly lookMs: number;
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
  readonly lookMs: number;
}

const startFeed = async (listings: number): Promise<{ feed: Feed; child: ChildProcess }> => {
  const args = [
    '--max-old-space-size=8000',
    here('feed-server.ts'),
    '--listings',
    String(listings),
    '--seed',
    options.seed,
  ];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    return { feed: JSON.parse(line) as Feed, child };
  }
  throw new Error('The feed did not start.');
};

const measure = async (listings: number): Promise<Growth> => {
  const { feed, child } = await startFeed(listings);
  try {
    const env = {
      ...process.env,
      TABLE_NAME: 'directory',
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${feed.port}`,
      LOG_LEVEL: 'ERROR',
    };
    const { stdout } = await promisify(execFile)(process.execPath, [here('growth-replica.ts')], { env });
    const replica = JSON.parse(stdout) as Replica;
    return {
      listings,
      isEstimate: false,
      feedBytes: feed.feedBytes,
      pages: feed.pages,
      // Every page is rounded up by itself.
      loadUnits: feed.pages * queryUnits(feed.feedBytes / feed.pages),
      memoryMb: replica.bytes / MB,
      highestMb: replica.highestBytes / MB,
      cpuSeconds: replica.cpuMs / 1000,
      coldSeconds: (replica.cpuMs + feed.pages * PAGE_MS) / 1000,
      searchMs: replica.firstSearchMs,
      lookMs: replica.lookMs,
    };
  } finally {
    const ended = once(child, 'exit');
    child.stdin?.end();
    await ended;
  }
};

/** Goes on from two sizes in a straight line. */
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
    lookMs: b.lookMs,
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
  console.log('\nA replica, by listings (≈ by slope)');
  table(
    [
      'listings',
      'feed',
      'pages',
      'units to load',
      'memory',
      'per listing',
      'at most',
      'core time',
      'cold start',
      'first search',
      'a look',
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
      `${growth.lookMs.toFixed(2)} ms`,
      neededMb(growth) > LAMBDA_MB_MAX ? 'none' : `${whole(neededMb(growth))} MB`,
    ]),
  );
};

const showLooks = (itemBytes: number): void => {
  console.log(`\nRead units of one look at the feed, items of ${whole(itemBytes)} bytes on average`);
  table(
    ['writes a second', 'after 1 s (2 s overlap)', 'every 5 s (30 s overlap)', 'a second per busy process'],
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
      const asked: Asked = { listings: growth.listings, requestsPerMonth, feedBytes: growth.feedBytes };
      const serviceMs = Number(options['service-ms']);
      const month = simulate({
        requestsPerMonth,
        serviceMs,
        coldMs: growth.coldSeconds * 1000,
        writesPerSecond: Number(options.writes),
      });
      const memoryMb = neededMb(growth);
      const replica = replicaCost(asked, month, { memoryMb, loadUnits: growth.loadUnits, itemBytes });
      const fits = memoryMb <= LAMBDA_MB_MAX && month.refused === 0;
      rows.push([
        `${growth.isEstimate ? '≈ ' : ''}${whole(growth.listings)}`,
        `${whole(requestsPerMonth / 1e6)} M`,
        whole(month.coldStarts),
        whole(month.processes),
        `${((month.coldStarts / requestsPerMonth) * 100).toFixed(3)} %`,
        (replica.units / requestsPerMonth).toFixed(2),
        dollars(fits ? replica.dollars : undefined),
        dollars(openSearchServerlessCost(asked)),
        dollars(openSearchCost(asked)),
        dollars(auroraCost(asked, postgresqlCoreMs(growth.listings))),
        dollars(algoliaCost(asked)),
        dollars(commonCost(asked)),
      ]);
    }
  }
  console.log('\nA month of lists; dollars without what all have in common, which is the last column');
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
  showLooks(mean);
  showMonths(growths, mean);
};

if (options.help) console.log(HELP);
else await main();
