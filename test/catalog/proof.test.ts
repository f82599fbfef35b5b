import { expect, it } from 'vitest';
import { prove } from '#test/catalog/proof/proof.ts';
import { isFullRun } from '#test/support/sample.ts';

const QUERIES = isFullRun ? 400 : 150;

/** The short version of proof.full.test.ts. */
it(`answers ${QUERIES} queries like a full read of the table`, { timeout: 300_000 }, async () => {
  const { queries, coldStarts } = await prove({ seed: 1, queries: QUERIES });
  expect(queries).toBeGreaterThanOrEqual(QUERIES);
  expect(coldStarts).toBeGreaterThan(0);
});
