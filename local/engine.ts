import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { log } from '#platform/log.ts';
import { StartRefused } from './refusal.ts';

/** A DynamoDB-compatible engine that answers. */
export interface Engine {
  readonly endpoint: string;
  /** Ends it if it is ours; a foreign engine is left alone. */
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const START_MS = 10_000;
const STOP_MS = 3000;
const START_TRIES = 3;
const RESTART_PAUSE_MAX_MS = 5000;
const HEALTHY_MS = 10_000;

const binary = (): string => {
  const own = process.env.DYNOXIDE_BIN;
  if (own) {
    if (existsSync(own)) return own;
    throw new StartRefused(`DYNOXIDE_BIN names ${own}, which does not exist.`);
  }
  const platform = `${process.platform}-${process.arch}`;
  const file = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';
  try {
    const manifest = createRequire(import.meta.url).resolve(`@dynoxide/${platform}/package.json`);
    return path.join(path.dirname(manifest), file);
  } catch (cause) {
    throw new StartRefused(
      `There is no embedded database engine for ${platform} among the installed packages. Set DYNOXIDE_BIN to a dynoxide ` +
        'binary, or DYNAMODB_ENDPOINT to the address of another DynamoDB-compatible engine, such as DynamoDB Local.',
      { cause },
    );
  }
};

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, LOOPBACK);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
};

const answers = async (endpoint: string): Promise<boolean> => {
  try {
    const answer = await fetch(endpoint, { signal: AbortSignal.timeout(1000) });
    await answer.arrayBuffer();
    return true;
  } catch {
    // Not yet: that is what is being asked.
    return false;
  }
};

/** The command that a process was started with; undefined when there is no such process. */
const commandOf = (pid: number): string | undefined => {
  try {
    if (process.platform === 'win32') {
      const query = `(Get-CimInstance Win32_Process -Filter "ProcessId=${pid}").CommandLine`;
      return execFileSync('powershell', ['-NoProfile', '-Command', query], { encoding: 'utf8' });
    }
    if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    // All three fail where there is no process of that number.
    return undefined;
  }
};

interface EngineRecord {
  readonly pid: number;
  readonly port: number;
}

const readRecord = (file: string): EngineRecord | undefined => {
  if (!existsSync(file)) return undefined;
  try {
    const { pid, port } = JSON.parse(readFileSync(file, 'utf8')) as Partial<EngineRecord>;
    return Number.isInteger(pid) && Number.isInteger(port) ? { pid: Number(pid), port: Number(port) } : undefined;
  } catch (error) {
    log.warn('the record of the last engine is not readable', { error: error as Error });
    return undefined;
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // The signal 0 only asks whether the process is there.
    return false;
  }
};

/**
 * Ends the engine that a killed run left behind. The process must have been started on this very database and port: a
 * number that has come to another program since is left alone. Call it only while the data folder is held.
 */
export const endOrphanedEngine = async (dbPath: string, recordPath: string): Promise<void> => {
  const left = readRecord(recordPath);
  if (!left) return;
  const command = commandOf(left.pid);
  if (command?.includes(`--port ${left.port}`) && command.includes(dbPath)) {
    process.kill(left.pid, 'SIGTERM');
    for (let waited = 0; isAlive(left.pid); waited += 20) {
      if (waited > STOP_MS) process.kill(left.pid, 'SIGKILL');
      await wait(20);
    }
  }
  rmSync(recordPath, { force: true });
};

/** Uses an engine that runs already. @throws {StartRefused} when nothing answers there. */
export const useEngine = async (endpoint: string): Promise<Engine> => {
  for (let tries = 0; !(await answers(endpoint)); tries += 1) {
    if (tries === 10) throw new StartRefused(`DYNAMODB_ENDPOINT is ${endpoint}, but nothing answers there.`);
    await wait(200);
  }
  return { endpoint, stop: async () => undefined };
};

const isRunning = (child: ChildProcess | undefined): child is ChildProcess =>
  child?.pid !== undefined && child.exitCode === null && child.signalCode === null;

/**
 * Ends a process when this one dies without a chance to: a shell of its own waits on a pipe that breaks with us. Where there
 * is no such shell the next start finds the engine by its record.
 * @returns what ends the guard itself.
 */
const guard = (pid: number): (() => void) => {
  if (process.platform === 'win32') return () => undefined;
  const shell = spawn('/bin/sh', ['-c', 'read -r _; kill "$0"', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  shell.once('error', (error) => log.warn('the database engine has no guard', { error }));
  shell.unref();
  (shell.stdin as Socket).unref();
  return () => shell.kill('SIGKILL');
};

/**
 * Starts the embedded engine on a file and keeps it running: when it dies it is started again at the same address.
 * @param recordPath where its process is noted, so that the next start can end it when this process is killed.
 */
export const startEngine = async (dbPath: string, recordPath: string): Promise<Engine> => {
  const file = binary();
  await endOrphanedEngine(dbPath, recordPath);

  let child: ChildProcess | undefined;
  let port = 0;
  let running = false;
  let stopping = false;
  let failures = 0;
  let lastWords = '';

  const launch = (): void => {
    const startedAt = performance.now();
    const started = spawn(file, ['serve', '--host', LOOPBACK, '--port', String(port), '--db-path', dbPath], {
      stdio: ['ignore', 'ignore', 'pipe'],
      // In a group of its own: Ctrl-C reaches this process only, which ends the engine last.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    child = started;
    lastWords = '';
    started.stderr?.setEncoding('utf8').on('data', (words: string) => {
      lastWords = (lastWords + words).slice(-2000);
    });
    if (started.pid !== undefined) {
      writeFileSync(recordPath, `${JSON.stringify({ pid: started.pid, port })}\n`);
      started.once('exit', guard(started.pid));
    }
    started.once('error', (error) => log.error('the database engine cannot be started', { error, file }));
    started.once('exit', (code, signal) => {
      if (stopping || !running) return;
      failures = performance.now() - startedAt > HEALTHY_MS ? 0 : failures + 1;
      const pause = failures === 0 ? 0 : Math.min(RESTART_PAUSE_MAX_MS, 10 * 2 ** failures);
      log.warn('the database engine died and is started again', { code, signal, last_words: lastWords.trim() });
      setTimeout(() => {
        if (!stopping) launch();
      }, pause).unref();
    });
  };
  const end = (signal: NodeJS.Signals) => {
    stopping = true;
    if (isRunning(child)) child.kill(signal);
  };
  const endWithProcess = () => end('SIGKILL');
  const stop = async (): Promise<void> => {
    end('SIGTERM');
    const last = setTimeout(() => end('SIGKILL'), STOP_MS);
    if (isRunning(child)) await once(child, 'exit');
    clearTimeout(last);
    process.off('exit', endWithProcess);
    rmSync(recordPath, { force: true });
  };

  process.once('exit', endWithProcess);
  const deadline = performance.now() + START_MS;
  for (let tries = 1; tries <= START_TRIES; tries += 1) {
    // Between being found free and being used the port may have gone to somebody else; then the engine ends at once.
    port = await freePort();
    launch();
    const endpoint = `http://${LOOPBACK}:${port}`;
    while (performance.now() < deadline && isRunning(child)) {
      running = await answers(endpoint);
      if (running) return { endpoint, stop };
      await wait(5);
    }
  }
  await stop();
  throw new StartRefused(`The database engine ${file} does not start. ${lastWords.trim()}`.trim());
};
