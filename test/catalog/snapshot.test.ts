import { describe, expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import { readSnapshot, SNAPSHOT_FORMAT, writeSnapshot } from '#catalog/snapshot.ts';
import { sampleOf } from '#test/support/sample.ts';
import { compareKept, compareOthers, compareQuery, type KeptCursor, keepCursor } from './comparing.ts';
import { Random } from './random.ts';
import { Reference } from './reference.ts';
import { FeedSimulation } from './simulation.ts';

const restored = (catalog: Catalog): Catalog => Catalog.of(readSnapshot(writeSnapshot(catalog.contents())));

const filled = (seed: number, size: number): Catalog => {
  const feed = new FeedSimulation(new Random(seed), size);
  const catalog = new Catalog();
  catalog.apply(Array.from({ length: size * 4 }, () => feed.change()));
  return catalog;
};

describe('a catalog restored from a snapshot', () => {
  it.each(sampleOf([1, 2, 3, 4, 5, 6], 0))(
    'returns the same results and applies further changes (seed %i)',
    { timeout: 60_000 },
    (seed) => {
      const random = new Random(seed);
      const feed = new FeedSimulation(random, 20 + 15 * seed);
      const reference = new Reference();
      let catalog = new Catalog();
      const kept: KeptCursor[] = [];
      const where = `seed ${seed}`;
      for (let round = 0; round < 250; round += 1) {
        const changes = Array.from({ length: round === 0 ? 300 : random.below(5) }, () => feed.change());
        catalog.apply(changes);
        reference.apply(changes);
        // At any time, including between a removal and late changes of the removed project.
        if (random.chance(0.3)) catalog = restored(catalog);
        const query = feed.query();
        compareQuery(catalog, reference, query, where);
        const cursor = keepCursor(catalog, query);
        if (cursor) kept.push(cursor);
        if (kept.length > 0 && random.chance(0.2)) compareKept(catalog, reference, random.pick(kept), where);
        if (round % 8 === 0) compareOthers(catalog, reference, random, random.pick(feed.projectIds), where);
      }
    },
  );

  it('is written as the same bytes', () => {
    const bytes = writeSnapshot(filled(7, 60).contents());
    expect(Buffer.compare(writeSnapshot(Catalog.of(readSnapshot(bytes)).contents()), bytes)).toBe(0);
  });

  it('is empty when the original was', () => {
    expect(restored(new Catalog()).size).toBe(0);
  });
});

describe('an invalid snapshot', () => {
  const bytes = writeSnapshot(filled(8, 12).contents());

  it('is rejected when it is truncated anywhere or extended', () => {
    for (let length = 0; length < bytes.length; length += 1 + (length % 7)) {
      expect(() => readSnapshot(bytes.subarray(0, length))).toThrow();
    }
    expect(() => readSnapshot(Buffer.concat([bytes, Buffer.of(0)]))).toThrow('excess data');
  });

  it('is rejected when it has another format', () => {
    const other = Buffer.from(bytes);
    // The second number of the first column.
    other.writeDoubleLE(SNAPSHOT_FORMAT + 1, 4 + 8);
    expect(() => readSnapshot(other)).toThrow('not a snapshot of this format');
    expect(() => readSnapshot(Buffer.from('{"rows":[]}'.padEnd(200)))).toThrow();
  });

  it('throws nothing but errors when bits are flipped', () => {
    const random = new Random(9);
    for (let tries = 0; tries < 2000; tries += 1) {
      const broken = Buffer.from(bytes);
      for (let flips = 0; flips < 3; flips += 1) {
        const at = random.below(broken.length);
        broken[at] = (broken[at] as number) ^ (1 << random.below(8));
      }
      // A readable result is not the same catalog, which the digest detects; here it must only not crash the process.
      try {
        readSnapshot(broken);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }
  });
});
