import { vi } from 'vitest';
import { putItems, transact, tryTransact, updateItem } from '#data/write.ts';
import type { Random } from '#test/catalog/random.ts';

// Processes that die between any two writes. The test file mocks `#data/write.ts` with spies.

/** The process ended. */
class Died extends Error {}

const writers = { transact, tryTransact, putItems, updateItem } as const;

/** Lets the process die at one of its next writes, before or after the write itself. */
const dieAt = async (random: Random, writes: number): Promise<void> => {
  const actual = await vi.importActual<typeof import('#data/write.ts')>('#data/write.ts');
  let left = random.below(writes);
  const isAfter = random.chance(0.5);
  for (const name of Object.keys(writers) as (keyof typeof writers)[]) {
    const write = actual[name] as (...given: readonly unknown[]) => Promise<unknown>;
    const dying = async (...given: readonly unknown[]): Promise<unknown> => {
      left -= 1;
      if (left > -1) return await write(...given);
      if (left === -1 && isAfter) await write(...given);
      throw new Died();
    };
    vi.mocked(writers[name] as typeof write).mockImplementation(dying);
  }
};

/** Runs work in a process that dies at one of its next writes, unless it ends before. */
export const inDyingProcess = async <T>(random: Random, writes: number, work: () => Promise<T>): Promise<T> => {
  await dieAt(random, writes);
  try {
    return await work();
  } finally {
    for (const writer of Object.values(writers)) vi.mocked(writer).mockReset();
  }
};
