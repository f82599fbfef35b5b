import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface CommandOutcome {
  readonly code: number | null;
  /** Standard output. */
  readonly output: string;
  /** Standard error. */
  readonly errors: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** As if npm had been run in a folder without a file `.env`, which the developer may have in the project. */
const ELSEWHERE = { npm_lifecycle_event: 'test', INIT_CWD: fileURLToPath(new URL('.', import.meta.url)) };

/** Runs a script of the project with the Node of this process. */
export const runCommand = async (
  script: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandOutcome> => {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...ELSEWHERE, ...env },
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, errors };
};
