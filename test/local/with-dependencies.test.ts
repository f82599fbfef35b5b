import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

/** The starter in a project of its own, with a stand-in for npm that notes what it was asked. */

const starter = fileURLToPath(new URL('../../scripts/with-dependencies.mjs', import.meta.url));

const LOCK = {
  packages: {
    '': { name: 'project' },
    'node_modules/needed': { version: '1.2.3' },
    'node_modules/for-another-platform': { version: '1.0.0', optional: true },
  },
};

const NPM = `
import { appendFileSync, copyFileSync, mkdirSync } from 'node:fs';
appendFileSync('asked', process.argv.slice(2).join(' ') + '\\n');
await new Promise((resolve) => setTimeout(resolve, Number(process.env.NPM_MS ?? 0)));
if (process.env.NPM_FAILS) process.exit(3);
mkdirSync('node_modules', { recursive: true });
copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
`;

const SCRIPT = `
process.on('SIGTERM', () => { console.log('asked to end'); process.exit(7); });
process.on('disconnect', () => { process.stdout.write('left alone\\n', () => process.exit(8)); });
process.channel?.unref();
console.log('ran', process.argv.slice(2).join(' '), process.channel ? 'with a channel' : '');
if (process.argv[2] === 'code') process.exit(Number(process.argv[3]));
if (process.argv[2] === 'die') process.kill(process.pid, 'SIGKILL');
if (process.argv[2] === 'wait') setInterval(() => undefined, 1000);
`;

let project: string;
let started: ChildProcess[];

const write = (file: string, content: string): void => {
  mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
  writeFileSync(path.join(project, file), content);
};
const installed = (packages: object): void => write('node_modules/.package-lock.json', JSON.stringify({ packages }));
const asked = (): string[] =>
  existsSync(path.join(project, 'asked')) ? readFileSync(path.join(project, 'asked'), 'utf8').trim().split('\n') : [];

const start = (args: readonly string[], env: Record<string, string> = {}) => {
  const { npm_lifecycle_event: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [path.join(project, 'scripts/with-dependencies.mjs'), ...args], {
    env: { ...inherited, npm_execpath: path.join(project, 'npm-cli.mjs').replace('.mjs', '.cjs'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let output = '';
  child.stdout.on('data', (text: Buffer) => {
    output += text.toString();
  });
  child.stderr.on('data', (text: Buffer) => {
    output += text.toString();
  });
  const ended = once(child, 'close').then(([code]: unknown[]) => ({ code: code as number | null, output }));
  return { child, ended, output: () => output };
};

const until = async (isSo: () => boolean): Promise<void> => {
  for (let waited = 0; !isSo(); waited += 10) {
    if (waited > 5000) throw new Error('It did not come to be so.');
    await wait(10);
  }
};

beforeEach(() => {
  started = [];
  project = mkdtempSync(path.join(tmpdir(), 'starter-'));
  mkdirSync(path.join(project, 'scripts'));
  copyFileSync(starter, path.join(project, 'scripts/with-dependencies.mjs'));
  write('package-lock.json', JSON.stringify(LOCK));
  // The name that npm's own program has; what it does stands in a module.
  write('npm-cli.cjs', "import('./npm.mjs');");
  write('npm.mjs', NPM);
  write('script.ts', SCRIPT);
});

afterEach(() => {
  // The scripts notice and end by themselves.
  for (const child of started) child.kill('SIGKILL');
  rmSync(project, { recursive: true, force: true });
});

it('installs nothing when everything is there', async () => {
  installed({ 'node_modules/needed': { version: '1.2.3' } });
  const { code, output } = await start(['script.ts', 'one', 'two']).ended;
  expect({ code, output: output.trim() }).toEqual({ code: 0, output: 'ran one two with a channel' });
  expect(asked()).toEqual([]);
});

it.each([
  ['nothing is there', undefined],
  ['a package is missing', {}],
  ['a package has another version', { 'node_modules/needed': { version: '1.2.4' } }],
  [
    'an optional package has another version',
    { 'node_modules/needed': { version: '1.2.3' }, 'node_modules/for-another-platform': { version: '2.0.0' } },
  ],
])('installs and says so when %s', async (_, packages) => {
  if (packages) installed(packages);
  const { code, output } = await start(['script.ts', 'after']).ended;
  expect(code).toBe(0);
  expect(output).toMatch(/^Installing the packages .* takes a minute, once\.\nran after/);
  expect(asked()).toEqual(['ci --include=dev --include=optional --no-fund --no-audit --loglevel=error']);
});

it('runs nothing when the installation fails', async () => {
  const { code, output } = await start(['script.ts'], { NPM_FAILS: '1' }).ended;
  expect(code).toBe(1);
  expect(output).toMatch(/`npm ci` failed; the lines above say why\. .*\n$/);
  expect(output).not.toContain('ran');
});

it('installs once when two are started at once', async () => {
  const both = [start(['script.ts'], { NPM_MS: '800' }), start(['script.ts'], { NPM_MS: '800' })];
  const ends = await Promise.all(both.map(({ ended }) => ended));
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
  expect(ends.filter(({ output }) => output.includes('Another start is installing the packages'))).toHaveLength(1);
  expect(asked()).toHaveLength(1);
});

it('lets npm finish when the start that began it is killed, and installs no second time', async () => {
  const first = start(['script.ts'], { NPM_MS: '600' });
  await until(() => asked().length === 1);
  first.child.kill('SIGKILL');
  const { code } = await start(['script.ts']).ended;
  expect(code).toBe(0);
  expect(asked()).toHaveLength(1);
});

it('takes over the lock of an installation of which nothing is left', async () => {
  const first = start(['script.ts'], { NPM_MS: '60000' });
  await until(() => asked().length === 1);
  first.child.kill('SIGTERM');
  expect((await first.ended).code).toBe(1);
  const { code } = await start(['script.ts']).ended;
  expect(code).toBe(0);
  expect(asked()).toHaveLength(2);
});

it('ends with the code of the script', async () => {
  installed(LOCK.packages);
  expect((await start(['script.ts', 'code', '5']).ended).code).toBe(5);
  expect((await start(['script.ts', 'die']).ended).code).toBe(137);
});

it('passes SIGTERM on, and waits for the script', async () => {
  installed(LOCK.packages);
  const attempt = start(['script.ts', 'wait']);
  await until(() => attempt.output().includes('ran'));
  attempt.child.kill('SIGTERM');
  const { code, output } = await attempt.ended;
  expect({ code, last: output.trim().split('\n').at(-1) }).toEqual({ code: 7, last: 'asked to end' });
});

it('leaves SIGINT to the terminal, which sends it to the script as well', async () => {
  installed(LOCK.packages);
  const attempt = start(['script.ts', 'wait']);
  await until(() => attempt.output().includes('ran'));
  attempt.child.kill('SIGINT');
  await wait(200);
  expect(attempt.output()).not.toContain('asked to end');
  attempt.child.kill('SIGTERM');
  expect((await attempt.ended).code).toBe(7);
});

it('leaves no script behind when it is killed', async () => {
  installed(LOCK.packages);
  const attempt = start(['script.ts', 'wait']);
  await until(() => attempt.output().includes('ran'));
  attempt.child.kill('SIGKILL');
  // The pipe closes when the last who holds it has ended, which is the script.
  expect((await attempt.ended).output).toContain('left alone');
});

it.each(['SIGTERM', 'SIGKILL'] as const)('leaves no script behind when npm ends by %s', async (signal) => {
  installed(LOCK.packages);
  // As npm does it: a shell in between, which outlives npm.
  write(
    'npm-start.cjs',
    `
    const { spawn } = require('node:child_process');
    const command = JSON.stringify(process.execPath) + ' scripts/with-dependencies.mjs script.ts wait; exit $?';
    spawn('sh', ['-c', command], { stdio: 'inherit', cwd: __dirname, env: { ...process.env, npm_lifecycle_event: 'start' } });
  `,
  );
  const npm = spawn(process.execPath, [path.join(project, 'npm-start.cjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(npm);
  let output = '';
  npm.stdout.on('data', (text: Buffer) => {
    output += text.toString();
  });
  const closed = once(npm, 'close');
  await until(() => output.includes('ran'));
  npm.kill(signal);
  // The pipe closes when the last who holds it has ended, which is the script.
  await closed;
  expect(output).toContain('asked to end');
});

it('says what is missing when there is no script', async () => {
  installed(LOCK.packages);
  const { code, output } = await start([]).ended;
  expect(code).toBe(1);
  expect(output).toContain('Say which script to run');
});
