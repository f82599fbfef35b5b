import { expect, it } from 'vitest';
import { lostShare, monthsAfter, type PromotionRecord } from '#model/promotion.ts';

it.each([
  ['2026-11-15T09:30:00.000Z', 3, '2027-02-15T09:30:00.000Z'],
  ['2026-12-31T23:59:59.999Z', 12, '2027-12-31T23:59:59.999Z'],
  ['2027-01-31T10:00:00.000Z', 1, '2027-02-28T10:00:00.000Z'],
  ['2028-01-31T10:00:00.000Z', 1, '2028-02-29T10:00:00.000Z'],
  ['2026-10-31T10:00:00.000Z', 1, '2026-11-30T10:00:00.000Z'],
])('a promotion that starts at %s for %i months ends at %s', (start, months, end) => {
  expect(monthsAfter(start, months)).toBe(end);
});

const started = { starts_at: '2026-04-01T00:00:00.000Z', months: 1 } as PromotionRecord;
const DAYS = 24 * 3_600_000;

it.each<[string, PromotionRecord, number]>([
  ['nothing', started, 0],
  ['what was given back', { ...started, lost: null }, 0],
  ['ten of thirty days', { ...started, lost: { status: 'active', ms: 10 * DAYS } }, 1 / 3],
  ['more than was bought, of days that were given', { ...started, lost: { status: 'active', ms: 40 * DAYS } }, 1],
  ['all before it was approved', { ...started, starts_at: null, lost: { status: 'pending' } }, 1],
])('a promotion that lost %s lost that part of its price', (_, promotion, share) => {
  expect(lostShare(promotion)).toBeCloseTo(share, 12);
});
