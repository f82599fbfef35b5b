import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { Catalog } from '#catalog/catalog.ts';
import { readSnapshot, writeSnapshot } from '#catalog/snapshot.ts';
import { Directory } from './listings.ts';
import { inTemporaryFolder } from './temporary.ts';

const HELP = `Measures how long a new process takes to load a snapshot of the catalog.

  node bench/catalog/snapshot-load.ts [--listings 50000] [--processes 9] [--seed 1]

Writes a snapshot to a file and loads it in one process after another: decompresses it, reads its columns, makes the catalog and
queries its first page. Prints the median of each step in milliseconds, without the reads from the table.`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    listings: { type: 'string', default: '50000' },
    processes: { type: 'string', default: '9' },
    seed: { type: 'string', default: '1' },
    /** Internal: a snapshot to load in this process. */
    load: { type: 'string' },
    /** Internal: its size in bytes, decompressed. */
    size: { type: 'string' },
  },
});

const STEPS = ['decompress', 'read the columns', 'make the catalog', 'first page'] as const;

/** The milliseconds of each step. */
const load = (file: string, size: number): number[] => {
  const packed = readFileSync(file);
  const times: number[] = [];
  const timed = <T>(step: () => T): T => {
    const start = performance.now();
    const result = step();
    times.push(performance.now() - start);
    return result;
  };
  const bytes = timed(() => zstdDecompressSync(packed, { chunkSize: size + 1 }));
  const contents = timed(() => readSnapshot(bytes));
  const catalog = timed(() => Catalog.of(contents));
  timed(() =>
    catalog.query({
      scope: { status: 'live', deleted: 'excluded' },
      filters: { searchIn: 'public' },
      sort: 'newest',
      page: 1,
      limit: 40,
    }),
  );
  return times;
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

const main = (): Promise<void> =>
  inTemporaryFolder('bench-snapshot-', async (folder) => {
    const listings = Number(options.listings);
    const catalog = new Catalog();
    catalog.apply([...new Directory(Number(options.seed)).changes(listings)]);
    const bytes = writeSnapshot(catalog.contents());
    const file = join(folder, 'snapshot');
    writeFileSync(file, zstdCompressSync(bytes));
    const runs: number[][] = [];
    for (let run = 0; run < Number(options.processes); run += 1) {
      const args = [fileURLToPath(import.meta.url), '--load', file, '--size', String(bytes.length)];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      runs.push(JSON.parse(stdout) as number[]);
    }
    console.log(`${listings} listings, ${(bytes.length / 1e6).toFixed(0)} MB, median of ${runs.length} processes:`);
    for (const [at, step] of STEPS.entries()) {
      console.log(`${step.padEnd(20)} ${median(runs.map((times) => times[at] ?? 0)).toFixed(0)} ms`);
    }
    const totals = runs.map((times) => times.reduce((sum, time) => sum + time, 0));
    console.log(`${'total'.padEnd(20)} ${median(totals).toFixed(0)} ms`);
  });

if (options.help) console.log(HELP);
else if (options.load !== undefined) console.log(JSON.stringify(load(options.load, Number(options.size))));
else await main();
