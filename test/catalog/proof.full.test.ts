import { expect, it } from 'vitest';
import { prove } from '#test/catalog/proof/proof.ts';

const QUERIES = Number(process.env.CATALOG_QUERIES ?? 100_000);
const SEED = Number(process.env.CATALOG_SEED ?? 1);

it(`answers ${QUERIES} queries like a full read of the table (seed ${SEED})`, { timeout: 3_600_000 }, async () => {
  const { queries, coldStarts } = await prove({ seed: SEED, queries: QUERIES });
  expect(queries).toBeGreaterThanOrEqual(QUERIES);
  expect(coldStarts).toBeGreaterThan(0);
});
