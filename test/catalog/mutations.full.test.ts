import { expect, it } from 'vitest';
import { mutations } from '#test/catalog/proof/mutations.ts';
import { runUntilDetected } from '#test/catalog/proof/run.ts';

it.each(mutations)('the proof detects that $breaks ($name)', { timeout: 1_800_000 }, async (mutation) => {
  const { holds } = await runUntilDetected(mutation, 5000, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(holds).toBe(false);
});

it.each(['overlap', 'tombstones', 'posting'])(
  'the proof reports the difference caused by %s',
  { timeout: 600_000 },
  async (name) => {
    const mutation = mutations.find((candidate) => candidate.name === name);
    if (!mutation) throw new Error(`There is no mutation "${name}".`);
    const { holds, output } = await runUntilDetected(mutation, 3000, [1, 2, 3]);
    expect(holds).toBe(false);
    expect(output).toMatch(/^Difference: /);
  },
);
