import { describe, expect, it } from 'vitest';
import { fits } from '#test/catalog/proof/mutating.ts';
import { mutations } from '#test/catalog/proof/mutations.ts';

describe('the mutations of the catalog', () => {
  it('all match the current sources', () => {
    expect(mutations.filter((mutation) => !fits(mutation)).map(({ name }) => name)).toEqual([]);
  });
});
