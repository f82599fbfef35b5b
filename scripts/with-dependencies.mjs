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

/** The packages cannot be installed. The message says what to do. */
class InstallFailed extends Error {}

/** @returns an empty text when the file is missing or cannot be read. */
const readText = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** @returns undefined when the file is missing or incomplete. */
const readJson = (file) => {
  try {
    return JSON.parse(readText(file));
  } catch {
    return undefined;
  }
};

const packagesOf = (file) => readJson(file)?.packages ?? {};

/** Lists the packages for this system that the last installation left out, because the registry does not have them. */
const leftOut = path.join(modules, '.left-out.json');

/** npm's name of the C library, which only Linux has several of. */
const libc =
  process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined
    ? 'musl'
    : 'glibc';

/** Whether a package is for this system. npm decides by the same lists. */
const isForThisSystem = (entry) =>
  [entry.os ?? process.platform].flat().includes(process.platform) &&
  [entry.cpu ?? process.arch].flat().includes(process.arch) &&
  [entry.libc ?? libc].flat().includes(libc);

/**
 * The packages that differ from the lock file or are missing. npm writes its own list last, so after an interrupted install all are
 * missing. Optional ones are wanted if they are for this system: the database engine, Node and esbuild are.
 */
const missingPackages = () => {
  const installed = packagesOf(path.join(modules, '.package-lock.json'));
  const isMissing = ([name, entry]) => {
    if (name === '') return false;
    const found = installed[name];
    const isOther = found?.version !== entry.version;
    if (!entry.optional) return isOther;
    // Without a list of systems it is needed by builds for others, and npm installs it where they are.
    if (!entry.os && !entry.cpu) return found !== undefined && isOther;
    return isForThisSystem(entry) && (isOther || !existsSync(path.join(root, name)));
  };
  return Object.entries(packagesOf(path.join(root, 'package-lock.json')))
    .filter(isMissing)
    .map(([name, { version, optional }]) => ({ id: `${name.replace(/^.*node_modules\//, '')}@${version}`, optional }));
};

/** Where packages can be missing: a copy on another system needs others. */
const systemOf = ({ id }) => `${id} ${process.platform}-${process.arch}-${libc}`;

const isInstalled = () => {
  const missing = missingPackages();
  if (missing.length === 0) return true;
  const known = readJson(leftOut) ?? [];
  return missing.every((entry) => known.includes(systemOf(entry)));
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
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
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
  return pid > 0 && isAlive(pid) && findProcess(pid)?.state !== 'Z' && identityOf(pid) === identity;
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
  let unowned = 0;
  let isWaiting = false;
  while (!makeNew(lock)) {
    const identity = readText(owner);
    // Another process may have created the folder and not written its id yet.
    unowned = identity === '' ? unowned + 1 : 0;
    if (identity === '' ? unowned > 10 : !isRunning(identity)) {
      rmSync(lock, { recursive: true, force: true });
      continue;
    }
    if (!isWaiting) {
      const holder = identity === '' ? 'another process' : `process ${identity.split(' ', 1)[0]}`;
      console.log(`Waiting for ${holder}, which installs the packages.`);
      isWaiting = true;
    }
    await wait(300);
  }
  let held;
  const setOwner = (pid) => {
    held = identityOf(pid);
    writeFileSync(owner, held);
  };
  try {
    setOwner(process.pid);
    await work(setOwner);
  } finally {
    // Another process has taken it over if this one was stopped meanwhile and its npm killed.
    if (readText(owner) === held) rmSync(lock, { recursive: true, force: true });
  }
};

/** Process id of the npm that started this process, usually through a shell that outlives it. */
const findNpm = () => {
  if (!process.env.npm_lifecycle_event) return undefined;
  const parent = findProcess(process.ppid);
  return parent && /^(?:.*\/)?(?:ba|da|z|a|k)?sh$/.test(parent.command) ? parent.parent : process.ppid;
};

/** Whether the user or a parent has ended what runs. */
let isInterrupted = false;

/**
 * Runs a command in the foreground. Signals of the terminal, such as Ctrl-C, reach the command directly and are ignored
 * here; SIGTERM is forwarded.
 * @returns the exit code.
 */
const runToEnd = (command, args, options, onStart = () => undefined) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    if (child.pid) onStart(child.pid);
    const ignore = () => {
      isInterrupted = true;
    };
    const forward = () => {
      isInterrupted = true;
      child.kill('SIGTERM');
    };
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

/** Runs npm in the project. @returns whether it succeeded. @throws {InstallFailed} when it was interrupted. */
const runNpm = async (args, setOwner) => {
  const npm = process.env.npm_execpath ?? '';
  const viaNode = /npm-cli\.c?js$/.test(npm);
  const command = viaNode ? (process.env.npm_node_execpath ?? process.execPath) : 'npm';
  const options = [...args, '--include=dev', '--include=optional', '--no-fund', '--no-audit', '--loglevel=error'];
  const code = await runToEnd(
    command,
    viaNode ? [npm, ...options] : options,
    { cwd: root, stdio: 'inherit', shell: !viaNode && process.platform === 'win32' },
    setOwner,
  ).catch((error) => console.error(`npm could not be started: ${error.message}.`));
  if (isInterrupted) throw new InstallFailed('The installation was interrupted. Start again to go on.');
  return code === 0;
};

/** Errors of a folder that cannot be written, with what to do. */
const ADVICE = {
  EACCES: 'as the user who owns it',
  EPERM: 'as the user who owns it',
  EROFS: 'where it can be written',
  ENOSPC: 'after freeing disk space',
  EDQUOT: 'after freeing disk space',
};

const installMissing = async (setOwner) => {
  // Another process may have installed them meanwhile.
  const missing = missingPackages();
  if (isInstalled()) return;
  if (missing.every(({ optional }) => optional)) {
    // What is there stays, and the product starts, in case that these cannot be had.
    console.log(`Installing packages for this system: ${missing.map(({ id }) => id).join(', ')}.`);
    const isDone = await runNpm(['install', '--no-save', ...missing.map(({ id }) => id)], setOwner);
    if (!isDone) return;
  } else {
    console.log('Installing the packages of package-lock.json with `npm ci`. This takes a minute, once.');
    const isDone = await runNpm(['ci'], setOwner);
    if (!isDone) throw new InstallFailed('`npm ci` failed; see the output above. Fix the problem and try again.');
  }
  const left = missingPackages();
  if (left.length > 0) console.log(`npm could not install ${left.map(({ id }) => id).join(', ')}.`);
  writeFileSync(leftOut, JSON.stringify(left.map(systemOf)));
};

/** Installs what is missing. @throws {InstallFailed} */
const install = async () => {
  if (isInstalled()) return;
  try {
    await withLock(installMissing);
  } catch (error) {
    const advice = ADVICE[error.code];
    if (advice === undefined) throw error;
    if (missingPackages().every(({ optional }) => optional)) return;
    throw new InstallFailed(
      `The packages must be installed, and ${root} cannot be written: ${error.message}. Run \`npm ci --include=dev\` there ${advice}.`,
    );
  }
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
try {
  await install();
} catch (error) {
  if (!(error instanceof InstallFailed)) throw error;
  fail(error.message);
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
