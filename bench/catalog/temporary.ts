import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Registers a cleanup; cleanups run in reverse order. */
type OnCleanup = (end: () => Promise<unknown>) => void;

/** Runs `work` with a temporary folder, then all cleanups, also after errors and signals. */
export const inTemporaryFolder = async (
  prefix: string,
  work: (folder: string, onCleanup: OnCleanup) => Promise<void>,
): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const finish = async (): Promise<void> => {
    for (const end of cleanups.splice(0).toReversed()) await end();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void finish().finally(() => process.exit(1)));
  }
  try {
    await work(folder, (end) => cleanups.push(end));
  } finally {
    await finish();
  }
};
