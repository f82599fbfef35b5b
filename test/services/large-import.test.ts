import { expect, it, vi } from 'vitest';
import { longTest } from '#test/support/long-test.ts';
import { isFullRun } from '#test/support/sample.ts';
import {
  simulateCancellation,
  simulateDryRun,
  simulateImport,
  simulateUnreachedRow,
  withTable,
} from './import-simulation.ts';

vi.mock(import('#data/write.ts'), { spy: true });
vi.mock(import('#data/import-projects.ts'), { spy: true });
vi.mock(import('#platform/object-storage.ts'), async (importOriginal) =>
  (await import('#test/support/mock-object-storage.ts')).mockObjectStorage(await importOriginal()),
);

withTable();

longTest(
  'a large import does what an import in a request does, also when processes die between any two writes',
  async () => {
    for (let seed = 1; seed <= 3; seed += 1) await simulateImport(seed);
  },
  120_000,
);

it('a dry run says what the import does', async () => {
  for (let seed = 1; seed <= (isFullRun ? 3 : 1); seed += 1) await simulateDryRun(seed);
}, 120_000);

it('a cancelled import has a batch that says what was imported', async () => {
  // In the last one, a run dies within a chunk.
  for (const seed of [1, 2, 28]) await simulateCancellation(seed);
}, 120_000);

it('a run leaves rows that it cannot write in its time, or not at all, to another run', async () => {
  expect(await simulateUnreachedRow(0)).toBe(1);
  expect(await simulateUnreachedRow(60_000)).toBe(20);
}, 120_000);
