import { describe, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import { compareKept, compareOthers, compareQuery, type KeptCursor, keepCursor, sameAs } from './comparing.ts';
import { Random } from './random.ts';
import { Reference } from './reference.ts';
import { World } from './world.ts';

/** Queries over all worlds, each compared with the reference; `CATALOG_QUERIES` raises it. */
const QUERIES = Number(process.env['CATALOG_QUERIES'] ?? 20_000);

/** Many small worlds meet more coincidences, the large one has sets of every density. */
const worlds = [
  ...Array.from({ length: 18 }, (_, seed) => ({ seed, size: 20 + 8 * seed, share: 0.054 })),
  { seed: 99, size: 1200, share: 0.028 },
];

describe('the catalog answers as plain lists would', () => {
  it.each(worlds)('world $seed of $size projects', { timeout: 600_000 }, ({ seed, size, share }) => {
    const random = new Random(seed);
    const world = new World(random, size);
    const catalog = new Catalog();
    const reference = new Reference();
    const queries = Math.ceil(QUERIES * share);
    const kept: KeptCursor[] = [];
    const where = `seed ${seed}`;

    const change = (times: number) => {
      const changes = Array.from({ length: times }, () => world.change());
      catalog.apply(changes);
      reference.apply(changes);
    };
    change(size * 4);

    for (let asked = 0, turn = 0; asked < queries; turn += 1) {
      if (random.chance(0.5)) change(1 + random.below(4));
      sameAs(catalog.version, reference.version, where, 'version');
      const query = world.query();
      asked += compareQuery(catalog, reference, query, where);

      const cursor = keepCursor(catalog, query);
      if (cursor) kept.push(cursor);
      if (kept.length > 0 && random.chance(0.2)) {
        compareKept(catalog, reference, random.pick(kept), where);
        asked += 1;
      }
      if (turn % 8 === 0) compareOthers(catalog, reference, random, random.pick(world.projectIds), where);
    }
  });
});
