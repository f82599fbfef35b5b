import { expect, it } from 'vitest';
import { isUnavailable, Unavailable } from '#platform/unavailable.ts';

it('several failures mean that a dependency is unavailable when each of them does', () => {
  const [away, broken] = [new Unavailable('The table does not respond.'), new TypeError('A defect.')];
  expect(isUnavailable(new AggregateError([away, new AggregateError([away])]))).toBe(true);
  expect(isUnavailable(new AggregateError([away, broken]))).toBe(false);
  expect(isUnavailable(new AggregateError([]))).toBe(false);
});
