import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canMount, withReadOnly } from '#test/support/mounts.ts';
import { until } from '#test/support/until.ts';

/** The launcher in a temporary project, with a fake npm that records its arguments. */

const launcher = fileURLToPath(new URL('../../scripts/with-dependencies.mjs', import.meta.url));

const LOCK = {
  packages: {
    '': { name: 'project' },
    'node_modules/needed': { version: '1.2.3' },
    'node_modules/for-another-platform': { version: '1.0.0', optional: true, os: ['none'] },
    'node_modules/optional': { version: '1.0.0', optional: true },
  },
};

/** What npm lists as installed when all of it is. */
const NEEDED = { 'node_modules/needed': { version: '1.2.3' } };
const OPTIONS = '--include=dev --include=optional --no-fund --no-audit --loglevel=error';

/** A lock file with an engine for this system. */
const ENGINE = { version: '1.0.0', optional: true, os: [process.platform], cpu: [process.arch] };
const WITH_ENGINE = { packages: { ...LOCK.packages, 'node_modules/engine': ENGINE } };

const NPM = `
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n');
await new Promise((resolve) => setTimeout(resolve, Number(process.env.NPM_MS ?? 0)));
if (process.env.NPM_FAILS) process.exit(3);
const isClean = process.argv[2] === 'ci';
if (isClean) rmSync('node_modules', { recursive: true, force: true });
mkdirSync('node_modules/engine', { recursive: true });
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
if (process.env.NPM_LEAVES_OUT) delete packages[process.env.NPM_LEAVES_OUT];
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));
`;

const SCRIPT = `
process.on('SIGTERM', () => { console.log('terminating'); process.exit(7); });
process.on('disconnect', () => { process.stdout.write('disconnected\\n', () => process.exit(8)); });
process.channel?.unref();
console.log('ran', process.argv.slice(2).join(' '), process.channel ? 'with a channel' : '');
if (process.argv[2] === 'options') console.log(process.execArgv.join(' '));
if (process.argv[2] === 'proxy') console.log(process.env.no_proxy === process.env.NO_PROXY, process.env.NO_PROXY);
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
const npmCalls = (): string[] =>
  existsSync(path.join(project, 'npm-calls'))
    ? readFileSync(path.join(project, 'npm-calls'), 'utf8').trim().split('\n')
    : [];

const start = (
  args: readonly string[],
  env: Record<string, string> = {},
  [command, ...words]: readonly [string, ...string[]] = [process.execPath],
) => {
  const { npm_lifecycle_event: _, ...inherited } = process.env;
  const child = spawn(command, [...words, path.join(project, 'scripts/with-dependencies.mjs'), ...args], {
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

beforeEach(() => {
  started = [];
  project = mkdtempSync(path.join(tmpdir(), 'launcher-'));
  mkdirSync(path.join(project, 'scripts'));
  copyFileSync(launcher, path.join(project, 'scripts/with-dependencies.mjs'));
  write('package-lock.json', JSON.stringify(LOCK));
  // The launcher recognises npm by this file name.
  write('npm-cli.cjs', "import('./npm.mjs');");
  write('npm.mjs', NPM);
  write('script.ts', SCRIPT);
});

afterEach(() => {
  // The scripts exit by themselves when the channel disconnects.
  for (const child of started) child.kill('SIGKILL');
  rmSync(project, { recursive: true, force: true });
});

it('the launcher installs nothing when all packages are installed', async () => {
  installed({ 'node_modules/needed': { version: '1.2.3' } });
  const { code, output } = await start(['script.ts', 'one', 'two']).ended;
  expect({ code, output: output.trim() }).toEqual({ code: 0, output: 'ran one two with a channel' });
  expect(npmCalls()).toEqual([]);
});

it.each([
  ['nothing is installed', undefined],
  ['a package is missing', {}],
  ['a package has another version', { 'node_modules/needed': { version: '1.2.4' } }],
])('installs the packages and prints a message when %s', async (_, packages) => {
  if (packages) installed(packages);
  const { code, output } = await start(['script.ts', 'after']).ended;
  expect(code).toBe(0);
  expect(output).toMatch(/^Installing the packages .* takes a minute, once\.\nran after/);
  expect(npmCalls()).toEqual([`ci ${OPTIONS}`]);
});

const INSTALL_ENGINE = `install --no-save engine@1.0.0 ${OPTIONS}`;

describe('an optional package', () => {
  beforeEach(() => write('package-lock.json', JSON.stringify(WITH_ENGINE)));

  it.each([
    ['is missing', NEEDED, INSTALL_ENGINE],
    ['is listed and not there', { ...NEEDED, 'node_modules/engine': { version: '1.0.0' } }, INSTALL_ENGINE],
    [
      'without systems has another version',
      { ...NEEDED, 'node_modules/optional': { version: '2.0.0' }, 'node_modules/engine': { version: '1.0.0' } },
      `install --no-save optional@1.0.0 ${OPTIONS}`,
    ],
    [
      'for another system has another version',
      { ...NEEDED, 'node_modules/for-another-platform': { version: '2.0.0' }, 'node_modules/engine': ENGINE },
      undefined,
    ],
  ])('for this system is wanted: one that %s', async (problem, packages, call) => {
    installed(packages);
    if (!problem.includes('not there')) mkdirSync(path.join(project, 'node_modules/engine'));
    const { code, output } = await start(['script.ts']).ended;
    expect({ code, calls: npmCalls() }).toEqual({ code: 0, calls: call === undefined ? [] : [call] });
    expect(output).toMatch(call === undefined ? /^ran/ : /^Installing packages for this system: .*@1\.0\.0\.\nran/);
  });

  it('that npm leaves out is asked for once', async () => {
    installed(NEEDED);
    for (let starts = 0; starts < 2; starts += 1) {
      const { code, output } = await start(['script.ts'], { NPM_LEAVES_OUT: 'node_modules/engine' }).ended;
      expect({ code, isNamed: output.includes('npm could not install engine@1.0.0.') }).toEqual({
        code: 0,
        isNamed: starts === 0,
      });
    }
    expect(npmCalls()).toEqual([INSTALL_ENGINE]);
    // As after a copy from another system.
    write('node_modules/.left-out.json', JSON.stringify(['engine@1.0.0 other-system']));
    await start(['script.ts']).ended;
    expect(npmCalls()).toHaveLength(2);
  });

  it('that cannot be installed does not end the start, and is asked for again', async () => {
    installed(NEEDED);
    for (let starts = 0; starts < 2; starts += 1) {
      const { code, output } = await start(['script.ts'], { NPM_FAILS: '1' }).ended;
      expect({ code, last: output.trim().split('\n').at(-1) }).toEqual({ code: 0, last: 'ran  with a channel' });
    }
    expect(npmCalls()).toHaveLength(2);
  });

  it('is installed again after it was removed', async () => {
    await start(['script.ts']).ended;
    rmSync(path.join(project, 'node_modules/engine'), { recursive: true });
    await start(['script.ts']).ended;
    expect(npmCalls()).toEqual([`ci ${OPTIONS}`, INSTALL_ENGINE]);
  });
});

/** The Node among the packages, which as on Alpine Linux cannot run. */
const addForeignNode = (): void => {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const node = `node_modules/node-${system}-${process.arch}/bin/node`;
  write(node, '#!/nowhere/ld-musl.so.1\n');
  chmodSync(path.join(project, node), 0o755);
};

it('the Node of the machine is used where that of the packages cannot run', async () => {
  installed(LOCK.packages);
  addForeignNode();
  const { code, output } = await start(['script.ts', 'one']).ended;
  expect({ code, output: output.trim() }).toEqual({ code: 0, output: 'ran one with a channel' });
});

it('a machine whose Node is too old, and where that of the packages cannot run, gets one sentence', async () => {
  installed(LOCK.packages);
  addForeignNode();
  const older = "Object.defineProperty(process.versions, 'node', { value: '20.19.0' });";
  const { code, output } = await start(['script.ts'], {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURI(older)}`,
  }).ended;
  expect(code).toBe(1);
  expect(output.trim()).toMatch(
    /^The packages have no Node that runs on this system \(.*\), and .* \(at least 22\.18\) and try again\.$/,
  );
});

it.each([
  [{ NO_PROXY: '', no_proxy: '' }, 'localhost,127.0.0.1'],
  [{ NO_PROXY: '', no_proxy: 'intern.example, .b' }, 'intern.example, .b,localhost,127.0.0.1'],
  [{ NO_PROXY: '', no_proxy: '*' }, '*'],
])('this machine is reached without a proxy beside %o', async (env, names) => {
  installed({ 'node_modules/needed': { version: '1.2.3' } });
  const { output } = await start(['script.ts', 'proxy'], env).ended;
  expect(output).toContain(`true ${names}\n`);
});

it('the launcher does not run the script when the installation fails', async () => {
  const { code, output } = await start(['script.ts'], { NPM_FAILS: '1' }).ended;
  expect(code).toBe(1);
  expect(output).toMatch(/`npm ci` failed; see the output above\. .*\n$/);
  expect(output).not.toContain('ran');
});

it.runIf(canMount)('packages that cannot be written end the start with a sentence, when they must be', async () => {
  const readOnly = [...withReadOnly(project), process.execPath] as const;
  const { code, output } = await start(['script.ts'], {}, readOnly).ended;
  expect(code).toBe(1);
  expect(output).toMatch(
    /^The packages must be installed, and .* cannot be written: EROFS.*\. Run `npm ci --include=dev` there where .*\.\n$/,
  );
  installed(NEEDED);
  expect((await start(['script.ts'], {}, readOnly).ended).code).toBe(0);
  write('package-lock.json', JSON.stringify(WITH_ENGINE));
  expect((await start(['script.ts'], {}, readOnly).ended).code).toBe(0);
});

it('a missing npm is named', async () => {
  const { code, output } = await start(['script.ts'], { npm_execpath: '', PATH: '/nowhere' }).ended;
  expect(code).toBe(1);
  expect(output).toMatch(/\nnpm could not be started: .*ENOENT.*\.\n`npm ci` failed; see the output above\. .*\n$/);
  expect(existsSync(path.join(project, '.installing'))).toBe(false);
});

it('the launcher installs once when two processes are started together', async () => {
  const both = [start(['script.ts'], { NPM_MS: '800' }), start(['script.ts'], { NPM_MS: '800' })];
  const ends = await Promise.all(both.map(({ ended }) => ended));
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
  expect(
    ends.filter(({ output }) =>
      /^Waiting for (?:process \d+|another process), which installs the packages\.$/m.test(output),
    ),
  ).toHaveLength(1);
  expect(npmCalls()).toHaveLength(1);
});

it('the launcher lets npm finish when the process that started it is killed, and does not install again', async () => {
  const first = start(['script.ts'], { NPM_MS: '600' });
  await until(() => npmCalls().length === 1);
  first.child.kill('SIGKILL');
  const { code } = await start(['script.ts']).ended;
  expect(code).toBe(0);
  expect(npmCalls()).toHaveLength(1);
});

it('the launcher takes over the lock of a terminated installation', async () => {
  const first = start(['script.ts'], { NPM_MS: '60000' });
  await until(() => npmCalls().length === 1);
  first.child.kill('SIGTERM');
  const ended = await first.ended;
  expect(ended.code).toBe(1);
  expect(ended.output).toMatch(/\nThe installation was interrupted\. Start again to go on\.\n$/);
  const { code } = await start(['script.ts']).ended;
  expect(code).toBe(0);
  expect(npmCalls()).toHaveLength(2);
});

/** The lock of an installation by a process, as the launcher writes it. */
const lockedBy = (identity: string): void => write('.installing/process', identity);

it('the launcher takes over the lock of a process whose id another process has now', async () => {
  // This process runs, and did not start when the owner of the lock did.
  lockedBy(`${process.pid} 1`);
  const { code, output } = await start(['script.ts']).ended;
  expect({ code, calls: npmCalls().length }).toEqual({ code: 0, calls: 1 });
  expect(output).not.toContain('Waiting');
  expect(existsSync(path.join(project, '.installing'))).toBe(false);
});

it.each(['0', '-1', 'garbage', '99999999 1', ''])(
  'the launcher takes over a lock that names no process: %j',
  async (text) => {
    lockedBy(text);
    expect((await start(['script.ts']).ended).code).toBe(0);
    expect(npmCalls()).toHaveLength(1);
  },
);

it('a process whose lock was taken over leaves it to the other', async () => {
  const first = start(['script.ts'], { NPM_MS: '500' });
  await until(() => npmCalls().length === 1);
  lockedBy('1 of-another');
  await first.ended;
  expect(readFileSync(path.join(project, '.installing/process'), 'utf8')).toBe('1 of-another');
});

it('the launcher does not use the folder for temporary files', async () => {
  const missing = path.join(project, 'missing');
  const { code, output } = await start(['script.ts'], { TMPDIR: missing, TMP: missing, TEMP: missing }).ended;
  expect({ code, last: output.trim().split('\n').at(-1) }).toEqual({ code: 0, last: 'ran  with a channel' });
});

it('the launcher exits with the exit code of the script', async () => {
  installed(LOCK.packages);
  expect((await start(['script.ts', 'code', '5']).ended).code).toBe(5);
  expect((await start(['script.ts', 'die']).ended).code).toBe(137);
});

it('the launcher forwards SIGTERM and waits for the script', async () => {
  installed(LOCK.packages);
  const attempt = start(['script.ts', 'wait']);
  await until(() => attempt.output().includes('ran'));
  attempt.child.kill('SIGTERM');
  const { code, output } = await attempt.ended;
  expect({ code, last: output.trim().split('\n').at(-1) }).toEqual({ code: 7, last: 'terminating' });
});

it('the launcher does not forward SIGINT, which the terminal sends to the script itself', async () => {
  installed(LOCK.packages);
  const attempt = start(['script.ts', 'wait']);
  await until(() => attempt.output().includes('ran'));
  attempt.child.kill('SIGINT');
  await wait(200);
  expect(attempt.output()).not.toContain('terminating');
  attempt.child.kill('SIGTERM');
  expect((await attempt.ended).code).toBe(7);
});

it('the launcher terminates the script when it is killed', async () => {
  installed(LOCK.packages);
  const attempt = start(['script.ts', 'wait']);
  await until(() => attempt.output().includes('ran'));
  attempt.child.kill('SIGKILL');
  // The pipe closes when the script, its last holder, has ended.
  expect((await attempt.ended).output).toContain('disconnected');
});

it.each(['SIGTERM', 'SIGKILL'] as const)('the launcher terminates the script when npm ends by %s', async (signal) => {
  installed(LOCK.packages);
  // As npm does it: through a shell that outlives npm.
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
  // The pipe closes when the script, its last holder, has ended.
  await closed;
  expect(output).toContain('terminating');
});

it('the launcher passes leading options to Node', async () => {
  installed(LOCK.packages);
  const { output } = await start(['--max-semi-space-size=4', 'script.ts', 'options']).ended;
  expect(output).toContain('--max-semi-space-size=4');
});

it('the launcher prints its usage when the script is missing', async () => {
  installed(LOCK.packages);
  const { code, output } = await start([]).ended;
  expect(code).toBe(1);
  expect(output).toContain('Usage: node scripts/with-dependencies.mjs');
});
