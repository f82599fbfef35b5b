import { describe, expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import { readSnapshot, writeSnapshot } from '#catalog/snapshot.ts';
import { compareKept, compareOthers, compareQuery, type KeptCursor, keepCursor } from './comparing.ts';
import { Random } from './random.ts';
import { Reference } from './reference.ts';
import { World } from './world.ts';

/** A catalog as bytes. */

const copied = (catalog: Catalog): Catalog => Catalog.of(readSnapshot(writeSnapshot(catalog.contents())));

const filled = (seed: number, size: number): Catalog => {
  const world = new World(new Random(seed), size);
  const catalog = new Catalog();
  catalog.apply(Array.from({ length: size * 4 }, () => world.change()));
  return catalog;
};

describe('a catalog that was written and read', () => {
  it.each([1, 2, 3, 4, 5, 6])('answers as before and follows what comes (world %i)', { timeout: 60_000 }, (seed) => {
    const random = new Random(seed);
    const world = new World(random, 20 + 15 * seed);
    const reference = new Reference();
    let catalog = new Catalog();
    const kept: KeptCursor[] = [];
    const where = `seed ${seed}`;
    for (let turn = 0; turn < 250; turn += 1) {
      const changes = Array.from({ length: turn === 0 ? 300 : random.below(5) }, () => world.change());
      catalog.apply(changes);
      reference.apply(changes);
      // At any time, also between a removal and late news of what was removed.
      if (random.chance(0.3)) catalog = copied(catalog);
      const query = world.query();
      compareQuery(catalog, reference, query, where);
      const cursor = keepCursor(catalog, query);
      if (cursor) kept.push(cursor);
      if (kept.length > 0 && random.chance(0.2)) compareKept(catalog, reference, random.pick(kept), where);
      if (turn % 8 === 0) compareOthers(catalog, reference, random, random.pick(world.projectIds), where);
    }
  });

  it('is the same bytes again', () => {
    const bytes = writeSnapshot(filled(7, 60).contents());
    expect(Buffer.compare(writeSnapshot(Catalog.of(readSnapshot(bytes)).contents()), bytes)).toBe(0);
  });

  it('is empty when it was', () => {
    expect(copied(new Catalog()).size).toBe(0);
  });
});

describe('bytes that are no snapshot', () => {
  const bytes = writeSnapshot(filled(8, 12).contents());

  it('are noticed wherever they end', () => {
    for (let length = 0; length < bytes.length; length += 1 + (length % 7)) {
      expect(() => readSnapshot(bytes.subarray(0, length))).toThrow();
    }
    expect(() => readSnapshot(Buffer.concat([bytes, Buffer.of(0)]))).toThrow('more than there should be');
  });

  it('are noticed when they are of another format', () => {
    const other = Buffer.from(bytes);
    // The second number of the first column.
    other.writeDoubleLE(2, 4 + 8);
    expect(() => readSnapshot(other)).toThrow('no snapshot of this format');
    expect(() => readSnapshot(Buffer.from('{"rows":[]}'.padEnd(200)))).toThrow();
  });

  it('never take memory or time that they do not have themselves', () => {
    const random = new Random(9);
    for (let tries = 0; tries < 2000; tries += 1) {
      const broken = Buffer.from(bytes);
      for (let flips = 0; flips < 3; flips += 1) {
        const at = random.below(broken.length);
        broken[at] = (broken[at] as number) ^ (1 << random.below(8));
      }
      // What is still readable is not the same catalog, which the keeper's digest tells; it must only not do harm here.
      try {
        readSnapshot(broken);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }
  });
});
