import { describe, expect, it } from 'vitest';
import { type DigestState, ended, type FollowRecord, newSince } from '#model/follow.ts';

const DAY = '2026-11-30';
const AHEAD = '2030-11-30T06:00:00.000Z';

const follow = (frequency: FollowRecord['frequency'], created_at: string): FollowRecord => ({
  ...{ id: 'fol_1', user_id: 'user', query: {}, name: null, frequency, created_at },
});
const state = (through: string | null): DigestState => ({
  ...{ digests: 1, daily_through: through, weekly_through: through, mailed_on: null, begun: null },
});

describe('what is new to a follow', () => {
  it.each([
    ['2026-11-02T00:00:00.000Z', null, '2026-11-02T00:00:00.000Z'],
    ['2026-11-02T00:00:00.000Z', '2026-11-29T05:00:00.000Z', '2026-11-29T05:00:00.000Z'],
    ['2026-11-30T23:59:59.999Z', '2026-11-29T05:00:00.000Z', '2026-11-30T23:59:59.999Z'],
  ])('was published after it was made on %s and the last digest, with listings up to %s', (created, through, since) => {
    for (const frequency of ['daily', 'weekly'] as const)
      expect(newSince(follow(frequency, created), state(through), DAY)).toBe(since);
  });

  it.each([
    [AHEAD, null],
    [AHEAD, '2026-11-29T05:00:00.000Z'],
    ['2026-11-02T00:00:00.000Z', AHEAD],
  ])('is of the last day or week when a clock that was ahead has stored %s and %s', (created, through) => {
    expect(newSince(follow('daily', created), state(through), DAY)).toBe('2026-11-29');
    expect(newSince(follow('weekly', created), state(through), DAY)).toBe('2026-11-23');
  });
});

it('a digest replaces a time that a clock which was ahead has stored, and never goes back otherwise', () => {
  const begun = { occasion: DAY, day: DAY, through: '2026-11-29T05:00:00.000Z', weekly: true };
  for (const before of [AHEAD, null, '2026-11-28T05:00:00.000Z'])
    expect(ended(state(before), begun)).toMatchObject({ daily_through: begun.through, weekly_through: begun.through });
  const later = '2026-11-30T05:00:00.000Z';
  expect(ended(state(later), begun)).toMatchObject({ daily_through: later, weekly_through: later });
});
