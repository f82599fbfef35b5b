import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Mutation } from './mutations.ts';

/** How a proof in a process of its own ended. */
export interface ProofRun {
  readonly seed: number;
  readonly holds: boolean;
  /** What was done, or the first difference. */
  readonly says: string;
  readonly seconds: number;
}

const command = fileURLToPath(new URL('../../../scripts/prove.ts', import.meta.url));

/** Runs the proof in a process of its own, with something broken if that is given. */
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
  const [says, complaints, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0 && says === '') throw new Error(`The proof could not be run: ${complaints}`);
  return { seed, holds: code === 0, says: says.trim(), seconds: (performance.now() - from) / 1000 };
};

/** Runs the proof with one seed after the other until something is noticed, at most so many times; answers the last run. */
export const runUntilNoticed = async (
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
