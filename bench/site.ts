import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Connection, readWhenReady } from './catalog/connection.ts';
import { type Measured, startWorker, type Worker } from './catalog/measuring.ts';
import { memoryOf } from './catalog/process-memory.ts';
import { startBareServer, startService } from './catalog/servers.ts';
import { inTemporaryFolder } from './catalog/temporary.ts';

const HELP = `Measures the public pages over HTTP, compared with a node:http server of the same bytes. Linux only.

  node bench/site.ts [--listings 50000] [--quick] [--seed 1]

  --listings  number of listings (default 50000)
  --quick     short spans, as a functional test
  --seed      of the generated directory (default 1)

For each kind of page: median and 99th percentile of sequential requests in milliseconds, pages per second at a
concurrency of 16, and what the fixed server reaches with the same bytes. "one" repeats a page, "many" sends different
pages of the kind. Then the list of the API for the same listings, a part of the sitemap, and the memory that the pages
add. Each figure stands beside its goal, which holds for two idle cores and 50,000 listings.`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    listings: { type: 'string', default: '50000' },
    seed: { type: 'string', default: '1' },
  },
});

const GOALS = { median: 8, p99: 40, perSecond: 300, ofFloor: 0.5, ofApi: 2.5, sitemap: 150, megabytes: 20 } as const;
const CONCURRENCY = 16;
const CARDS = 24;
const READS = 64;
const spans = options.quick
  ? { warm: 300, sequential: 500, concurrent: 500 }
  : { warm: 2000, sequential: 5000, concurrent: 5000 };

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

interface Kind {
  readonly name: string;
  readonly paths: readonly string[];
}

/** Every kind of page that reads without script. */
const kindsOf = (slugs: readonly string[], categories: readonly string[], listings: number): readonly Kind[] => {
  const pages = Math.max(1, Math.min(READS, Math.floor(listings / CARDS / 4)));
  const one = (name: string, path: string): Kind => ({ name: `${name}, one`, paths: [path] });
  return [
    one('home', '/'),
    one('list', '/projects'),
    { name: 'list, many', paths: Array.from({ length: pages }, (_, page) => `/projects?page=${page + 2}`) },
    {
      name: 'search, many',
      paths: slugs.map((slug) => `/projects?q=${slug.split('-')[0]}&match=fuzzy&sort=relevance`),
    },
    one('categories', '/categories'),
    { name: 'category, many', paths: categories.map((slug) => `/categories/${slug}`) },
    one('listing', `/projects/${slugs[0]}`),
    { name: 'listing, many', paths: slugs.map((slug) => `/projects/${slug}`) },
    one('map', '/map'),
    one('form', '/submit'),
    one('account', '/me'),
  ];
};

const quantile = (times: readonly number[], share: number): number => {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
};

const medianOf = ({ times }: Measured): number => quantile(times, 0.5);

const measure = async (worker: Worker, port: number, paths: readonly string[]) => {
  const task = { port, paths, startAt: 0 };
  await worker.measure({ ...task, concurrency: 1, milliseconds: spans.warm });
  const sequential = await worker.measure({ ...task, concurrency: 1, milliseconds: spans.sequential });
  const concurrent = await worker.measure({ ...task, concurrency: CONCURRENCY, milliseconds: spans.concurrent });
  return { sequential, perSecond: concurrent.perSecond };
};

const verdict = (isMet: boolean): string => (isMet ? 'met' : 'MISSED');

const total = (pid: number): number => memoryOf(pid).reduce((sum, { megabytes }) => sum + megabytes, 0);

interface Parts {
  readonly connection: Connection;
  readonly worker: Worker;
  readonly service: { readonly port: number; readonly pid: number };
  /** Starts the server of fixed bytes. @param bodies by path. */
  readonly startFloor: (bodies: Readonly<Record<string, string>>) => Promise<number>;
}

const measurePages = async ({ connection, worker, service, startFloor }: Parts, kinds: readonly Kind[]) => {
  const bodies: Record<string, string> = {};
  for (const path of new Set(kinds.flatMap(({ paths }) => paths)))
    bodies[path] = (await readWhenReady(connection, path)).toString('utf8');
  // One server after the other: an idle connection would be closed.
  const measured = new Map<string, Awaited<ReturnType<typeof measure>>>();
  for (const { name, paths } of kinds) measured.set(name, await measure(worker, service.port, paths));
  const floorPort = await startFloor(bodies);
  console.log(
    `| Page | KB | median ms (≤ ${GOALS.median}) | p99 ms (≤ ${GOALS.p99}) | pages/s (≥ ${GOALS.perSecond}) | fixed/s | share (one: ≥ ${GOALS.ofFloor}) | goals |`,
  );
  console.log('|---|---:|---:|---:|---:|---:|---:|---|');
  const medians = new Map<string, number>();
  for (const { name, paths } of kinds) {
    const { sequential, perSecond } = measured.get(name) as Awaited<ReturnType<typeof measure>>;
    const floor = await measure(worker, floorPort, paths);
    const [median, p99, share] = [medianOf(sequential), quantile(sequential.times, 0.99), perSecond / floor.perSecond];
    medians.set(name, median);
    const isMet =
      median <= GOALS.median &&
      p99 <= GOALS.p99 &&
      perSecond >= GOALS.perSecond &&
      (paths.length > 1 || share >= GOALS.ofFloor);
    const kilobytes = Buffer.byteLength(bodies[paths[0] ?? ''] ?? '') / 1000;
    const cells = [kilobytes.toFixed(1), median.toFixed(2), p99.toFixed(2), perSecond.toFixed(0)];
    console.log(`| ${[name, ...cells, floor.perSecond.toFixed(0), share.toFixed(2), verdict(isMet)].join(' | ')} |`);
  }
  return medians;
};

const main = (): Promise<void> =>
  inTemporaryFolder('bench-site-', async (folder, onCleanup) => {
    const load = ['--folder', folder, '--listings', options.listings, '--seed', options.seed, '--fields'];
    const loaded = await promisify(execFile)(process.execPath, [here('catalog/load.ts'), ...load]);
    console.log(loaded.stdout.trim());
    const service = await startService(join(folder, 'service'));
    onCleanup(() => service.stop());
    const worker = await startWorker(here('catalog/load-generator.ts'));
    onCleanup(() => worker.stop());
    const connection = new Connection(service.port);
    onCleanup(async () => connection.close());

    const dataOf = async (path: string) =>
      (JSON.parse((await readWhenReady(connection, path)).toString('utf8')) as { data: { slug: string }[] }).data.map(
        ({ slug }) => slug,
      );
    const slugs = await dataOf(`/api/projects?limit=${READS}`);
    const categories = (await dataOf('/api/categories')).slice(0, READS);
    await readWhenReady(connection, '/api/projects?q=platform');
    const before = total(service.pid);

    const startFloor = async (bodies: Readonly<Record<string, string>>): Promise<number> => {
      const file = join(folder, 'bodies.json');
      await writeFile(file, JSON.stringify(bodies));
      const floor = await startBareServer(file);
      onCleanup(() => floor.stop());
      return floor.port;
    };
    const parts = { connection, worker, service, startFloor };
    const medians = await measurePages(parts, kindsOf(slugs, categories, Number(options.listings)));
    const more = total(service.pid) - before;

    const api = medianOf((await measure(worker, service.port, [`/api/projects?limit=${CARDS}`])).sequential);
    const ratio = (medians.get('list, one') ?? 0) / api;
    console.log(
      `\nlist page: ${ratio.toFixed(2)} times the list of the API (${api.toFixed(2)} ms); goal ≤ ${GOALS.ofApi}: ${verdict(ratio <= GOALS.ofApi)}`,
    );
    const index = (await readWhenReady(connection, '/sitemap.xml')).toString('utf8');
    const [, part = ''] = /<loc>[^<]*?(\/sitemaps\/(?!pages)[^<]+)<\/loc>/.exec(index) ?? [];
    const sitemap = medianOf(
      await worker.measure({
        port: service.port,
        paths: [part],
        startAt: 0,
        concurrency: 1,
        milliseconds: spans.sequential,
      }),
    );
    console.log(`${part}: ${sitemap.toFixed(0)} ms; goal ≤ ${GOALS.sitemap} ms: ${verdict(sitemap <= GOALS.sitemap)}`);
    console.log(
      `memory: ${more.toFixed(0)} MB more after the pages than after lists and a search; goal ≤ ${GOALS.megabytes} MB: ${verdict(more <= GOALS.megabytes)}`,
    );
  });

if (options.help) console.log(HELP);
else await main();
