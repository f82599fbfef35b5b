import { afterAll, beforeAll, it, vi } from 'vitest';
import { type BareTable, startBareTable } from '#test/support/bare-table.ts';
import { longTest } from '#test/support/long-test.ts';
import { simulateCancellation, simulateImport } from './import-simulation.ts';

vi.mock(import('#data/write.ts'), { spy: true });
vi.mock(import('#platform/object-storage.ts'), async (importOriginal) => ({
  ...(await importOriginal()),
  signUpload: vi.fn(async () => ({ method: 'PUT' as const, url: 'http://localhost/unused', headers: {} })),
  readFilePart: vi.fn(),
  deleteFile: vi.fn(async () => undefined),
}));

let table: BareTable;

beforeAll(async () => {
  table = await startBareTable();
});

afterAll(async () => {
  await table.stop();
});

longTest(
  'a large import does what an import in a request does, also when processes die between any two writes',
  async () => {
    for (let seed = 1; seed <= 3; seed += 1) await simulateImport(seed);
  },
  120_000,
);

it('a cancelled import has a batch that says what was imported', async () => {
  for (let seed = 1; seed <= 3; seed += 1) await simulateCancellation(seed);
}, 120_000);
