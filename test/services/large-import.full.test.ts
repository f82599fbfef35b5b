import { afterAll, beforeAll, it, vi } from 'vitest';
import { type BareTable, startBareTable } from '#test/support/bare-table.ts';
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

it('many random files are imported like in one request', async () => {
  for (let seed = 100; seed < 140; seed += 1) await simulateImport(seed);
}, 1_200_000);

it('many imports are cancelled exactly', async () => {
  for (let seed = 100; seed < 120; seed += 1) await simulateCancellation(seed);
}, 1_200_000);
