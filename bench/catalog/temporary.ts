import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Says what is to be done at the end; what was said last is done first. */
export type AtEnd = (end: () => Promise<unknown>) => void;

/** Works in a folder that goes away afterwards with all that was started, however the work ends and whoever ends it. */
export const inTemporaryFolder = async (
  prefix: string,
  work: (folder: string, atEnd: AtEnd) => Promise<void>,
): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const finish = async (): Promise<void> => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void finish().finally(() => process.exit(1)));
  }
  try {
    await work(folder, (end) => ends.push(end));
  } finally {
    await finish();
  }
};
