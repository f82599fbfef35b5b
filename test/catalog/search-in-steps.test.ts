import { expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import type { CatalogChange } from '#catalog/types.ts';
import { project, query } from './fixtures.ts';
import { Random } from './random.ts';
import { World } from './world.ts';

/** What searching needs is made in steps, and the directory changes between them. */

const LISTINGS = 4000;
/** How many listings a step takes at most: some milliseconds of work. */
const STEP_MAX = 1024;

const changesOf = (world: World, count: number): CatalogChange[] => Array.from({ length: count }, () => world.change());

const filled = (world: World, ...catalogs: Catalog[]): void => {
  while ((catalogs[0] as Catalog).size < LISTINGS) {
    const changes = changesOf(world, 500);
    for (const catalog of catalogs) catalog.apply(changes);
  }
};

const answers = (catalog: Catalog, texts: readonly string[]) =>
  texts.flatMap((q) =>
    (['public', 'admin'] as const).map((searchIn) => {
      const { total, entries } = catalog.query(query({ filters: { q, searchIn }, limit: 20 }));
      return { q, searchIn, total, ids: entries.map((entry) => entry.project.id) };
    }),
  );

it.each([1, 2])(
  'what comes, changes and goes between the steps is found as it is (seed %i)',
  { timeout: 60_000 },
  (seed) => {
    const random = new Random(seed);
    const world = new World(random, LISTINGS);
    const [catalog, other] = [new Catalog(), new Catalog()];
    filled(world, catalog, other);
    for (const q of ['tool', 'to', 'x']) {
      let steps = 1;
      for (; !catalog.prepareSearch({ q, searchIn: 'public' }); steps += 1) {
        const changes = changesOf(world, 40);
        catalog.apply(changes);
        other.apply(changes);
      }
      // The units and pairs of texts are made when they are first asked for, and then for all texts of one or two units.
      expect(steps, q).toBeGreaterThanOrEqual(q === 'x' ? 1 : Math.floor(LISTINGS / STEP_MAX));
      expect(catalog.prepareSearch({ q, searchIn: 'public' })).toBe(true);
    }
    const texts = Array.from({ length: 60 }, () => world.searched());
    expect(answers(catalog, texts)).toEqual(answers(other, texts));
    const later = changesOf(world, 500);
    catalog.apply(later);
    other.apply(later);
    expect(answers(catalog, texts)).toEqual(answers(other, texts));
  },
);

it('a rare word that comes, changes or goes between the steps is found once, and not any more when it is gone', () => {
  const ids = Array.from({ length: LISTINGS }, (_, n) => `prj_${n}`);
  const catalog = new Catalog();
  const say = (id: string, version: number, word: string) =>
    catalog.apply([{ kind: 'project', project: project({ id, version, description: `${word} of ${id.slice(4)}z` }) }]);
  const found = (q: string) => catalog.query(query({ filters: { q, searchIn: 'public' }, limit: 100 })).total;
  for (const id of ids) say(id, 1, 'early');
  let version = 1;
  // At slots that the steps have been at and at slots that they have yet to come to, in no order.
  const some = ids.filter((_, n) => n % 401 === 0).reverse();
  while (!catalog.prepareSearch({ q: 'rarely', searchIn: 'public' })) {
    version += 1;
    for (const id of some) say(id, version, 'rarely');
  }
  expect(found('rarely')).toBe(some.length);
  expect(found('early')).toBe(ids.length - some.length);
  for (const id of some) say(id, version + 1, 'later');
  expect(found('rarely')).toBe(0);
  expect(found('later')).toBe(some.length);
  for (const projectId of some) catalog.apply([{ kind: 'projectRemoved', projectId }]);
  expect(found('later')).toBe(0);
});

it('nothing has to be made where nothing is looked for', () => {
  const catalog = new Catalog();
  filled(new World(new Random(3), LISTINGS), catalog);
  for (const q of [undefined, '', '  ']) expect(catalog.prepareSearch({ q, searchIn: 'public' })).toBe(true);
});

it('whoever asks before it is made waits and gets the same', () => {
  const world = new World(new Random(4), LISTINGS);
  const [catalog, other] = [new Catalog(), new Catalog()];
  filled(world, catalog, other);
  expect(catalog.prepareSearch({ q: 'tool', searchIn: 'public' })).toBe(false);
  while (!other.prepareSearch({ q: 'tool', searchIn: 'public' }));
  expect(answers(catalog, ['tool'])).toEqual(answers(other, ['tool']));
});
