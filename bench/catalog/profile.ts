import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { startService } from './contenders.ts';
import { freePort, watch } from './cpu-profile.ts';
import { startWorker } from './measuring.ts';
import { inTemporaryFolder } from './temporary.ts';

const HELP = `Says where the time of the service goes while it answers one kind of request over HTTP.

  node bench/catalog/profile.ts [--path /api/projects] [--listings 5000] [--seconds 6] [--together 16] [--seed 1]

  --path      what is asked for; several separated by spaces are asked for in turn
  --together  how many requests are on their way at a time (default 16)

Prints requests per second, and for each package, folder and function its part of the time that the service's process worked, what
it called left out. The engine is another process and not in it: what is missing to a whole core is waiting for it.`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    path: { type: 'string', default: '/api/projects' },
    listings: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '6' },
    together: { type: 'string', default: '16' },
    seed: { type: 'string', default: '1' },
  },
});

const PLACES = 22;
const FUNCTIONS = 30;
const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

const table = (title: string, times: ReadonlyMap<string, number>, busy: number, rows: number): void => {
  console.log(`\n${title}`);
  for (const [name, milliseconds] of [...times].slice(0, rows)) {
    console.log(`${((milliseconds / busy) * 100).toFixed(1).padStart(6)} %  ${name}`);
  }
};

const main = (): Promise<void> =>
  inTemporaryFolder('bench-profile-', async (folder, atEnd) => {
    const load = [here('load.ts'), '--folder', folder, '--listings', options.listings, '--seed', options.seed];
    console.log((await promisify(execFile)(process.execPath, load)).stdout.trim());
    const debuggerPort = await freePort();
    const service = await startService(join(folder, 'service'), [`--inspect=127.0.0.1:${debuggerPort}`]);
    atEnd(() => service.stop());
    const generator = await startWorker(here('load-generator.ts'));
    atEnd(() => generator.stop());
    const task = { port: service.port, paths: options.path.split(' '), together: Number(options.together) };
    await generator.measure({ ...task, milliseconds: 2000 });
    const milliseconds = Number(options.seconds) * 1000;
    let perSecond = 0;
    const watched = await watch(debuggerPort, async () => {
      ({ perSecond } = await generator.measure({ ...task, milliseconds }));
    });
    const share = watched.busy / milliseconds;
    console.log(
      `${perSecond.toFixed(0)} requests/s under the profiler; the process worked ${(share * 100).toFixed(0)} % of the time, ${(watched.busy / (perSecond * Number(options.seconds))).toFixed(3)} ms per request`,
    );
    table('By package, folder and part of Node', watched.places, watched.busy, PLACES);
    table('By function', watched.functions, watched.busy, FUNCTIONS);
  });

if (options.help) console.log(HELP);
else await main();
