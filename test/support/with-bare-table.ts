import { afterAll, beforeAll } from 'vitest';
import { type BareTable, startBareTable } from './bare-table.ts';

/** An empty table without a server for the tests of this file. */
export const withBareTable = (): Pick<BareTable, 'scan' | 'sweep'> => {
  let table: BareTable;

  beforeAll(async () => {
    table = await startBareTable();
  });

  afterAll(async () => {
    await table.stop();
  });

  return { scan: () => table.scan(), sweep: () => table.sweep() };
};
