import { Catalog } from '#catalog/catalog.ts';
import { compareKept, compareOthers, compareQuery, type KeptCursor, keepCursor, sameAs } from './comparing.ts';
import { Random } from './random.ts';
import { Reference } from './reference.ts';
import { FeedSimulation } from './simulation.ts';

interface SimulatedDirectory {
  readonly seed: number;
  /** The approximate number of projects. */
  readonly size: number;
  /** Its share of all queries. */
  readonly share: number;
}

/** Many small directories produce more ties and coincidences; the large one has sets of every density. */
export const simulatedDirectories: readonly SimulatedDirectory[] = [
  ...Array.from({ length: 18 }, (_, seed) => ({ seed, size: 20 + 8 * seed, share: 0.054 })),
  { seed: 99, size: 1200, share: 0.028 },
];

/**
 * Applies the same random changes to a catalog and the reference and compares the results of random queries.
 * @param totalQueries the number of queries over all directories.
 * @throws at the first difference.
 */
export const compareWithReference = ({ seed, size, share }: SimulatedDirectory, totalQueries: number): void => {
  const random = new Random(seed);
  const feed = new FeedSimulation(random, size);
  const catalog = new Catalog();
  const reference = new Reference();
  const queries = Math.ceil(totalQueries * share);
  const kept: KeptCursor[] = [];
  const where = `seed ${seed}`;

  const change = (times: number) => {
    const changes = Array.from({ length: times }, () => feed.change());
    catalog.apply(changes);
    reference.apply(changes);
  };
  change(size * 4);

  for (let compared = 0, round = 0; compared < queries; round += 1) {
    if (random.chance(0.5)) change(1 + random.below(4));
    sameAs(catalog.version, reference.version, where, 'version');
    const query = feed.query();
    compared += compareQuery(catalog, reference, query, where);

    const cursor = keepCursor(catalog, query);
    if (cursor) kept.push(cursor);
    if (kept.length > 0 && random.chance(0.2)) {
      compareKept(catalog, reference, random.pick(kept), where);
      compared += 1;
    }
    if (round % 8 === 0) compareOthers(catalog, reference, random, random.pick(feed.projectIds), where);
  }
};
