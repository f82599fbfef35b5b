import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Connection, readWhenReady } from './connection.ts';
import { distinctKinds } from './distinct-queries.ts';
import { memoryOf } from './process-memory.ts';
import { highLimits } from './servers.ts';
import { inTemporaryFolder } from './temporary.ts';

const HELP = `Measures the memory of the service on one machine. Linux only.

  node bench/catalog/memory.ts [--listings 50000] [--queries 600] [--data folder] [--seed 1]

  --queries  number of distinct queries per kind (default 600)
  --data     an existing data folder of that size, which the service changes; by default one is generated

Starts the service by npm start and prints the proportional set size (PSS) of all its processes, npm included, in MB: after
the start, the first list, the first search, lists that contain every live listing, distinct queries of every kind, and when the service
has been idle for half a minute.`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    listings: { type: 'string', default: '50000' },
    queries: { type: 'string', default: '600' },
    data: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});

const root = fileURLToPath(new URL('../..', import.meta.url));
const LIMIT = 100;
/** The service collects its garbage in this time. */
const IDLE_MS = 30_000;

const report = (moment: string, ancestor: number): void => {
  const sizes = memoryOf(ancestor);
  const total = sizes.reduce((sum, { megabytes }) => sum + megabytes, 0);
  const each = sizes.map(({ name, megabytes }) => `${name} ${megabytes.toFixed(0)}`).join(', ');
  console.log(`${moment.padEnd(20)} ${total.toFixed(0).padStart(6)} MB  ${each}`);
};

const main = (): Promise<void> =>
  inTemporaryFolder('bench-memory-', async (folder, onCleanup) => {
    const size = Number(options.listings);
    if (options.data === undefined) {
      const load = [
        'bench/catalog/load.ts',
        '--folder',
        folder,
        '--listings',
        options.listings,
        '--seed',
        options.seed,
        '--fields',
      ];
      console.log((await promisify(execFile)(process.execPath, load, { cwd: root })).stdout.trim());
    }
    const npm = spawn('npm', ['start'], {
      cwd: root,
      env: { ...process.env, ...highLimits, PORT: '0', DATA_DIR: options.data ?? join(folder, 'service') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = npm.pid ?? 0;
    onCleanup(async () => {
      const ended = once(npm, 'exit');
      npm.kill('SIGTERM');
      await ended;
    });
    let port = 0;
    for await (const line of createInterface({ input: npm.stdout })) {
      port = Number(/at http:\/\/localhost:(\d+)/.exec(line)?.[1] ?? 0);
      if (port > 0) break;
    }
    npm.stdout.resume();
    report('start', pid);
    const connection = new Connection(port);
    onCleanup(async () => connection.close());
    await readWhenReady(connection, '/api/projects');
    report('first list', pid);
    await readWhenReady(connection, '/api/projects?q=platform');
    report('first search', pid);
    for (let page = 1; page <= Math.ceil(size / LIMIT); page += 1) {
      await readWhenReady(connection, `/api/projects?limit=${LIMIT}&page=${page}`);
    }
    report('all listings', pid);
    for (const { name, paths } of distinctKinds(size, Number(options.queries), Number(options.seed), true)) {
      for (const path of paths) await readWhenReady(connection, path);
      report(name, pid);
    }
    await wait(IDLE_MS);
    report('idle', pid);
  });

if (options.help) console.log(HELP);
else await main();
