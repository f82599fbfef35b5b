import { afterAll, beforeAll, it, vi } from 'vitest';
import { type BareTable, startBareTable } from '#test/support/bare-table.ts';
import { simulateRevert } from './revert-simulation.ts';

vi.mock(import('#data/write.ts'), { spy: true });

const RUNS = 60;

let table: BareTable;

beforeAll(async () => {
  table = await startBareTable();
});

afterAll(async () => {
  await table.stop();
});

it('many random batches are reverted exactly', async () => {
  for (let seed = 1000; seed < 1000 + RUNS; seed += 1) await simulateRevert(table, seed);
}, 1_200_000);
