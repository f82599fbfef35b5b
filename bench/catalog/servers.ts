import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** A server in a separate process. */
export interface RunningServer {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The server is omitted; the message says why and how to install it. */
export class NotInstalled extends Error {
  override readonly name = 'Absent';
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Rate limits that no benchmark reaches; requests are counted as usual. */
export const highLimits: Readonly<Record<string, string>> = Object.fromEntries(
  ['GENERAL', 'VOTING', 'ADMIN', 'SUBMISSION'].map((tier) => [`RATE_LIMIT_${tier}`, '100000000/60']),
);

/** The options of Node that `npm start` passes. */
const startOptions = (): readonly string[] => {
  const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { scripts: { start: string } };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
};

const START_MS = 600_000;
const STOP_MS = 20_000;

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

interface Command {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The port, if a line of output contains it. */
  readonly portIn: (line: string) => number | undefined;
}

const start = async ({ name, args, env = {}, portIn }: Command): Promise<RunningServer> => {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    // stdin and the IPC channel close with this process, however it ends; each server watches one of them.
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  let errorOutput = '';
  child.stderr?.setEncoding('utf8').on('data', (words: string) => {
    errorOutput = (errorOutput + words).slice(-4000);
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
    throw new NotInstalled(
      /^Error: (.*not installed.*)$/m.exec(errorOutput)?.[1] ?? `It did not start. ${errorOutput.trim()}`,
    );
  } catch (error) {
    await stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

const portOf = (line: string): number | undefined =>
  line.startsWith('{') ? (JSON.parse(line) as { port: number }).port : undefined;

/**
 * Starts the service as `npm start` does, with a data folder. Jobs do not run, because the nightly one would correct the
 * generated counts, which have no votes.
 * @param nodeArgs options of Node, such as `--inspect`.
 */
export const startService = (dataDir: string, nodeArgs: readonly string[] = []): Promise<RunningServer> =>
  start({
    name: 'service',
    args: [...startOptions(), ...nodeArgs, 'local/main.ts'],
    env: { ...highLimits, LOCAL_SCHEDULES: 'off', PORT: '0', DATA_DIR: dataDir },
    portIn: (line) => Number(/at http:\/\/localhost:(\d+)/.exec(line)?.[1]) || undefined,
  });

/** Starts the server of fixed responses. @param responsesFile JSON of bodies by path. */
export const startBareServer = (responsesFile: string): Promise<RunningServer> =>
  start({ name: 'bare', args: ['bench/catalog/bare-server.ts', responsesFile], portIn: portOf });

/** Starts a peer with the listings of a file. @throws {NotInstalled} when a dependency is missing. */
export const startPeer = async (
  peer: 'postgresql' | 'sqlite' | 'supercluster' | 'votes',
  listingsFile: string,
): Promise<RunningServer> => {
  if (!existsSync(`${root}/bench/peers/node_modules/fastify`)) {
    throw new NotInstalled('Its libraries are not installed: npm ci --prefix bench/peers');
  }
  return await start({ name: peer, args: [`bench/peers/${peer}.ts`, '--listings', listingsFile], portIn: portOf });
};
