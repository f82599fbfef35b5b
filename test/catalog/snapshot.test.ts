import { describe, expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import { readSnapshot, SNAPSHOT_FORMAT, writeSnapshot } from '#catalog/snapshot.ts';
import { longTest } from '#test/support/long-test.ts';
import { Random } from './random.ts';
import { FeedSimulation } from './simulation.ts';

const filled = (seed: number, size: number): Catalog => {
  const feed = new FeedSimulation(new Random(seed), size);
  const catalog = new Catalog();
  catalog.apply(Array.from({ length: size * 4 }, () => feed.change()));
  return catalog;
};

it('a catalog restored from a snapshot is written as the same bytes', () => {
  const bytes = writeSnapshot(filled(7, 60).contents());
  expect(Buffer.compare(writeSnapshot(Catalog.of(readSnapshot(bytes)).contents()), bytes)).toBe(0);
});

it('a catalog restored from a snapshot is empty when the original was', () => {
  expect(Catalog.of(readSnapshot(writeSnapshot(new Catalog().contents()))).size).toBe(0);
});

describe('an invalid snapshot', () => {
  const bytes = writeSnapshot(filled(8, 12).contents());

  longTest('an invalid snapshot is rejected when it is truncated anywhere or extended', () => {
    for (let length = 0; length < bytes.length; length += 1 + (length % 7)) {
      expect(() => readSnapshot(bytes.subarray(0, length))).toThrow();
    }
    expect(() => readSnapshot(Buffer.concat([bytes, Buffer.of(0)]))).toThrow('excess data');
  });

  it('an invalid snapshot is rejected when it has another format', () => {
    const other = Buffer.from(bytes);
    // The second number of the first column.
    other.writeDoubleLE(SNAPSHOT_FORMAT + 1, 4 + 8);
    expect(() => readSnapshot(other)).toThrow('not a snapshot of this format');
    expect(() => readSnapshot(Buffer.from('{"rows":[]}'.padEnd(200)))).toThrow();
  });

  longTest('an invalid snapshot throws nothing but errors when bits are flipped', () => {
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
