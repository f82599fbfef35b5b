import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { tiers } from '#contract/route.ts';

/** The local server in another process, as run by `npm start`. */
export interface ServerProcess {
  readonly child: ChildProcess;
  /** Standard output and standard error so far. */
  output(): string;
  /** Resolves when the server is ready. @throws {Error} when the process ends before. */
  url(): Promise<string>;
  /** Sends a signal and waits for the exit. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Waits for the exit. */
  ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

const main = fileURLToPath(new URL('../../local/main.ts', import.meta.url));

/** What `npm start` runs `local/main.ts` with. */
export const LAUNCHED = [
  process.execPath,
  fileURLToPath(new URL('../../scripts/with-dependencies.mjs', import.meta.url)),
] as const;

/**
 * Starts `local/main.ts` in the data folder, without rate limits, on any free port unless `env` sets one.
 * @param words of the command that runs it.
 */
export const startProcess = (
  dataDir: string,
  env: Readonly<Record<string, string | undefined>> = {},
  args: readonly string[] = [],
  [command, ...words]: readonly [string, ...string[]] = [process.execPath],
): ServerProcess => {
  const limits = Object.fromEntries(tiers.map((tier) => [`RATE_LIMIT_${tier.toUpperCase()}`, '1000000/60']));
  const child = spawn(command, [...words, main, ...args], {
    cwd: dataDir,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Where npm was run does not matter.
    env: {
      ...process.env,
      INIT_CWD: dataDir,
      HOST: undefined,
      LOG_LEVEL: 'ERROR',
      ...limits,
      PORT: '0',
      DATA_DIR: dataDir,
      ...env,
    },
  });
  let written = '';
  const add = (text: string): void => {
    written += text;
  };
  child.stdout.setEncoding('utf8').on('data', add);
  child.stderr.setEncoding('utf8').on('data', add);
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  const address = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = /directory is at (\S+)/.exec(written)?.[1];
      if (found) resolve(found.replace('localhost', '127.0.0.1'));
    });
    child.once('close', () => reject(new Error(`The server exited before it was ready:\n${written}`)));
  });
  address.catch(() => undefined);
  return {
    child,
    output: () => written,
    url: () => address,
    ended: () => ended,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
};
