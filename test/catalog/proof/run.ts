import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Mutation } from './mutations.ts';

/** The result of a proof in a separate process. */
export interface ProofRun {
  readonly seed: number;
  readonly holds: boolean;
  /** The statistics of the proof, or its first difference. */
  readonly output: string;
  readonly seconds: number;
}

const command = fileURLToPath(new URL('../../../scripts/prove.ts', import.meta.url));

/** Runs the proof in a separate process, optionally with a mutation. */
export const runProof = async (seed: number, queries: number, mutation?: Mutation): Promise<ProofRun> => {
  const from = performance.now();
  const args = [
    '--seed',
    String(seed),
    '--queries',
    String(queries),
    ...(mutation ? ['--mutation', mutation.name] : []),
  ];
  const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0 && output === '') throw new Error(`The proof could not be run: ${errors}`);
  return { seed, holds: code === 0, output: output.trim(), seconds: (performance.now() - from) / 1000 };
};

/** Runs the proof with each seed until it detects the mutation. @returns the last run. */
export const runUntilDetected = async (
  mutation: Mutation,
  queries: number,
  seeds: readonly number[],
): Promise<ProofRun> => {
  let run: ProofRun | undefined;
  for (const seed of seeds) {
    run = await runProof(seed, queries, mutation);
    if (!run.holds) break;
  }
  if (!run) throw new Error('There is no seed to run the proof with.');
  return run;
};
