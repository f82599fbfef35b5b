import { expect, it } from 'vitest';
import type { MapClusters, MapItem, Project } from '#contract/projects.ts';
import { dataOf, idsOf, invalidAt, metaOf, person } from '#test/support/fixtures.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();
const owner = await person(server);
const { slug } = await directory.addCategory();
const place = (latitude: number, longitude: number, fields: Readonly<Record<string, unknown>> = {}) =>
  directory.live(owner, { categories: [slug], latitude, longitude, ...fields });

const bern = await place(46.948, 7.447, { pricing_type: 'paid', tags: ['Aare'] });
const thun = await place(46.758, 7.628, { description: 'A view of the mountains.' });
const fiji = await place(-17.7, 178.1);
await directory.live(owner, { categories: [slug] });
await directory.submit(owner, { categories: [slug], latitude: 46.9, longitude: 7.4 });

const mapOf = async (query: string) => {
  const response = await directory.ok(undefined, 'GET', `/api/projects/map?category=${slug}&${query}`);
  return { ...(response.body as MapClusters), headers: response.headers };
};
const EUROPE = 'bbox=-10,35,30,60';

it('bbox and zoom group the live listings in the box, cacheable for a minute', async () => {
  const { type, features, meta, headers } = await mapOf(`${EUROPE}&zoom=3`);
  expect(headers.get('cache-control')).toBe('public, max-age=60');
  expect({ type, meta }).toEqual({ type: 'FeatureCollection', meta: { total: 2, zoom: 3 } });
  const expected = {
    type: 'Feature',
    id: '3/16/11',
    bbox: [7.447, 46.758, 7.628, 46.948],
    geometry: { type: 'Point', coordinates: [(7.447 + 7.628) / 2, (46.758 + 46.948) / 2] },
    properties: { cluster: true, count: 2, expansion_zoom: 8 },
  };
  expect(features).toEqual([expected]);
  expect((await mapOf(`${EUROPE}&zoom=7`)).features).toHaveLength(1);
  expect((await mapOf(`${EUROPE}&zoom=8`)).features).toHaveLength(2);
});

it('a listing alone is a feature with the members of the feed', async () => {
  const feed = await directory.ok(undefined, 'GET', '/api/projects/map');
  const item = (feed.body as { items: MapItem[] }).items.find((one) => one.id === bern.id);
  const { id, ...others } = item as MapItem;
  const { features } = await mapOf('bbox=7.4,46.9,7.5,47&zoom=0');
  expect(features).toEqual([
    {
      ...{ type: 'Feature', id, geometry: { type: 'Point', coordinates: [7.447, 46.948] } },
      properties: { cluster: false, ...others },
    },
  ]);
});

it('the members are those of the list with the same box and filters', async () => {
  const boxes = [EUROPE, 'bbox=170,-30,-170,0', 'bbox=-190,-30,-170,0', 'bbox=-200,-90,200,90', 'bbox=0,0,1,1'];
  const filters = [
    '',
    '&pricing=paid',
    '&tag=Aare',
    '&q=mountain',
    '&q=mountians&match=fuzzy',
    '&near=46.9,7.4&radius_km=20',
  ];
  for (const box of boxes)
    for (const filter of filters)
      for (const zoom of [0, 20]) {
        const query = `${box}${filter}`;
        const { features, meta } = await mapOf(`${query}&zoom=${zoom}`);
        const list = await directory.ok(undefined, 'GET', `/api/projects?category=${slug}&${query}`);
        const counted = features.map(({ properties }) => (properties.cluster ? properties.count : 1));
        expect([query, counted.reduce((sum, one) => sum + one, 0), meta.total]).toEqual([
          query,
          metaOf(list).total,
          metaOf(list).total,
        ]);
        if (zoom === 20) expect(features.map(({ id }) => id).toSorted()).toEqual(idsOf(list).toSorted());
      }
});

it("the list with a cluster's box shows its members", async () => {
  const { features } = await mapOf(`${EUROPE}&zoom=0`);
  const box = features.map((feature) => ('bbox' in feature ? feature.bbox.join(',') : '')).join();
  const list = await directory.ok(undefined, 'GET', `/api/projects?category=${slug}&bbox=${box}`);
  expect(
    dataOf<Project[]>(list)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual([bern.id, thun.id].toSorted());
});

it('a box may cross the date line', async () => {
  for (const box of ['170,-30,-170,0', '170,-30,190,0', '-190,-30,-170,0']) {
    const { features } = await mapOf(`bbox=${box}&zoom=5`);
    expect([box, features.map(({ id }) => id)]).toEqual([box, [fiji.id]]);
  }
});

it('bbox and zoom are given together, and zoom is 0 to 20', async () => {
  const invalid = { 'zoom=3': 'bbox', [EUROPE]: 'zoom', [`${EUROPE}&zoom=21`]: 'zoom', [`${EUROPE}&zoom=-1`]: 'zoom' };
  for (const [query, name] of Object.entries({
    ...invalid,
    [`${EUROPE}&zoom=1.5`]: 'zoom',
    'bbox=1,2,3&zoom=1': 'bbox',
  }))
    expect([query, await directory.get(`/api/projects/map?${query}`)]).toMatchObject([query, invalidAt(name)]);
});

it('the feed has no filters', async () => {
  const feed = await directory.ok(undefined, 'GET', '/api/projects/map');
  const filtered = await directory.ok(undefined, 'GET', `/api/projects/map?category=${slug}&bbox=&zoom=`);
  expect(filtered.body).toEqual(feed.body);
  expect(filtered.headers.get('cache-control')).toBe('public, max-age=120');
});
