import { syncBuiltinESMExports } from 'node:module';
import { parseArgs } from 'node:util';
import zlib from 'node:zlib';
import { VirtualClock } from './throttling/virtual-clock.ts';

const HELP = `Simulates a table that throttles by DynamoDB's rules, under many cold starts at once and under many votes.

  node bench/throttling.ts [--part cold-starts|feed|counters] [--listings 5000,50000,500000] [--processes 10,100,1000] [--partitions 4]
                           [--burst 1] [--limit 300] [--votes 0,10,100,500,1000]

  --part        only one of the three parts
  --listings    sizes of the directory
  --processes   cold starts at once, or processes that serve lists without a pause
  --partitions  of the table. 4 is a new on-demand table; a table with warm throughput has one per 3,000 read units
  --burst       seconds of unused units that a partition may use at once, 1 to 300. DynamoDB keeps up to 300, but promises none
  --limit       seconds after which a storm that does not serve yet is given up
  --votes       votes a second

The data layer of the service and the SDK with its retries run unchanged, in virtual time, against a simulated table: a
partition takes 3,000 read and 1,000 write units a second, a key of the index has a partition of its own, a request takes 4 to
24 ms. Snapshots and feeds have the number and size of those of a directory, but no listings; the CPU time of loading them is
that of ADR 30. Of a larger storm 50 processes are simulated, of processes that serve lists 10, each for several. A refused
request is repeated after a second. Deterministic but for random pauses; some minutes.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    part: { type: 'string' },
    listings: { type: 'string', default: '5000,50000,500000' },
    processes: { type: 'string', default: '10,100,1000' },
    partitions: { type: 'string', default: '4' },
    burst: { type: 'string', default: '1' },
    limit: { type: 'string', default: '300' },
    votes: { type: 'string', default: '0,10,100,500,1000' },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const numbers = (text: string): number[] => text.split(',').map(Number);

/** The CPU time of loading a snapshot, which is charged where it is decompressed, in milliseconds. */
let loadMs = 0;
/** Instead of compression: enough bytes for every part of a large snapshot. */
const padding = Buffer.alloc(16 * 1024);
Object.assign(zlib, {
  zstdCompress: (bytes: Buffer, done: (error: null, packed: Buffer) => void) =>
    done(null, Buffer.concat([bytes, padding])),
  zstdDecompress: (packed: Buffer, _: unknown, done: (error: null, bytes: Buffer) => void) => {
    setTimeout(() => done(null, packed.subarray(0, packed.length - padding.length)), loadMs);
  },
});
syncBuiltinESMExports();
Object.assign(process.env, { TABLE_NAME: 'directory', AWS_REGION: 'us-east-1', POWERTOOLS_METRICS_DISABLED: 'true' });

const clock = new VirtualClock();
// Imported after the replacement above, which affects later imports only.
const [{ runColdStarts, loadMs: loadMsOf }, { runFeedLoad }, { SimulatedTable }, { log }] = await Promise.all([
  import('./throttling/cold-start-storm.ts'),
  import('./throttling/feed-load.ts'),
  import('./throttling/simulated-table.ts'),
  import('#platform/log.ts'),
]);
log.setLogLevel('SILENT');
SimulatedTable.intercept();
clock.install();

const row = (cells: readonly (number | string)[]): void =>
  console.log(cells.map((cell) => String(cell).padStart(11)).join(''));
const seconds = (value: number | undefined): string => (value === undefined ? `> ${values.limit}` : value.toFixed(1));
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const isWanted = (part: string): boolean => values.part === undefined || values.part === part;

if (isWanted('cold-starts')) {
  console.log(`\nCold starts at once; table of ${values.partitions} partitions. Seconds until processes serve`);
  row(['listings', 'processes', 'first', 'half', 'last', 'refused', 'read units']);
  for (const listings of numbers(values.listings)) {
    for (const processes of numbers(values.processes)) {
      loadMs = loadMsOf(listings);
      const { first, half, last, refused, readUnits } = await runColdStarts(clock, {
        listings,
        processes,
        partitions: Number(values.partitions),
        burstSeconds: Number(values.burst),
        limitSeconds: Number(values.limit),
      });
      row([
        listings,
        processes,
        seconds(first),
        seconds(half),
        seconds(last),
        Math.round(refused),
        Math.round(readUnits).toLocaleString('en'),
      ]);
    }
  }
}

if (isWanted('feed')) {
  for (const listings of [10, 100_000]) {
    console.log(`\nThe feed while ${listings.toLocaleString('en')} listings receive votes`);
    row(['votes/s', 'processes', 'partitions', 'read/s each', 'write/vote', 'no read', 'no write']);
    for (const votesPerSecond of numbers(values.votes)) {
      for (const processes of numbers(values.processes)) {
        for (const shards of [1, 4, 8]) {
          const result = await runFeedLoad(clock, { votesPerSecond, listings, processes, shards });
          row([
            votesPerSecond,
            processes,
            shards,
            result.unitsPerProcess.toFixed(2),
            result.unitsPerVote.toFixed(2),
            percent(result.throttledReads),
            percent(result.throttledWrites),
          ]);
        }
      }
    }
  }
}

const WRITE_DOLLARS = 0.625 / 1e6;
const READ_DOLLARS = 0.125 / 1e6;

if (isWanted('counters')) {
  console.log(
    '\nCounters in the index, and only their keys: index units and reads of all processes a second, dollars an hour',
  );
  row(['votes/s', 'listings', 'processes', 'counters', 'write', 'read', '$/hour', 'no read']);
  for (const [votesPerSecond, listings] of [
    [1, 1],
    [10, 1],
    [100, 1],
    [100, 100],
    [100, 100_000],
  ] as const) {
    for (const processes of [1, 10, 100, 333]) {
      for (const hasCountersInIndex of [true, false]) {
        const load = { votesPerSecond, listings, processes, shards: 1, hasCountersInIndex };
        const { writeUnitsPerSecond, unitsPerProcess, throttledReads } = await runFeedLoad(clock, load);
        const readUnits = unitsPerProcess * processes;
        row([
          votesPerSecond,
          listings,
          processes,
          hasCountersInIndex ? 'in index' : 'keys only',
          writeUnitsPerSecond.toFixed(1),
          readUnits.toFixed(1),
          (3600 * (writeUnitsPerSecond * WRITE_DOLLARS + readUnits * READ_DOLLARS)).toFixed(4),
          percent(throttledReads),
        ]);
      }
    }
  }
}
