import { expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import type { CatalogFilters, Cluster } from '#catalog/types.ts';
import { longTest } from '#test/support/long-test.ts';
import { project, query } from './fixtures.ts';
import { Random } from './random.ts';

interface Place {
  readonly id: string;
  readonly latitude: number;
  readonly longitude: number;
}

const WORLD = { west: -180, south: -90, east: 180, north: 90 };

const catalogOf = (places: readonly Place[]): Catalog => {
  const catalog = new Catalog();
  catalog.apply(places.map((place) => ({ kind: 'project', project: project(place) })));
  return catalog;
};

const clustersOf = (
  catalog: Catalog,
  zoom: number,
  { max = 2000, ...filters }: Partial<CatalogFilters> & { max?: number } = {},
) => catalog.clusters({ filters: { searchIn: 'public', bbox: WORLD, ...filters }, zoom, max });

/** The square of 64 pixels, by the formula for tiles that maps publish. */
const squareOf = ({ latitude, longitude }: Place, zoom: number): string => {
  const squares = 4 * 2 ** zoom;
  const limited = Math.max(-85.0511287798, Math.min(85.0511287798, latitude));
  const radians = (limited * Math.PI) / 180;
  const x = Math.floor((squares * (longitude + 180)) / 360);
  const y = Math.floor((squares * (1 - Math.log(Math.tan(radians) + 1 / Math.cos(radians)) / Math.PI)) / 2);
  const within = (square: number): number => Math.max(0, Math.min(squares - 1, square));
  return `${zoom}/${within(x)}/${within(y)}`;
};

const isInside = ({ latitude, longitude }: Place, { west, south, east, north }: typeof WORLD): boolean => {
  const isBetween = (meridian: number): boolean =>
    west <= east ? meridian >= west && meridian <= east : meridian >= west || meridian <= east;
  // The meridians 180 and -180 are one.
  const meridians = Math.abs(longitude) === 180 ? [180, -180] : [longitude];
  return latitude >= south && latitude <= north && meridians.some(isBetween);
};

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** The clusters, made as plainly as possible. */
const reference = (places: readonly Place[], box: typeof WORLD, requested: number, max: number) => {
  const inside = places.filter((place) => isInside(place, box));
  let zoom = requested;
  while (zoom > 0 && new Set(inside.map((place) => squareOf(place, zoom))).size > max) zoom -= 1;
  const groups = Map.groupBy(inside, (place) => squareOf(place, zoom));
  const features = [...groups].map(([id, members]) => {
    const [latitudes, longitudes] = [members.map((one) => one.latitude), members.map((one) => one.longitude)];
    const zooms = Array.from({ length: 21 }, (_, level) => level);
    return {
      id,
      only: members.length === 1 ? members[0]?.id : undefined,
      count: members.length,
      latitude: mean(latitudes),
      longitude: mean(longitudes),
      bbox: [Math.min(...longitudes), Math.min(...latitudes), Math.max(...longitudes), Math.max(...latitudes)],
      expansionZoom: zooms.find((level) => new Set(members.map((one) => squareOf(one, level))).size > 1) ?? null,
    };
  });
  return { total: inside.length, zoom, features };
};

const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

const comparable = ({ entry, latitude, longitude, ...cluster }: Cluster) => ({
  ...cluster,
  only: entry?.project.id,
  latitude: rounded(latitude),
  longitude: rounded(longitude),
});

const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1);

/** Places around some towns, at the same spot, at the poles and at the date line. */
const randomPlaces = (random: Random, count: number): Place[] => {
  const towns = Array.from({ length: 5 }, () => [random.next() * 170 - 85, random.next() * 360 - 180] as const);
  const edges = [-180, 180, 179.999, -179.999, 0];
  return Array.from({ length: count }, (_, number) => {
    const [latitude, longitude] = random.pick(towns);
    const spread = 10 ** -random.below(7);
    const place = random.chance(0.1)
      ? { latitude: random.pick([-90, -86, 85.06, 90, 0]), longitude: random.pick(edges) }
      : {
          latitude: Math.max(-90, Math.min(90, latitude + (random.next() - 0.5) * spread)),
          longitude: Math.max(-180, Math.min(180, longitude + (random.next() - 0.5) * spread)),
        };
    return { id: `prj_${number}`, ...place };
  });
};

longTest('clusters equal those of a plain implementation, for random places, boxes, zooms and limits', () => {
  const random = new Random(4);
  for (let run = 0; run < 40; run += 1) {
    const places = randomPlaces(random, 1 + random.below(120));
    const catalog = catalogOf(places);
    for (let question = 0; question < 10; question += 1) {
      const zoom = random.below(21);
      const max = random.pick([16, 20, 2000]);
      const [south, north] = [random.next() * 180 - 90, random.next() * 180 - 90].sort((a, b) => a - b) as [
        number,
        number,
      ];
      // West may be greater than east.
      const around = { south, north, west: random.next() * 360 - 180, east: random.next() * 360 - 180 };
      const box = random.chance(0.5) ? WORLD : around;
      const expected = reference(places, box, zoom, max);
      const found = clustersOf(catalog, zoom, { bbox: box, max });
      const where = `run ${run}, question ${question}`;
      expect([where, found.total, found.zoom]).toEqual([where, expected.total, expected.zoom]);
      const features = expected.features.map((one) => ({
        ...one,
        latitude: rounded(one.latitude),
        longitude: rounded(one.longitude),
      }));
      expect([where, found.clusters.map(comparable).sort(byId)]).toEqual([where, features.sort(byId)]);
      // The list shows the members of a cluster in its box, and those on the other side of the date line at the same place.
      for (const { bbox, id } of found.clusters) {
        const [west, s, east, n] = bbox;
        const extent = { west, south: s, east, north: n };
        const { entries } = catalog.query(query({ filters: { bbox: extent }, limit: places.length }));
        const seen = entries.map((entry) => entry.project.id).toSorted();
        const inExtent = places.filter((place) => isInside(place, extent));
        expect(seen).toEqual(inExtent.map((place) => place.id).toSorted());
        const others = inExtent.filter((place) => squareOf(place, found.zoom) !== id);
        expect(others.map((place) => Math.abs(place.longitude))).toEqual(others.map(() => 180));
      }
    }
  }
});

it('longitude 180 is in the last column and -180 in the first, and places beyond the map are in the outermost rows', () => {
  const places = [
    { id: 'prj_east', latitude: 0, longitude: 180 },
    { id: 'prj_west', latitude: 0, longitude: -180 },
    { id: 'prj_north', latitude: 90, longitude: 0 },
    { id: 'prj_south', latitude: -90, longitude: 0 },
  ];
  const catalog = catalogOf(places);
  for (const zoom of [0, 7, 20]) {
    const last = 4 * 2 ** zoom - 1;
    const middle = (last + 1) / 2;
    expect(clustersOf(catalog, zoom).clusters.map(({ id, entry }) => [entry?.project.id, id])).toEqual([
      ['prj_north', `${zoom}/${middle}/0`],
      ['prj_west', `${zoom}/0/${middle}`],
      ['prj_east', `${zoom}/${last}/${middle}`],
      ['prj_south', `${zoom}/${middle}/${last}`],
    ]);
  }
});

it('a box across the date line has the listings on both sides', () => {
  const catalog = catalogOf([
    { id: 'prj_fiji', latitude: -18, longitude: 178 },
    { id: 'prj_samoa', latitude: -14, longitude: -171 },
    { id: 'prj_peru', latitude: -12, longitude: -77 },
  ]);
  const { total, clusters } = clustersOf(catalog, 6, { bbox: { west: 170, south: -30, east: -160, north: 0 } });
  expect(total).toBe(2);
  expect(clusters.map(({ entry }) => entry?.project.id).sort()).toEqual(['prj_fiji', 'prj_samoa']);
});

it('the meridians 180 and -180 are one for boxes and circles', () => {
  const catalog = catalogOf([
    { id: 'prj_east', latitude: 1, longitude: 180 },
    { id: 'prj_west', latitude: 2, longitude: -180 },
    { id: 'prj_near', latitude: 3, longitude: -179 },
  ]);
  const both = ['prj_east', 'prj_west'];
  const found = (filters: Partial<CatalogFilters>): string[] =>
    catalog
      .query(query({ filters }))
      .entries.map((entry) => entry.project.id)
      .toSorted();
  const boxes = [
    [170, 180, both],
    [-180, -179.5, both],
    [180, 180, both],
    [-180, -180, both],
    [180, -180, both],
    [180, -179, ['prj_east', 'prj_near', 'prj_west']],
    [175, -179.5, both],
    [-180, 180, ['prj_east', 'prj_near', 'prj_west']],
    [-179.5, 179.5, ['prj_near']],
  ] as const;
  for (const [west, east, ids] of boxes)
    expect([west, east, found({ bbox: { west, south: 0, east, north: 9 } })]).toEqual([west, east, ids]);
  for (const longitude of [180, -180])
    for (const [index, id] of both.entries())
      expect(found({ near: { latitude: index + 1, longitude, radiusKm: 1e-9 } })).toEqual([id]);
  catalog.apply(both.map((projectId) => ({ kind: 'projectRemoved', projectId })));
  expect(found({ bbox: WORLD })).toEqual(['prj_near']);
});

it('places at the same spot stay together at every zoom', () => {
  const spot = { latitude: 47.123_456_789, longitude: 8.987_654_321 };
  const catalog = catalogOf(['prj_1', 'prj_2', 'prj_3'].map((id) => ({ id, ...spot })));
  for (const zoom of [0, 20])
    expect(clustersOf(catalog, zoom).clusters).toMatchObject([{ count: 3, ...spot, expansionZoom: null }]);
});

it('a square has the same id whatever the filter, the order of arrival and earlier listings', () => {
  const random = new Random(8);
  const places = randomPlaces(random, 60);
  const idsBySpot = (catalog: Catalog, filters: Partial<CatalogFilters> = {}) =>
    new Map(clustersOf(catalog, 9, filters).clusters.map(({ id, bbox }) => [bbox.join(), id]));
  const all = idsBySpot(catalogOf(places));
  const others = [catalogOf(places.toReversed()), catalogOf(places)];
  others[1]?.apply([
    { kind: 'projectRemoved', projectId: 'prj_0' },
    { kind: 'project', project: project({ id: 'prj_new', ...places[1] }) },
  ]);
  for (const other of others)
    for (const [spot, id] of idsBySpot(other)) if (all.has(spot)) expect(id).toBe(all.get(spot));
  const half = { ...WORLD, south: 0 };
  for (const [spot, id] of idsBySpot(catalogOf(places), { bbox: half }))
    if (all.has(spot)) expect(id).toBe(all.get(spot));
});

it('clusters follow listings that move, appear and disappear', () => {
  const catalog = catalogOf([{ id: 'prj_1', latitude: 10, longitude: 10 }]);
  const seen = () => clustersOf(catalog, 20).clusters.map(({ id, count }) => [id, count]);
  const first = seen();
  catalog.apply([{ kind: 'project', project: project({ id: 'prj_1', latitude: 20, longitude: 20, version: 2 }) }]);
  expect(seen()).not.toEqual(first);
  catalog.apply([{ kind: 'project', project: project({ id: 'prj_2', latitude: 20, longitude: 20 }) }]);
  expect(seen()).toMatchObject([[expect.any(String), 2]]);
  catalog.apply([
    { kind: 'projectRemoved', projectId: 'prj_1' },
    { kind: 'project', project: project({ id: 'prj_2', version: 2 }) },
  ]);
  expect(seen()).toEqual([]);
});
