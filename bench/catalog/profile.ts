import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Connection, readWhenReady } from './connection.ts';
import { freePort, profileWhile } from './cpu-profile.ts';
import { distinctKinds } from './distinct-queries.ts';
import { startWorker } from './measuring.ts';
import { startService } from './servers.ts';
import { inTemporaryFolder } from './temporary.ts';

const HELP = `Profiles the CPU time of the service while it serves requests over HTTP.

  node bench/catalog/profile.ts [--path /api/projects | --distinct filters] [--listings 5000]
                                [--seconds 6] [--concurrency 16] [--seed 1]

  --path         requested path; several are separated by spaces and requested alternately
  --distinct     distinct queries of http.ts instead, of the kinds whose name contains this text
  --concurrency  number of concurrent requests (default 16)

Prints requests per second, and the share of each package, folder and function in the CPU time of the service's process,
without called functions. The database engine is a separate process and not included: time below one full core is mostly
spent waiting for it.`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    path: { type: 'string', default: '/api/projects' },
    distinct: { type: 'string' },
    listings: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '6' },
    concurrency: { type: 'string', default: '16' },
    seed: { type: 'string', default: '1' },
  },
});

/** More per kind than are requested in the default time. */
const DISTINCT = 20_000;
const MODULES = 22;
const FUNCTIONS = 30;
const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

const paths = (): string[] => {
  const { distinct } = options;
  if (distinct === undefined) return options.path.split(' ');
  const kinds = distinctKinds(Number(options.listings), DISTINCT, Number(options.seed), true);
  return kinds.filter(({ name }) => name.includes(distinct)).flatMap((kind) => kind.paths);
};

const table = (title: string, times: ReadonlyMap<string, number>, busy: number, rows: number): void => {
  console.log(`\n${title}`);
  for (const [name, milliseconds] of [...times].slice(0, rows)) {
    console.log(`${((milliseconds / busy) * 100).toFixed(1).padStart(6)} %  ${name}`);
  }
};

const main = (): Promise<void> =>
  inTemporaryFolder('bench-profile-', async (folder, onCleanup) => {
    const load = [
      here('load.ts'),
      '--folder',
      folder,
      '--listings',
      options.listings,
      '--seed',
      options.seed,
      '--fields',
    ];
    console.log((await promisify(execFile)(process.execPath, load)).stdout.trim());
    const debuggerPort = await freePort();
    const service = await startService(join(folder, 'service'), [`--inspect=127.0.0.1:${debuggerPort}`]);
    onCleanup(() => service.stop());
    const generator = await startWorker(here('load-generator.ts'));
    onCleanup(() => generator.stop());
    const task = { port: service.port, paths: paths(), concurrency: Number(options.concurrency) };
    const connection = new Connection(service.port);
    await readWhenReady(connection, '/api/projects');
    connection.close();
    const { times } = await generator.measure({ ...task, startAt: 0, milliseconds: 2000 });
    const milliseconds = Number(options.seconds) * 1000;
    let perSecond = 0;
    const profile = await profileWhile(debuggerPort, async () => {
      ({ perSecond } = await generator.measure({ ...task, startAt: times.length, milliseconds }));
    });
    const requests = perSecond * Number(options.seconds);
    console.log(
      `${perSecond.toFixed(0)} requests/s under the profiler; CPU time of all threads: ${(profile.cpu / requests).toFixed(3)} ms per request, ${((profile.cpu / milliseconds) * 100).toFixed(0)} % of a core`,
    );
    table('By package, folder and part of Node', profile.modules, profile.busy, MODULES);
    table('By function', profile.functions, profile.busy, FUNCTIONS);
  });

if (options.help) console.log(HELP);
else await main();
