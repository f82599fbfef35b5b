import { it, vi } from 'vitest';
import { simulateCancellation, simulateImport, withTable } from './import-simulation.ts';

vi.mock(import('#data/write.ts'), { spy: true });
vi.mock(import('#data/import-projects.ts'), { spy: true });
vi.mock(import('#platform/object-storage.ts'), async (importOriginal) =>
  (await import('#test/support/mock-object-storage.ts')).mockObjectStorage(await importOriginal()),
);

withTable();

it('many random files are imported like in one request', async () => {
  for (let seed = 100; seed < 140; seed += 1) await simulateImport(seed);
}, 1_200_000);

it('many imports are cancelled exactly', async () => {
  for (let seed = 100; seed < 120; seed += 1) await simulateCancellation(seed);
}, 1_200_000);
