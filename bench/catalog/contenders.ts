import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** A server in a process of its own. */
export interface Contender {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Why one is left out, and what to do about it. */
export class Absent extends Error {
  override readonly name = 'Absent';
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Limits that nothing in a bench reaches; counting goes on as ever. */
export const highLimits: Readonly<Record<string, string>> = Object.fromEntries(
  ['GENERAL', 'VOTING', 'ADMIN', 'SUBMISSION'].map((tier) => [`RATE_LIMIT_${tier}`, '100000000/60']),
);

const START_MS = 600_000;
const STOP_MS = 20_000;

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

interface Command {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Finds the port in a line of output. */
  readonly portIn: (line: string) => number | undefined;
}

const start = async ({ name, args, env = {}, portIn }: Command): Promise<Contender> => {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    // Both its input and its channel end with this process, however that ends; each kind of server watches one of them.
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  let lastWords = '';
  child.stderr?.setEncoding('utf8').on('data', (words: string) => {
    lastWords = (lastWords + words).slice(-4000);
  });
  const stop = async (): Promise<void> => {
    if (!isRunning(child)) return;
    const ended = once(child, 'exit');
    child.stdin?.end();
    if (child.connected) child.disconnect();
    const last = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(last);
  };
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  try {
    for await (const line of createInterface({ input: child.stdout as Readable })) {
      const port = portIn(line);
      if (port === undefined) continue;
      child.stdout?.resume();
      return { name, port, pid: child.pid ?? 0, stop };
    }
    throw new Absent(/^Error: (.*not installed.*)$/m.exec(lastWords)?.[1] ?? `It did not start. ${lastWords.trim()}`);
  } catch (error) {
    await stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

const announced = (line: string): number | undefined =>
  line.startsWith('{') ? (JSON.parse(line) as { port: number }).port : undefined;

/** The service as `npm start` runs it, on a data folder. @param nodeArgs for Node itself, such as those of its profiler. */
export const startService = (dataDir: string, nodeArgs: readonly string[] = []): Promise<Contender> =>
  start({
    name: 'service',
    args: [...nodeArgs, 'local/main.ts'],
    env: { ...highLimits, PORT: '0', DATA_DIR: dataDir },
    portIn: (line) => Number(/at http:\/\/localhost:(\d+)/.exec(line)?.[1]) || undefined,
  });

/** A server that answers known bytes. @param answersFile of bodies by path. */
export const startBareServer = (answersFile: string): Promise<Contender> =>
  start({ name: 'bare', args: ['bench/catalog/bare-server.ts', answersFile], portIn: announced });

/** A peer with the listings of a file. @throws {Absent} when what it needs is not installed. */
export const startPeer = async (peer: 'postgresql' | 'sqlite', listingsFile: string): Promise<Contender> => {
  if (!existsSync(`${root}/bench/peers/node_modules/fastify`)) {
    throw new Absent('What it needs is not installed: npm ci --prefix bench/peers');
  }
  return await start({ name: peer, args: [`bench/peers/${peer}.ts`, '--listings', listingsFile], portIn: announced });
};
