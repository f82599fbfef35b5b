import { expect, it } from 'vitest';
import { Bitmap } from '#catalog/bitmap.ts';
import { ListPool } from '#catalog/list-pool.ts';
import { Random } from './random.ts';

/** Many lists in one array. */

const membersOf = (pool: ListPool, list: number): number[] => {
  const members: number[] = [];
  pool.forEach(list, (member) => members.push(member));
  return members.sort((a, b) => a - b);
};

it.each([1, 2, 3])('lists are what sets would be, whatever comes and goes (seed %i)', (seed) => {
  const random = new Random(seed);
  const pool = new ListPool();
  const sets = new Map<number, Set<number>>();
  for (let turn = 0; turn < 30_000; turn += 1) {
    // Few numbers of lists, and some beyond what there was room for at first.
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

it('a list that was never written to has nothing', () => {
  const pool = new ListPool();
  expect([pool.sizeOf(9999), pool.lastOf(9999), pool.delete(9999, 1)]).toEqual([0, undefined, false]);
  expect(membersOf(pool, 9999)).toEqual([]);
});
