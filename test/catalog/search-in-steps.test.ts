import { expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import type { CatalogChange } from '#catalog/types.ts';
import { longTest } from '#test/support/long-test.ts';
import { project, query } from './fixtures.ts';
import { Random } from './random.ts';
import { FeedSimulation } from './simulation.ts';

const LISTINGS = 6000;
/** The maximum number of listings per step. */
const STEP_MAX = 1024;

const changesOf = (feed: FeedSimulation, count: number): CatalogChange[] =>
  Array.from({ length: count }, () => feed.change());

const filled = (feed: FeedSimulation, ...catalogs: Catalog[]): void => {
  while ((catalogs[0] as Catalog).size < LISTINGS) {
    const changes = changesOf(feed, 500);
    for (const catalog of catalogs) catalog.apply(changes);
  }
};

const results = (catalog: Catalog, texts: readonly string[]) =>
  texts.flatMap((q) =>
    (['public', 'admin'] as const).map((searchIn) => {
      const { total, entries } = catalog.query(query({ filters: { q, searchIn }, limit: 20 }));
      return { q, searchIn, total, ids: entries.map((entry) => entry.project.id) };
    }),
  );

longTest.each([1, 2])(
  'a search returns changes that were applied between the steps of its preparation and of its index (seed %i)',
  { timeout: 60_000 },
  (seed) => {
    const random = new Random(seed);
    const feed = new FeedSimulation(random, LISTINGS);
    const [catalog, other] = [new Catalog(), new Catalog()];
    filled(feed, catalog, other);
    const applyToBoth = (count: number): void => {
      const changes = changesOf(feed, count);
      catalog.apply(changes);
      other.apply(changes);
    };
    // Completes the indexes of the other catalog, which are updated from then on.
    for (let n = 0; n < LISTINGS / STEP_MAX; n += 1) results(other, ['tool', 'x']);
    let steps = 1;
    for (; !catalog.prepareSearch({ q: 'tool', searchIn: 'public' }); steps += 1) applyToBoth(40);
    expect(steps).toBeGreaterThanOrEqual(Math.floor(LISTINGS / STEP_MAX));
    expect(catalog.prepareSearch({ q: 'x', searchIn: 'public' })).toBe(true);
    // Each search adds to the index.
    for (let n = 0; n < 2 * (LISTINGS / STEP_MAX); n += 1) {
      applyToBoth(40);
      const texts = [feed.searchText(), ['tool', 'to', 'x'][n % 3] ?? ''];
      expect(results(catalog, texts)).toEqual(results(other, texts));
    }
    const texts = Array.from({ length: 60 }, () => feed.searchText());
    expect(results(catalog, texts)).toEqual(results(other, texts));
    const later = changesOf(feed, 500);
    catalog.apply(later);
    other.apply(later);
    expect(results(catalog, texts)).toEqual(results(other, texts));
  },
);

it('a search returns a project once when its text changes between the steps, and not after the word is removed', () => {
  const ids = Array.from({ length: LISTINGS }, (_, n) => `prj_${n}`);
  const catalog = new Catalog();
  const describeAs = (id: string, version: number, word: string) =>
    catalog.apply([{ kind: 'project', project: project({ id, version, description: `${word} of ${id.slice(4)}z` }) }]);
  const found = (q: string) => catalog.query(query({ filters: { q, searchIn: 'public' }, limit: 100 })).total;
  for (const id of ids) describeAs(id, 1, 'early');
  let version = 1;
  // In slots that are already indexed and in slots that are not, in descending order.
  const some = ids.filter((_, n) => n % 401 === 0).reverse();
  while (!catalog.prepareSearch({ q: 'rarely', searchIn: 'public' })) {
    version += 1;
    for (const id of some) describeAs(id, version, 'rarely');
  }
  expect(found('rarely')).toBe(some.length);
  // The words of some slots are indexed now, and those of others are not.
  for (const word of ['again', 'rarely']) {
    version += 1;
    for (const id of some) describeAs(id, version, word);
  }
  expect(found('again')).toBe(0);
  expect(found('rarely')).toBe(some.length);
  expect(found('early')).toBe(ids.length - some.length);
  for (const id of some) describeAs(id, version + 1, 'later');
  expect(found('rarely')).toBe(0);
  expect(found('later')).toBe(some.length);
  for (const projectId of some) catalog.apply([{ kind: 'projectRemoved', projectId }]);
  expect(found('later')).toBe(0);
});

it('a pasted address finds listings whose URL changes between the steps of its preparation, and not those that left it', () => {
  const ids = Array.from({ length: 2500 }, (_, n) => `prj_${n}`);
  const catalog = new Catalog();
  let version = 1;
  const move = (moved: readonly string[], path: string) => {
    version += 1;
    const projects = moved.map((id) => project({ id, version, url: `https://example.com/${path}?of=${id.slice(4)}` }));
    catalog.apply(projects.map((one) => ({ kind: 'project', project: one })));
  };
  const found = (q: string) =>
    catalog.query(query({ filters: { q, searchIn: 'public' } })).entries.map((one) => one.project.id);
  move(ids, 'early');
  // In descending order, so that the first ones are in slots that are read last.
  const some = ids.filter((_, n) => n % 401 === 0).reverse();
  let steps = 1;
  for (; !catalog.prepareSearch({ q: 'www.example.com/any/', searchIn: 'public' }); steps += 1) {
    move(some, steps % 2 === 0 ? 'even' : 'odd');
    if (steps === 2) catalog.apply([{ kind: 'projectRemoved', projectId: some.shift() ?? '' }]);
  }
  expect(steps).toBeGreaterThan(2500 / 64);
  move(some, 'last');
  for (const id of some) {
    expect(found(`http://www.example.com/last/?of=${id.slice(4)}`)).toEqual([id]);
    for (const path of ['early', 'odd', 'even'])
      expect(found(`https://example.com/${path}?of=${id.slice(4)}`)).toEqual([]);
  }
  expect(found('example.com/early?of=1')).toEqual(['prj_1']);
});

longTest.each([1, 2, 3])(
  'a search by words returns the same before, between and after the steps of its index (seed %i)',
  { timeout: 60_000 },
  (seed) => {
    const feed = new FeedSimulation(new Random(seed), LISTINGS);
    const [catalog, indexed] = [new Catalog(), new Catalog()];
    filled(feed, catalog, indexed);
    while (!indexed.indexWords(true));
    const found = (directory: Catalog, q: string) => {
      const { total, entries, search } = directory.query(
        query({
          sort: 'relevance',
          describe: 'search',
          limit: 20,
          filters: { q, match: 'fuzzy', longDescriptions: true },
        }),
      );
      return { q, total, search, ids: entries.map(({ project: { id } }) => id) };
    };
    for (let isComplete = false, steps = 0; !isComplete || steps === 0; steps += 1) {
      for (const q of ['tool', feed.searchText(), `${feed.searchText()} qzx`]) {
        expect(found(catalog, q)).toEqual(found(indexed, q));
      }
      const changes = changesOf(feed, 40);
      for (const directory of [catalog, indexed]) directory.apply(changes);
      isComplete = catalog.indexWords(true);
    }
    for (const q of ['tool', feed.searchText()]) expect(found(catalog, q)).toEqual(found(indexed, q));
  },
);

longTest("the administrators' search is prepared in steps, with all its indexes", () => {
  const feed = new FeedSimulation(new Random(5), LISTINGS);
  const [catalog, other] = [new Catalog(), new Catalog()];
  filled(feed, catalog, other);
  let steps = 1;
  while (!catalog.prepareSearch({ q: 'tool', searchIn: 'admin' })) steps += 1;
  expect(steps).toBeGreaterThanOrEqual(2 * Math.floor(LISTINGS / STEP_MAX));
  expect(catalog.prepareSearch({ q: 'tool', searchIn: 'admin' })).toBe(true);
  expect(results(catalog, ['tool'])).toEqual(results(other, ['tool']));
});

longTest('a blank search needs no preparation', () => {
  const catalog = new Catalog();
  filled(new FeedSimulation(new Random(3), LISTINGS), catalog);
  for (const q of [undefined, '', '  ']) expect(catalog.prepareSearch({ q, searchIn: 'public' })).toBe(true);
});
