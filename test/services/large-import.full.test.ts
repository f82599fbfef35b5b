import { expect, it } from 'vitest';
import { seeds } from '#test/support/sample.ts';
import { withBareTable } from '#test/support/with-bare-table.ts';
import {
  simulateCancellation,
  simulateDryRun,
  simulateImport,
  simulateLateDryRun,
  simulateMisfit,
  simulateUnreachedRow,
} from './import-simulation.ts';

// Settings are read once, on first use.
process.env.UPLOAD_BUCKET = 'uploads';

withBareTable();

it('a large import does what an import in a request does, although processes die between any two writes', async () => {
  for (const seed of seeds(43)) await simulateImport(seed);
}, 1_200_000);

it('a dry run reports for every row what the import then does', async () => {
  for (const seed of seeds(3)) await simulateDryRun(seed);
}, 120_000);

it('the batch of a cancelled import states what was imported', async () => {
  for (const seed of seeds(28)) await simulateCancellation(seed);
}, 1_200_000);

it('an import whose mapping does not fit its file any more fails', async () => {
  await simulateMisfit();
});

it('a dry run that does not end in time has done nothing', async () => {
  await simulateLateDryRun();
});

it('an import leaves rows that it cannot write in its time, or not at all, to its next run', async () => {
  expect(await simulateUnreachedRow(0)).toBe(2);
  expect(await simulateUnreachedRow(60_000)).toBe(40);
}, 120_000);
