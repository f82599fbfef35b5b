import { afterAll, beforeAll, it, vi } from 'vitest';
import { type BareTable, startBareTable } from '#test/support/bare-table.ts';
import { isFullRun } from '#test/support/sample.ts';
import { simulateRevert } from './revert-simulation.ts';

vi.mock(import('#data/write.ts'), { spy: true });

let table: BareTable;

beforeAll(async () => {
  table = await startBareTable();
});

afterAll(async () => {
  await table.stop();
});

it('a revert is exact whatever happened since, also when processes die between any two writes', async () => {
  for (let seed = 1; seed <= (isFullRun ? 12 : 5); seed += 1) await simulateRevert(table, seed);
}, 120_000);
