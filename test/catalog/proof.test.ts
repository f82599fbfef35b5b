import { expect, it } from 'vitest';
import { fits } from './proof/mutating.ts';
import { mutations } from './proof/mutations.ts';
import { prove } from './proof/proof.ts';
import { runUntilNoticed } from './proof/run.ts';

/** Lists never lie: what processes answer from memory, against full reads of the table on the real engine. */

/** How many queries are compared; `CATALOG_QUERIES` raises it. */
const QUERIES = Number(process.env.CATALOG_QUERIES ?? 5000);
const SEED = Number(process.env.CATALOG_SEED ?? 1);

it(`answers ${QUERIES} queries as the table would, from seed ${SEED}`, { timeout: 1_200_000 }, async () => {
  const tally = await prove({ seed: SEED, queries: QUERIES });
  expect(tally.queries).toBeGreaterThanOrEqual(QUERIES);
  expect(tally.coldStarts).toBeGreaterThan(0);
});

it('all mutations fit the sources, so that scripts/mutate.ts can try them', () => {
  expect(mutations.filter((mutation) => !fits(mutation)).map(({ name }) => name)).toEqual([]);
});

it.each(['overlap', 'tombstones', 'posting'])(
  'the proof notices when this is broken: %s',
  { timeout: 120_000 },
  async (name) => {
    const mutation = mutations.find((one) => one.name === name);
    if (!mutation) throw new Error(`There is no mutation "${name}".`);
    const { holds, says } = await runUntilNoticed(mutation, 3000, [1, 2, 3]);
    expect(holds).toBe(false);
    expect(says).toMatch(/^Difference: /);
  },
);
