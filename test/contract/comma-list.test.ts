import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { trimmed } from '#contract/characters.ts';
import { joinWithCommas, splitAtCommas } from '#contract/comma-list.ts';

it('splits at commas but those after a backslash, and drops blank values', () => {
  expect(splitAtCommas('a, b ,,c\\,d,C:\\x,e\\\\,f')).toEqual(['a', 'b', 'c,d', 'C:\\x', 'e\\,f']);
});

const values = fc
  .array(fc.string({ unit: fc.constantFrom('a', 'é', ',', '\\', ' ', '😀') }))
  .map((all) => all.map(trimmed).filter((value) => value !== ''));

it('splits what it joins, whatever the values are', () => {
  fc.assert(
    fc.property(values, (all) => {
      expect(splitAtCommas(joinWithCommas(all))).toEqual(all);
    }),
    { seed: 20261128, numRuns: 1000 },
  );
});
