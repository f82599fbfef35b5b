import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const HELP = `Does what a new user does: clones the repository, types \`npm start\`, and waits for the first list.

  node scripts/rehearse-start.ts [--port 3987]

The clone, npm's cache and the data stand in a temporary folder that goes away afterwards. Prints how long the first start
took (at most 90 s), and the second, when everything is installed (at most 3 s); ends with 1 when one took longer.
`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

const FIRST_MAX_S = 90;
const SECOND_MAX_S = 3;
const portAt = process.argv.indexOf('--port');
const port = portAt < 0 ? 3987 : Number(process.argv[portAt + 1]);
const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
const clone = join(folder, 'clone');

const answers = async (): Promise<boolean> => {
  try {
    const answer = await fetch(`http://localhost:${port}/api/projects`, { signal: AbortSignal.timeout(5000) });
    return answer.ok && ((await answer.json()) as { meta: { total: number } }).meta.total > 0;
  } catch {
    // Nobody listens yet.
    return false;
  }
};

const stop = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'exit');
  if (child.pid === undefined || child.exitCode !== null) return;
  // As Ctrl-C does it: the whole group of the terminal.
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
    while (!(await answers())) {
      if (child.exitCode !== null) throw new Error('npm start ended by itself.');
      if (performance.now() - from > 3 * limitSeconds * 1000) throw new Error('npm start does not answer.');
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
    `\nfirst start ${first.toFixed(1)} s (at most ${FIRST_MAX_S}), second start ${second.toFixed(1)} s (at most ${SECOND_MAX_S})`,
  );
  process.exitCode = first <= FIRST_MAX_S && second <= SECOND_MAX_S ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
