/**
 * Runs a script of this project with everything it needs: `node scripts/with-dependencies.mjs <script.ts> [arguments]`.
 * Installs the packages when they are missing or differ from the lock file, then runs the script with the Node that is
 * among them. This file itself must run on whatever Node a machine has, from version 18 on, and may import no package.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = path.join(root, 'node_modules');

const stop = (sentence) => {
  console.error(sentence);
  process.exit(1);
};

class InstallFailed extends Error {}

const packagesOf = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
  } catch {
    // Missing or half written: in both cases nothing counts as installed.
    return {};
  }
};

/** Whether what is installed is what the lock file says; npm writes its own list last, so a broken install has none. */
const isInstalled = () => {
  const wanted = Object.entries(packagesOf(path.join(root, 'package-lock.json')));
  const installed = packagesOf(path.join(modules, '.package-lock.json'));
  return wanted.every(([name, entry]) => {
    if (name === '') return true;
    const found = installed[name];
    return found ? found.version === entry.version : entry.optional === true;
  });
};

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // No right to signal it means that it is there.
    return error.code === 'EPERM';
  }
};

/**
 * Runs `work` while no other process of this project does; the lock of a dead process is taken over. `work` may name another
 * process that the lock shall stand for, which goes on when this one is killed.
 */
const alone = async (work) => {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const lock = path.join(tmpdir(), `install-${name}`);
  const owner = path.join(lock, 'pid');
  for (let tries = 0; ; tries += 1) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const pid = existsSync(owner) ? Number(readFileSync(owner, 'utf8')) : 0;
    // Between making the folder and writing the number a process is given a moment.
    if (pid > 0 ? !isAlive(pid) : tries > 10) rmSync(lock, { recursive: true, force: true });
    else if (tries === 0) console.log('Another start is installing the packages; waiting for it.');
    await wait(300);
  }
  try {
    const holdWhile = (pid) => writeFileSync(owner, String(pid));
    holdWhile(process.pid);
    await work(holdWhile);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
};

const hasProc = existsSync('/proc/self/stat');

/** The parent and the command of a process; undefined where the system does not tell. */
const lookUp = (pid) => {
  try {
    if (hasProc) {
      // The command stands in brackets and may have any sign in it.
      const [, command, state, parent] = /\((.*)\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      return { command, state, parent: Number(parent) };
    }
    const line = execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' });
    const [, parent, command] = /^\s*(\d+)\s+(.*?)\s*$/s.exec(line);
    return { command, parent: Number(parent) };
  } catch {
    // Windows has neither, and a process may be gone.
    return undefined;
  }
};

/** The npm that started this process, mostly by way of a shell that would outlive it. */
const findNpm = () => {
  if (!process.env.npm_lifecycle_event) return undefined;
  const parent = lookUp(process.ppid);
  return parent && /^(?:.*\/)?(?:ba|da|z|a|k)?sh$/.test(parent.command) ? parent.parent : process.ppid;
};

/**
 * Runs a command in this terminal. What the terminal sends, such as Ctrl-C, reaches it as well as this process, which only
 * has to go on waiting; what is sent to this process alone is passed on.
 * @returns its exit code.
 */
const runToEnd = (command, args, options, onStart = () => undefined) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    if (child.pid) onStart(child.pid);
    const ignore = () => undefined;
    const passOn = () => child.kill('SIGTERM');
    process.on('SIGINT', ignore).on('SIGHUP', ignore).on('SIGTERM', passOn);
    // npm that was killed cannot pass anything on.
    const parent = process.ppid;
    const npm = findNpm();
    const isAlone = () => process.ppid !== parent || !isAlive(npm) || (hasProc && lookUp(npm)?.state === 'Z');
    const look = () => {
      if (!isAlone()) return;
      clearInterval(watch);
      passOn();
    };
    const watch = npm && setInterval(look, 250);
    const finish = (settle, value) => {
      clearInterval(watch);
      process.off('SIGINT', ignore).off('SIGHUP', ignore).off('SIGTERM', passOn);
      settle(value);
    };
    child.once('error', (error) => finish(reject, error));
    child.once('exit', (code, signal) => finish(resolve, code ?? 128 + constants.signals[signal]));
  });

const install = async (holdWhile) => {
  if (isInstalled()) return;
  console.log('Installing the packages that package-lock.json names, as `npm ci` does. This takes a minute, once.');
  const options = ['ci', '--include=dev', '--include=optional', '--no-fund', '--no-audit', '--loglevel=error'];
  const npm = process.env.npm_execpath ?? '';
  const viaNode = /npm-cli\.c?js$/.test(npm);
  const command = viaNode ? (process.env.npm_node_execpath ?? process.execPath) : 'npm';
  const code = await runToEnd(
    command,
    viaNode ? [npm, ...options] : options,
    { cwd: root, stdio: 'inherit', shell: !viaNode && process.platform === 'win32' },
    holdWhile,
  ).catch((error) =>
    stop(`npm cannot be started (${error.message}). Run \`npm ci\` in ${root} yourself, then try again.`),
  );
  if (code !== 0) throw new InstallFailed();
};

/** A Node that runs TypeScript as it is: the project's own, or the machine's if it is new enough. */
const findNode = () => {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const binary = process.platform === 'win32' ? 'node.exe' : 'node';
  const own = path.join(modules, `node-${system}-${process.arch}`, 'bin', binary);
  if (existsSync(own)) return own;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  return stop(
    `There is no Node for ${system}-${process.arch} among the packages, and the one of this machine is ${process.version}. ` +
      'Install Node 24 (22.18 is enough) and try again.',
  );
};

const [script, ...args] = process.argv.slice(2);
if (!script) stop('Say which script to run: node scripts/with-dependencies.mjs <script.ts> [arguments]');
try {
  if (!isInstalled()) await alone(install);
} catch (error) {
  if (!(error instanceof InstallFailed)) throw error;
  stop('`npm ci` failed; the lines above say why. Without the packages nothing can run.');
}
// The channel tells the script when this process is gone, however that came about.
process.exitCode = await runToEnd(findNode(), [path.resolve(root, script), ...args], {
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  // What has been compiled once is not compiled again: a start needs a third less of the processor.
  env: { NODE_COMPILE_CACHE: path.join(modules, '.cache', 'compile'), ...process.env },
});
