/**
 * Runs a script of this project: `node scripts/with-dependencies.mjs [options of Node] <script.ts> [arguments]`.
 * Installs the packages when they differ from the lock file, then runs the script with the Node that is one of them. This
 * file must run on Node 18 and later, and must not import packages.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = path.join(root, 'node_modules');

const fail = (message) => {
  console.error(message);
  process.exit(1);
};

class InstallFailed extends Error {}

const packagesOf = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
  } catch {
    // Missing or incomplete: nothing counts as installed.
    return {};
  }
};

/** Names the system on which this script last ran `npm ci`. What that left out, the registry does not have. */
const installedOn = path.join(modules, '.installed-on');
const here = `${process.platform}-${process.arch}`;

/** npm's name of the C library, which only Linux has several of. */
const libcHere = () => (process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl');

/** Whether a package is made for some systems, and this is one of them. npm decides by the same lists. */
const isForThisSystem = ({ os, cpu, libc }) =>
  (os ?? cpu) !== undefined &&
  [os ?? process.platform].flat().includes(process.platform) &&
  [cpu ?? process.arch].flat().includes(process.arch) &&
  (!libc || [libc].flat().includes(libcHere()));

/**
 * Whether the installed packages match the lock file. npm writes its own list last, so an interrupted install has none. Of the
 * optional packages those for this system are wanted: they have the database engine, Node and esbuild.
 */
const isInstalled = () => {
  const wanted = Object.entries(packagesOf(path.join(root, 'package-lock.json')));
  const installed = packagesOf(path.join(modules, '.package-lock.json'));
  const isComplete = existsSync(installedOn) && readFileSync(installedOn, 'utf8') === here;
  return wanted.every(([name, entry]) => {
    if (name === '') return true;
    const found = installed[name];
    if (found && found.version !== entry.version) return false;
    if (!entry.optional) return found !== undefined;
    return isComplete || !isForThisSystem(entry) || (found !== undefined && existsSync(path.join(root, name)));
  });
};

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error.code === 'EPERM';
  }
};

const hasProc = existsSync('/proc/self/stat');

/** The parent, the command and the time of the start of a process; undefined when they are not available. */
const findProcess = (pid) => {
  try {
    if (hasProc) {
      // The command is in parentheses and may contain any character. The start is the 22nd field, in ticks since the boot.
      const [, command, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      const fields = rest.split(' ');
      return { command, state: fields[0], parent: Number(fields[1]), startedAt: fields[19] };
    }
    const line = execFileSync('ps', ['-o', 'ppid=,lstart=,comm=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    });
    const [, parent, startedAt, command] = /^\s*(\d+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*?)\s*$/s.exec(line);
    return { command, parent: Number(parent), startedAt };
  } catch {
    // Windows has neither, and the process may have ended.
    return undefined;
  }
};

/** What tells a process from a later one with the same id, after a restart of the container for example. */
const identityOf = (pid) => `${pid} ${findProcess(pid)?.startedAt ?? ''}`.trim();

const isRunning = (identity) => {
  const pid = Number(identity.split(' ', 1)[0]);
  return isAlive(pid) && findProcess(pid)?.state !== 'Z' && identityOf(pid) === identity;
};

/** @throws an error of the system, other than for an existing folder. */
const makeNew = (folder) => {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
};

/**
 * Runs `work` under a lock shared by all processes of this project. The lock of a process that has ended is taken over. `work`
 * may transfer the lock to a child process that continues when this process is killed.
 */
const withLock = async (work) => {
  const lock = path.join(root, '.installing');
  const owner = path.join(lock, 'process');
  for (let tries = 0; !makeNew(lock); tries += 1) {
    const identity = existsSync(owner) ? readFileSync(owner, 'utf8') : '';
    // Another process may have created the folder and not written its id yet.
    const isLeft = identity ? !isRunning(identity) : tries > 10;
    if (isLeft) {
      rmSync(lock, { recursive: true, force: true });
      continue;
    }
    if (tries === 0) {
      const holder = identity ? `process ${identity.split(' ', 1)[0]}` : 'another process';
      console.log(`Waiting for ${holder}, which installs the packages.`);
    }
    await wait(300);
  }
  try {
    const setOwner = (pid) => writeFileSync(owner, identityOf(pid));
    setOwner(process.pid);
    await work(setOwner);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
};

/** Process id of the npm that started this process, usually through a shell that outlives it. */
const findNpm = () => {
  if (!process.env.npm_lifecycle_event) return undefined;
  const parent = findProcess(process.ppid);
  return parent && /^(?:.*\/)?(?:ba|da|z|a|k)?sh$/.test(parent.command) ? parent.parent : process.ppid;
};

/**
 * Runs a command in the foreground. Signals of the terminal, such as Ctrl-C, reach the command directly and are ignored
 * here; SIGTERM is forwarded.
 * @returns the exit code.
 */
const runToEnd = (command, args, options, onStart = () => undefined) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    if (child.pid) onStart(child.pid);
    const ignore = () => undefined;
    const forward = () => child.kill('SIGTERM');
    process.on('SIGINT', ignore).on('SIGHUP', ignore).on('SIGTERM', forward);
    // A killed npm forwards no signal, so its end is polled.
    const parent = process.ppid;
    const npm = findNpm();
    const isOrphaned = () => process.ppid !== parent || !isAlive(npm) || (hasProc && findProcess(npm)?.state === 'Z');
    const check = () => {
      if (!isOrphaned()) return;
      clearInterval(watch);
      forward();
    };
    const watch = npm && setInterval(check, 250);
    const finish = (resolveOrReject, value) => {
      clearInterval(watch);
      process.off('SIGINT', ignore).off('SIGHUP', ignore).off('SIGTERM', forward);
      resolveOrReject(value);
    };
    child.once('error', (error) => finish(reject, error));
    child.once('exit', (code, signal) => finish(resolve, code ?? 128 + constants.signals[signal]));
  });

const install = async (setOwner) => {
  if (isInstalled()) return;
  console.log('Installing the packages of package-lock.json with `npm ci`. This takes a minute, once.');
  const options = ['ci', '--include=dev', '--include=optional', '--no-fund', '--no-audit', '--loglevel=error'];
  const npm = process.env.npm_execpath ?? '';
  const viaNode = /npm-cli\.c?js$/.test(npm);
  const command = viaNode ? (process.env.npm_node_execpath ?? process.execPath) : 'npm';
  const code = await runToEnd(
    command,
    viaNode ? [npm, ...options] : options,
    { cwd: root, stdio: 'inherit', shell: !viaNode && process.platform === 'win32' },
    setOwner,
  ).catch((error) => fail(`Could not start npm (${error.message}). Run \`npm ci\` in ${root}, then try again.`));
  if (code !== 0) throw new InstallFailed();
  writeFileSync(installedOn, here);
};

/** A Node that runs TypeScript directly: the one among the packages, or that of the machine if it is recent enough. */
const findNode = () => {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const binary = process.platform === 'win32' ? 'node.exe' : 'node';
  const packaged = path.join(modules, `node-${system}-${process.arch}`, 'bin', binary);
  // It needs the GNU C library, for example, which Alpine Linux does not have.
  if (spawnSync(packaged, ['--version'], { stdio: 'ignore' }).status === 0) return packaged;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  return fail(
    `The packages have no Node that runs on this system (${system}-${process.arch}), and this is Node ${process.version}. ` +
      'Install Node 24 (at least 22.18) and try again.',
  );
};

/** The hosts that are reached without a proxy: those of the environment, and this machine. Node reads them when it starts. */
const noProxy = () => {
  const given = (process.env.no_proxy ?? process.env.NO_PROXY ?? '').trim();
  return given === '*' ? given : [given, 'localhost', '127.0.0.1'].filter((name) => name !== '').join();
};

const given = process.argv.slice(2);
const scriptAt = given.findIndex((arg) => !arg.startsWith('--'));
if (scriptAt < 0) fail('Usage: node scripts/with-dependencies.mjs [options of Node] <script.ts> [arguments]');
const nodeOptions = given.slice(0, scriptAt);
const [script, ...args] = given.slice(scriptAt);
/** What to do about an error that ends the installation. */
const adviceOn = ({ code }) =>
  code === 'ENOSPC' || code === 'EDQUOT'
    ? 'Free disk space, and start again.'
    : 'Run `npm ci` as the user who owns that folder, and start again.';

try {
  if (!isInstalled()) await withLock(install);
} catch (error) {
  if (error instanceof InstallFailed) fail('`npm ci` failed; see the output above. Fix the problem and try again.');
  if (error.code === undefined) throw error;
  fail(`The packages must be installed, and ${root} cannot be written: ${error.message}. ${adviceOn(error)}`);
}
// The IPC channel disconnects when this process ends, also when it is killed.
process.exitCode = await runToEnd(findNode(), [...nodeOptions, path.resolve(root, script), ...args], {
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: {
    // The compile cache saves a third of the processor time of a start.
    NODE_COMPILE_CACHE: path.join(modules, '.cache', 'compile'),
    // Memory outside of V8's heap (ADR 5), read by glibc: one area for all threads, and large blocks, in bytes, are returned to
    // the operating system when they are freed.
    MALLOC_ARENA_MAX: '1',
    MALLOC_MMAP_THRESHOLD_: '262144',
    ...process.env,
    no_proxy: noProxy(),
    NO_PROXY: noProxy(),
  },
});
