import { describe, expect, it } from 'vitest';
import { Bitmap } from '#catalog/bitmap.ts';
import { IdSet } from '#catalog/postings.ts';
import { Random } from './random.ts';

const membersOf = (set: IdSet): number[] => {
  const members: number[] = [];
  set.forEach((id) => members.push(id));
  return members;
};

// From a few to most of the ids, so that the set is a list, a bitmap, or alternates.
it.each([3, 40, 90, 300, 2000, 15_000])('a set of ids behaves like a Set with around %d of 20,000 ids', (members) => {
  const random = new Random(members);
  const set = new IdSet();
  const plain = new Set<number>();
  const probe = new Bitmap();
  for (let id = 0; id < 20_000; id += 3) probe.add(id);

  for (let step = 0; step < 6; step += 1) {
    // Mostly ascending, like slots, with a few out of order.
    const bound = Math.ceil((20_000 * (step + 1)) / 6);
    while (plain.size < (members * (step + 1)) / 6) {
      const id = random.below(bound);
      set.add(id);
      set.add(id);
      plain.add(id);
    }
    for (const id of [...plain]) {
      if (!random.chance(0.2)) continue;
      set.delete(id);
      set.delete(id);
      plain.delete(id);
    }
    const sorted = [...plain].sort((a, b) => a - b);
    expect(set.size).toBe(plain.size);
    expect(membersOf(set)).toEqual(sorted);
    expect(set.countIn(probe)).toBe(sorted.filter((id) => id % 3 === 0).length);
    const bitmap = new Bitmap(100);
    bitmap.add(7);
    set.addTo(bitmap);
    expect(bitmap.toArray()).toEqual([...new Set([...sorted, 7])].sort((a, b) => a - b));
    for (let i = 0; i < 200; i += 1) {
      const id = random.below(21_000);
      expect(set.has(id)).toBe(plain.has(id));
    }
  }
});

describe('a bitmap', () => {
  const of = (...ids: number[]): Bitmap => {
    const bitmap = new Bitmap();
    bitmap.addAll(ids);
    return bitmap;
  };

  it.each([5, 60, 700])('a bitmap is read from any position in both directions, with %d of 1,000 ids', (members) => {
    const random = new Random(members);
    const ids = Array.from({ length: 1000 }, (_, id) => id).filter(() => random.below(1000) < members);
    const bitmap = of(...ids);
    for (let i = 0; i < 500; i += 1) {
      const position = random.below(1100);
      const skip = random.below(100);
      const max = random.below(50);
      const [before, after] = [ids.filter((id) => id < position), ids.filter((id) => id >= position)];
      expect(bitmap.ascending(position, skip, max)).toEqual(after.slice(skip, skip + max));
      expect(bitmap.descending(position, skip, max)).toEqual(before.toReversed().slice(skip, skip + max));
      expect(bitmap.countBelow(position)).toBe(before.length);
    }
  });

  it('a bitmap combines with longer and shorter bitmaps', () => {
    for (const [a, b] of [
      [of(1, 31, 32), of(1, 32, 5000)],
      [of(1, 32, 5000), of(1, 31, 32)],
    ] as const) {
      expect(a.countShared(b)).toBe(2);
      const both = of(...a.toArray());
      both.and(b);
      expect(both.toArray()).toEqual([1, 32]);
      a.or(b);
      expect(a.toArray()).toEqual([1, 31, 32, 5000]);
      expect(a.count()).toBe(4);
    }
  });
});
