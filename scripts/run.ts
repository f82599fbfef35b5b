import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The root folder of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** The entry files of the tools. They run on the Node of this process, not on the `node` of the machine. */
const ENTRIES = {
  biome: 'node_modules/@biomejs/biome/bin/biome',
  oxlint: 'node_modules/oxlint/bin/oxlint',
  tsc: 'node_modules/typescript/bin/tsc',
  vitest: 'node_modules/vitest/vitest.mjs',
  docs: 'scripts/docs.ts',
  references: 'scripts/references.ts',
  licences: 'scripts/licences.ts',
  check: 'scripts/check.ts',
} as const;

export type Tool = keyof typeof ENTRIES;

/** The result of a tool. `output` is empty when the output was shown. */
export interface Outcome {
  readonly ok: boolean;
  /** Empty with `show`. */
  readonly output: string;
  readonly seconds: number;
}

interface RunOptions {
  /** Whether the output goes to the console. It is collected otherwise. */
  readonly show?: boolean;
  /** Further variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a tool in the repository. */
export const run = async (
  tool: Tool,
  args: readonly string[],
  { show = false, env = {} }: RunOptions = {},
): Promise<Outcome> => {
  const started = performance.now();
  const child = spawn(process.execPath, [ENTRIES[tool], ...args], {
    cwd: root,
    stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NO_COLOR: process.stdout.isTTY ? undefined : '1',
      FORCE_COLOR: process.stdout.isTTY ? '1' : undefined,
      ...env,
    },
  });
  const parts: Buffer[] = [];
  child.stdout?.on('data', (part: Buffer) => parts.push(part));
  child.stderr?.on('data', (part: Buffer) => parts.push(part));
  const ok = await new Promise<boolean>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0));
  });
  return { ok, output: Buffer.concat(parts).toString('utf8'), seconds: (performance.now() - started) / 1000 };
};
