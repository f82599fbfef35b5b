import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { get as getOverHttp } from 'node:http';
import { get as getOverHttps } from 'node:https';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { log } from '#platform/log.ts';
import manifest from '../package.json' with { type: 'json' };
import { endLeftoverEngine, guardProcess, writeRecord } from './leftover-processes.ts';
import { isAboutFolder, StartupError } from './startup-error.ts';

/** A running DynamoDB-compatible engine. */
export interface Engine {
  readonly endpoint: string;
  /** Stops the embedded engine; does nothing for an external one. */
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
/**
 * Those of the Fetch Standard's blocked ports that need no privileges and that Chromium blocks too (ADR 89). The engine answers anyone, with
 * `access-control-allow-origin: *`; browsers send nothing to these ports.
 */
const BLOCKED_PORTS = [
  1719, 1720, 1723, 2049, 3659, 4045, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10_080,
];
const START_MS = 30_000;
const STOP_MS = 3000;
const START_TRIES = 3;
const RESTART_PAUSE_MAX_MS = 5000;
const HEALTHY_MS = 10_000;

/** Path of the embedded engine's binary. @throws {StartupError} when there is none for this platform. */
export const engineBinary = (): string => {
  const configured = process.env.DYNOXIDE_BIN;
  if (configured) {
    if (existsSync(configured)) return configured;
    throw new StartupError(`DYNOXIDE_BIN names ${configured}, which does not exist.`);
  }
  const platform = `${process.platform}-${process.arch}`;
  const file = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';
  try {
    const found = createRequire(import.meta.url).resolve(`@dynoxide/${platform}/package.json`);
    return path.join(path.dirname(found), file);
  } catch (cause) {
    const isPublished = `@dynoxide/${platform}` in manifest.optionalDependencies;
    throw new StartupError(
      `The installed packages have no database engine for ${platform}. ` +
        (isPublished ? 'Install it with `npm ci --include=optional`, or set' : 'Set') +
        ' DYNOXIDE_BIN to the path of a dynoxide binary, or DYNAMODB_ENDPOINT to the URL of another DynamoDB-compatible engine, ' +
        'such as DynamoDB Local.',
      { cause },
    );
  }
};

/** Where the engine listens. */
interface Address {
  readonly host: string;
  readonly port: number;
}

const isFree = async ({ host, port }: Address): Promise<boolean> => {
  const probe = createServer().listen(port, host);
  try {
    await once(probe, 'listening');
  } catch {
    // In use, or not an address of this machine.
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
};

/**
 * A blocked port of a random loopback address, so that engines do not compete for these ports; of 127.0.0.1 where the
 * system has no other address (macOS).
 */
const freeAddress = async (): Promise<Address> => {
  const first = randomInt(BLOCKED_PORTS.length);
  const ports = [...BLOCKED_PORTS.slice(first), ...BLOCKED_PORTS.slice(0, first)];
  const random = `127.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
  for (const host of [random, LOOPBACK]) {
    for (const port of ports) if (await isFree({ host, port })) return { host, port };
  }
  throw new StartupError(
    `The database engine needs one of the ports ${BLOCKED_PORTS.join(', ')}, and all are in use. Stop a program that uses one.`,
  );
};

/** `fetch` would refuse blocked ports. */
const isReachable = (endpoint: string): Promise<boolean> =>
  new Promise((resolve) => {
    const get = endpoint.startsWith('https:') ? getOverHttps : getOverHttp;
    get(endpoint, { agent: false, signal: AbortSignal.timeout(1000) }, (response) => {
      response.resume().once('end', () => resolve(true));
      response.on('error', () => resolve(false));
    })
      // Not listening yet, or too slow.
      .on('error', () => resolve(false));
  });

/** Uses an external engine. @throws {StartupError} when it does not respond. */
export const useEngine = async (endpoint: string): Promise<Engine> => {
  for (let tries = 0; !(await isReachable(endpoint)); tries += 1) {
    if (tries === 10)
      throw new StartupError(
        `DYNAMODB_ENDPOINT is ${endpoint}, but nothing responds there. Start that engine, or unset it.`,
      );
    await wait(200);
  }
  return { endpoint, stop: async () => undefined };
};

const isRunning = (child: ChildProcess | undefined): child is ChildProcess =>
  child?.pid !== undefined && child.exitCode === null && child.signalCode === null;

/**
 * Starts the embedded engine on a database file. After a crash it is restarted at the same address.
 * @param recordPath file for the engine's process id, so that the next start can terminate an orphaned engine.
 */
export const startEngine = async (dbPath: string, recordPath: string): Promise<Engine> => {
  const file = engineBinary();
  await endLeftoverEngine(dbPath, recordPath);

  let child: ChildProcess | undefined;
  let address: Address = { host: LOOPBACK, port: 0 };
  let running = false;
  let stopping = false;
  let failures = 0;
  let lastErrors = '';

  const launch = (): void => {
    const startedAt = performance.now();
    const { host, port } = address;
    const started = spawn(file, ['serve', '--host', host, '--port', String(port), '--db-path', dbPath], {
      stdio: ['ignore', 'ignore', 'pipe'],
      // A separate process group, so that Ctrl-C reaches this process only; it stops the engine last.
      detached: process.platform !== 'win32',
      windowsHide: true,
      // A single thread: the threads of the engine wait for each other at its database and its memory allocator.
      env: { TOKIO_WORKER_THREADS: '1', ...process.env },
    });
    child = started;
    lastErrors = '';
    started.stderr?.setEncoding('utf8').on('data', (text: string) => {
      lastErrors = (lastErrors + text).slice(-2000);
    });
    if (started.pid !== undefined) {
      writeRecord(recordPath, { pid: started.pid, host, port });
      started.once('exit', guardProcess(started.pid));
    }
    started.once('error', (error) => {
      if (running) log.error('the database engine could not be started', { error, file });
      else lastErrors = error.message;
    });
    started.once('exit', (code, signal) => {
      if (stopping || !running) return;
      failures = performance.now() - startedAt > HEALTHY_MS ? 0 : failures + 1;
      const pause = failures === 0 ? 0 : Math.min(RESTART_PAUSE_MAX_MS, 10 * 2 ** failures);
      log.warn('the database engine crashed and is restarted', { code, signal, last_errors: lastErrors.trim() });
      setTimeout(() => {
        if (!stopping) launch();
      }, pause).unref();
    });
  };
  const terminate = (signal: NodeJS.Signals) => {
    stopping = true;
    if (isRunning(child)) child.kill(signal);
  };
  const killWithProcess = () => terminate('SIGKILL');
  const stop = async (): Promise<void> => {
    terminate('SIGTERM');
    const deadline = setTimeout(() => terminate('SIGKILL'), STOP_MS);
    if (isRunning(child)) await once(child, 'exit');
    clearTimeout(deadline);
    process.off('exit', killWithProcess);
    rmSync(recordPath, { force: true });
  };

  process.once('exit', killWithProcess);
  const deadline = performance.now() + START_MS;
  for (let tries = 1; tries <= START_TRIES; tries += 1) {
    // Another process may take the port before the engine does; the engine exits in that case.
    address = await freeAddress();
    launch();
    const endpoint = `http://${address.host}:${address.port}`;
    while (performance.now() < deadline && isRunning(child)) {
      running = await isReachable(endpoint);
      if (running) return { endpoint, stop };
      await wait(5);
    }
  }
  await stop();
  const reason = lastErrors.trim();
  // The caller makes a sentence of it that names the folder.
  if (isAboutFolder(reason)) throw new Error(reason);
  throw new StartupError(`The database engine ${file} could not be started. ${reason}`.trim());
};
