import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const HELP = `Times the first start as a new user sees it: clones the repository, runs \`npm start\`, and waits for the first list.

  node scripts/first-start.ts [--port 3987]

The clone, npm's cache and the data are in a temporary folder that is deleted afterwards. Prints the time of the first start
(limit 90 s) and of the second, with all packages installed (limit 3 s); exits with 1 when one exceeds its limit.
`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

const FIRST_MAX_S = 90;
const SECOND_MAX_S = 3;
const portAt = process.argv.indexOf('--port');
const port = portAt < 0 ? 3987 : Number(process.argv[portAt + 1]);
const folder = mkdtempSync(join(tmpdir(), 'first-start-'));
const clone = join(folder, 'clone');

const isServing = async (): Promise<boolean> => {
  try {
    const response = await fetch(`http://localhost:${port}/api/projects`, { signal: AbortSignal.timeout(5000) });
    return response.ok && ((await response.json()) as { meta: { total: number } }).meta.total > 0;
  } catch {
    // Not listening yet.
    return false;
  }
};

const stop = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'exit');
  if (child.pid === undefined || child.exitCode !== null) return;
  // Ctrl-C signals the whole process group.
  process.kill(-child.pid, 'SIGINT');
  await ended;
};

const timeStart = async (limitSeconds: number): Promise<number> => {
  const from = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: clone,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, PORT: String(port), npm_config_cache: join(folder, 'cache') },
  });
  try {
    while (!(await isServing())) {
      if (child.exitCode !== null) throw new Error('npm start exited.');
      if (performance.now() - from > 3 * limitSeconds * 1000) throw new Error('npm start did not respond in time.');
      await wait(20);
    }
    return (performance.now() - from) / 1000;
  } finally {
    await stop(child);
  }
};

try {
  execFileSync('git', ['clone', '--quiet', '.', clone], { stdio: 'inherit' });
  const first = await timeStart(FIRST_MAX_S);
  const second = await timeStart(SECOND_MAX_S);
  console.log(
    `\nfirst start ${first.toFixed(1)} s (limit ${FIRST_MAX_S} s), second start ${second.toFixed(1)} s (limit ${SECOND_MAX_S} s)`,
  );
  process.exitCode = first <= FIRST_MAX_S && second <= SECOND_MAX_S ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
