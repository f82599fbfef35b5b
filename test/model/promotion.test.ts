import { expect, it } from 'vitest';
import { monthsAfter } from '#model/promotion.ts';

it.each([
  ['2026-11-15T09:30:00.000Z', 3, '2027-02-15T09:30:00.000Z'],
  ['2026-12-31T23:59:59.999Z', 12, '2027-12-31T23:59:59.999Z'],
  ['2027-01-31T10:00:00.000Z', 1, '2027-02-28T10:00:00.000Z'],
  ['2028-01-31T10:00:00.000Z', 1, '2028-02-29T10:00:00.000Z'],
  ['2026-10-31T10:00:00.000Z', 1, '2026-11-30T10:00:00.000Z'],
])('a promotion that starts at %s for %i months ends at %s', (start, months, end) => {
  expect(monthsAfter(start, months)).toBe(end);
});
