import { it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import { readSnapshot, writeSnapshot } from '#catalog/snapshot.ts';
import { isFullRun, sampleOf } from '#test/support/sample.ts';
import { compareKept, compareOthers, compareQuery, type KeptCursor, keepCursor, sameAs } from './comparing.ts';
import { Random } from './random.ts';
import { Reference } from './reference.ts';
import { FeedSimulation } from './simulation.ts';

const QUERIES = Number(process.env.CATALOG_QUERIES ?? (isFullRun ? 12_000 : 2500));

interface SimulatedDirectory {
  readonly seed: number;
  /** The approximate number of projects. */
  readonly size: number;
  /** Its share of all queries. */
  readonly share: number;
}

/** Many small directories produce more ties and coincidences; the large one has sets of every density. */
const simulatedDirectories: readonly SimulatedDirectory[] = [
  ...Array.from({ length: 18 }, (_, seed) => ({ seed, size: 20 + 8 * seed, share: 0.054 })),
  { seed: 99, size: 1200, share: 0.028 },
];

/**
 * Applies the same random changes to a catalog and the reference and compares the results of random queries. At any time, also
 * between a removal and late changes of the removed project, the catalog is replaced by one restored from its snapshot.
 */
it.each(sampleOf(simulatedDirectories, 0))(
  'the catalog answers random queries like a plain implementation, also after it is restored from a snapshot: $size projects, seed $seed',
  {
    timeout: 1_800_000,
  },
  ({ seed, size, share }) => {
    const random = new Random(seed);
    const feed = new FeedSimulation(random, size);
    let catalog = new Catalog();
    const reference = new Reference();
    const queries = Math.ceil(QUERIES * share);
    const kept: KeptCursor[] = [];
    const where = `seed ${seed}`;
    /** The versions of a restored catalog begin again. */
    let restoredAt = 0;

    const change = (times: number) => {
      const changes = Array.from({ length: times }, () => feed.change());
      catalog.apply(changes);
      reference.apply(changes);
    };
    change(size * 4);

    for (let compared = 0, round = 0; compared < queries; round += 1) {
      if (random.chance(0.5)) change(1 + random.below(4));
      sameAs(catalog.version - restoredAt, reference.version, where, 'version');
      if (random.chance(0.1)) {
        catalog = Catalog.of(readSnapshot(writeSnapshot(catalog.contents())));
        catalog.useFields(reference.fields);
        restoredAt = catalog.version - reference.version;
      }
      if (random.chance(0.1)) {
        const fields = feed.changeFields();
        catalog.useFields(fields);
        reference.useFields(fields);
      }
      // Without that, searches by words compare all texts.
      if (random.chance(0.05)) while (!catalog.indexWords(random.chance(0.5)));
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
  },
);
