import { expect, it } from 'vitest';
import { Bitmap } from '#catalog/bitmap.ts';
import { ListPool } from '#catalog/list-pool.ts';
import { Random } from './random.ts';

const membersOf = (pool: ListPool, list: number): number[] => {
  const members: number[] = [];
  pool.forEach(list, (member) => members.push(member));
  return members.sort((a, b) => a - b);
};

it.each([1, 2, 3])('lists contain the same members as sets after random changes (seed %i)', (seed) => {
  const random = new Random(seed);
  const pool = new ListPool();
  const sets = new Map<number, Set<number>>();
  for (let round = 0; round < 30_000; round += 1) {
    // Mostly a few lists, some beyond the initial capacity.
    const list = random.chance(0.9) ? random.below(40) : random.below(2000);
    const set = sets.get(list) ?? new Set();
    sets.set(list, set);
    const member = random.below(random.chance(0.5) ? 20 : 5000);
    const kind = random.next();
    if (kind < 0.002) {
      pool.clear(list);
      set.clear();
    } else if (kind < 0.45) {
      expect(pool.delete(list, member)).toBe(set.delete(member));
    } else if (!set.has(member)) {
      pool.add(list, member);
      set.add(member);
      expect(pool.lastOf(list)).toBe(member);
    }
    expect(pool.sizeOf(list)).toBe(set.size);
  }
  for (const [list, set] of sets) {
    const expected = [...set].sort((a, b) => a - b);
    expect(membersOf(pool, list)).toEqual(expected);
    const bitmap = new Bitmap();
    pool.addTo(list, bitmap);
    expect(bitmap.toArray()).toEqual(expected);
  }
});

it('an unknown list is empty', () => {
  const pool = new ListPool();
  expect([pool.sizeOf(9999), pool.lastOf(9999), pool.delete(9999, 1)]).toEqual([0, undefined, false]);
  expect(membersOf(pool, 9999)).toEqual([]);
});
