import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { tiers } from '#contract/route.ts';

/** The single-machine world in a process of its own, as `npm start` runs it. */
export interface WorldProcess {
  readonly child: ChildProcess;
  /** Everything that it has written so far. */
  output(): string;
  /** Its address, once it says that it serves. @throws when it ends before. */
  url(): Promise<string>;
  /** Ends it by a signal. @returns its exit code and the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Its end, whoever brings it about. */
  ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

const main = fileURLToPath(new URL('../../local/main.ts', import.meta.url));

/** Starts `local/main.ts` on a folder, on any free port unless the environment says otherwise. */
export const startProcess = (dataDir: string, env: Readonly<Record<string, string>> = {}): WorldProcess => {
  const limits = Object.fromEntries(tiers.map((tier) => [`RATE_LIMIT_${tier.toUpperCase()}`, '1000000/60']));
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LOG_LEVEL: 'ERROR', ...limits, PORT: '0', DATA_DIR: dataDir, ...env },
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
    child.once('close', () => reject(new Error(`The world ended before it served:\n${written}`)));
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
