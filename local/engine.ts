import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { log } from '#platform/log.ts';
import { endOrphanedEngine, guardProcess, writeRecord } from './orphans.ts';
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

/** Where the embedded engine's program is. @throws {StartRefused} when there is none for this platform. */
export const engineBinary = (): string => {
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
 * Starts the embedded engine on a file and keeps it running: when it dies it is started again at the same address.
 * @param recordPath where its process is noted, so that the next start can end it when this process is killed.
 */
export const startEngine = async (dbPath: string, recordPath: string): Promise<Engine> => {
  const file = engineBinary();
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
      writeRecord(recordPath, { pid: started.pid, port });
      started.once('exit', guardProcess(started.pid));
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
