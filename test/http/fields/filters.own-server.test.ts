import { expect, it } from 'vitest';
import type { MapClusters } from '#contract/projects.ts';
import { dataOf, idsOf, invalidAt, metaOf, type Person, person } from '#test/support/fixtures.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();
const [owner, stranger] = await Promise.all([person(server), person(server)]);
const moderator = await person(server);
const { id: moderatorId } = dataOf<{ id: string }>(await directory.get('/api/user/profile', moderator));
await directory.adminOk('PUT', `/api/admin/users/${moderatorId}`, { role: 'moderator' });

const FIELDS = '/api/admin/fields';
const options = ['red', 'green', 'blue'].map((value) => ({ value, label: value }));
const hours = {
  zone: 'Europe/Berlin',
  week: { mo: [['09:00', '17:30']], fr: [['22:00', '02:00']], su: [['20:00', '24:00']] },
  closed: ['2026-11-27'],
};

const definitions = {
  town: { type: 'text' },
  color: { type: 'select', options },
  colors: { type: 'multi_select', options },
  price: { type: 'number', sortable: true },
  open_air: { type: 'boolean', sortable: true },
  opened: { type: 'date', sortable: true },
  times: { type: 'hours' },
} as const;
for (const [key, given] of Object.entries(definitions)) {
  await directory.adminOk('POST', FIELDS, { key, label: key, filterable: true, ...given }, 201);
}
await directory.adminOk('POST', FIELDS, { key: 'plain', label: 'Plain', type: 'text' }, 201);
for (const access of ['owner', 'staff']) {
  const given = { key: `for_${access}`, label: access, type: 'number', filterable: true, sortable: true, access };
  await directory.adminOk('POST', FIELDS, given, 201);
}

const place = { latitude: 46.9, longitude: 7.4 };
const a = await directory.live(owner, {
  ...place,
  fields: { town: 'Zürich', color: 'red', colors: ['red', 'green'], price: 10, open_air: true, opened: '2024-02-29' },
});
const b = await directory.live(owner, {
  ...place,
  fields: { town: 'Bern', color: 'green', colors: ['green'], price: 20.5, open_air: false, opened: '2025-01-01' },
});
const c = await directory.live(owner, {
  ...place,
  name: 'Orangery',
  fields: { color: 'red', price: -3, times: hours, for_owner: 7 },
});
const d = await directory.live(owner, place);
await directory.adminOk('PUT', `/api/admin/projects/${d.id}`, { fields: { for_staff: 5 } });
const names = new Map([
  [a.id, 'a'],
  [b.id, 'b'],
  [c.id, 'c'],
  [d.id, 'd'],
]);

const address = (path: string, query: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams(query).toString()}`;
const LIST = '/api/projects';
const BROWSE = '/api/admin/projects';
const MAP = '/api/projects/map';
const box = { bbox: '7,46,8,47', zoom: '20' };

/** The listings of a query by their letters, in their order. */
const found = async (query: Readonly<Record<string, string>>, who?: Person): Promise<string> =>
  idsOf(await directory.ok(who, 'GET', address(LIST, query)))
    .map((id) => names.get(id))
    .join('');
const sorted = (letters: string): string => [...letters].sort().join('');

it.each([
  ['color', 'red', 'ac'],
  ['color', 'red,green', 'abc'],
  ['color', ' red , ', 'ac'],
  ['color', 'purple', ''],
  ['color', 'purple,green', 'b'],
  ['color', '*', 'abc'],
  ['color', ' ', 'abcd'],
  ['color', ',', 'abcd'],
  ['colors', 'red,green', 'ab'],
  ['colors', 'all:red,green', 'a'],
  ['colors', 'all:green', 'ab'],
  ['colors', 'all:green,purple', ''],
  ['colors', 'all:', 'abcd'],
  ['open_air', 'true', 'a'],
  ['open_air', 'true,false', 'ab'],
  ['open_air', '*', 'ab'],
  ['town', 'zurich', 'a'],
  ['town', 'BERN', 'b'],
  ['town', 'Ber', ''],
  ['town', 'Zürich,Bern', ''],
  ['price', '10..20', 'a'],
  ['price', '10..20.5', 'ab'],
  ['price', '10..', 'ab'],
  ['price', '..10', 'ac'],
  ['price', '-3', 'c'],
  ['price', '-5..-1', 'c'],
  ['price', '.5e1 .. 1e1', 'a'],
  ['price', '10.', 'a'],
  ['price', '-0.30000000000000000004E+1..1e-300', 'c'],
  ['price', '*', 'abc'],
  ['opened', '2024-01-01..2024-12-31', 'a'],
  ['opened', '2024-02-29..2025-01-01', 'ab'],
  ['opened', '2025-01-01', 'b'],
  ['opened', '..2024-02-28', ''],
  ['times', '*', 'c'],
  // Monday 23 November 2026, in Berlin an hour after UTC.
  ['times', 'open@2026-11-23T08:00:00Z', 'c'],
  ['times', 'open@2026-11-23T09:00:00+01:00', 'c'],
  ['times', 'open@2026-11-23T07:59:59Z', ''],
  ['times', 'open@2026-11-23T16:30:00Z', ''],
  // A span that ends on the next day, and one on a closed date, which does not begin.
  ['times', 'open@2026-11-21T00:30:00Z', 'c'],
  ['times', 'open@2026-11-21T01:00:00Z', ''],
  ['times', 'open@2026-11-28T00:30:00Z', ''],
  ['times', 'open@2026-11-22T22:59:00Z', 'c'],
  ['times', 'open@2026-11-22T23:00:00Z', ''],
])('filter[%s]=%s selects %j on lists, map and feed', async (key, value, expected) => {
  const filter = { [`filter[${key}]`]: value };
  expect(sorted(await found(filter))).toBe(expected);
  const browsed = await directory.adminOk('GET', address(BROWSE, filter));
  expect(idsOf(browsed)).toHaveLength(expected.length);
  const map = (await directory.ok(undefined, 'GET', address(MAP, { ...box, ...filter }))).body as MapClusters;
  expect(map.meta.total).toBe(expected.length);
  const feed = await directory.ok(undefined, 'GET', address('/feed.json', filter));
  expect((feed.body as { items: unknown[] }).items).toHaveLength(expected.length);
});

it('opening hours are compared with the present time', async () => {
  const always = Object.fromEntries(
    ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'].map((day) => [day, [['00:00', '24:00']]]),
  );
  const { id } = await directory.live(owner, { fields: { times: { zone: 'Asia/Tokyo', week: always, closed: [] } } });
  expect(idsOf(await directory.get(address(LIST, { 'filter[times]': 'open' })))).toContain(id);
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, {
    fields: { times: { zone: 'Asia/Tokyo', week: {}, closed: [] } },
  });
  expect(idsOf(await directory.get(address(LIST, { 'filter[times]': 'open' })))).not.toContain(id);
  await directory.ok(owner, 'DELETE', `/api/projects/${id}`);
});

it('filters are combined with each other, with other filters and with a search', async () => {
  expect(await found({ 'filter[color]': 'red', 'filter[price]': '0..' })).toBe('a');
  expect(await found({ 'filter[color]': 'red', q: 'orang' })).toBe('c');
  expect(await found({ 'filter[color]': 'red', q: 'oranegry', match: 'fuzzy', sort: 'relevance' })).toBe('c');
  expect(await found({ 'filter[color]': 'red', pricing: 'paid' })).toBe('');
  expect(await found({ 'filter[color]': 'red', limit: '1', page: '2', sort: 'oldest' })).toBe('c');
});

it.each([
  ['open_air', 'yes'],
  ['open_air', 'true,maybe'],
  ['open_air', 'TRUE'],
  ['price', '20..10'],
  ['price', '..'],
  ['price', 'ten'],
  ['price', '1..x'],
  ['price', '1..2..3'],
  ['price', '1e999'],
  ['price', 'NaN'],
  ['price', '0x10'],
  ['price', '1,2'],
  ['opened', '2025-01-01..2024-01-01'],
  ['opened', '2023-02-29'],
  ['opened', '2024'],
  ['times', 'closed'],
  ['times', 'open@'],
  ['times', 'open@now'],
  ['times', 'open@2026-11-23'],
  ['times', 'OPEN'],
  ['plain', 'x'],
  ['unknown', 'x'],
  ['constructor', 'x'],
  ['__proto__', 'x'],
  ['toString', 'x'],
  ['Color', 'red'],
  ['', 'x'],
  ['color][x', 'red'],
  ['name', 'x'],
  [' color', 'red'],
  ['for_owner', '7'],
  ['for_staff', '*'],
])('filter[%s]=%s is 400 on the parameter, on lists, map and feed', async (key, value) => {
  const filter = { [`filter[${key}]`]: value };
  for (const [path, who] of [
    [LIST, owner],
    [MAP, undefined],
    ['/feed.json', undefined],
  ] as const) {
    expect(await directory.get(address(path, filter), who)).toMatchObject({ status: 400 });
  }
  const { status, body } = await directory.get(address(LIST, filter), stranger);
  const details = (body as { details: { filter: Record<string, { _errors: string[] }> } }).details.filter;
  expect([status, Object.keys(details).filter((name) => name !== '_errors')]).toEqual([400, [key]]);
  expect(Object.getOwnPropertyDescriptor(details, key)?.value).toEqual({ _errors: [expect.any(String)] });
  if (!key.startsWith('for_')) {
    expect(await directory.as(directory.admin, 'GET', address(BROWSE, filter))).toMatchObject({ status: 400 });
  }
});

it.each([
  ['a repeated filter', 'filter[color]=red&filter[color]=green', ['filter', 'color']],
  ['a filter without a key', 'filter=red', ['filter']],
  ['a key without an end', 'filter[color=red', ['filter', '[color']],
  ['a thousand filters', Array.from({ length: 1000 }, (_, i) => `filter[k${i}]=1`).join('&'), ['filter']],
] as const)('%s is 400', async (_, query, path) => {
  expect(await directory.get(`${LIST}?${query}`)).toMatchObject(invalidAt(...path));
});

it('a blank filter is none, also of an unknown key', async () => {
  expect(await found({ 'filter[unknown]': '', 'filter[__proto__]': ' ', filter: '' })).toHaveLength(4);
});

it.each([
  ['price', 'cab', 'bac'],
  ['opened', 'ab', 'ba'],
  ['open_air', 'ba', 'ab'],
])(
  'sort=fields.%s is %s, and the reverse %s; listings without a value come last',
  async (key, ascending, descending) => {
    const rest = (first: string) => [...'abcd'].filter((one) => !first.includes(one));
    expect(await found({ sort: `fields.${key}` })).toBe([...ascending, ...rest(ascending)].join(''));
    expect(await found({ sort: `-fields.${key}` })).toBe([...descending, ...rest(descending).reverse()].join(''));
  },
);

it('pages and cursors in the order of a field neither repeat nor skip listings', async () => {
  for (const sort of ['fields.opened', '-fields.price']) {
    const all = await found({ sort });
    let cursor: string | null = null;
    let seen = '';
    for (let page = 1; page <= 4; page += 1) {
      expect(await found({ sort, limit: '1', page: String(page) })).toBe(all[page - 1]);
      const query: Record<string, string> = { sort, limit: '1', ...(cursor !== null && { cursor }) };
      const response = await directory.get(address(LIST, query));
      seen += names.get(idsOf(response)[0] ?? '');
      cursor = metaOf(response).nextCursor;
    }
    expect([seen, cursor]).toEqual([all, null]);
  }
  const { nextCursor } = metaOf(await directory.get(address(LIST, { sort: 'fields.price', limit: '1' })));
  for (const sort of ['-fields.price', 'fields.opened', 'newest']) {
    expect(await directory.get(address(LIST, { sort, cursor: nextCursor ?? '' }))).toMatchObject(invalidAt('cursor'));
  }
});

it.each([
  'fields.town',
  'fields.plain',
  'fields.unknown',
  'fields.',
  '-fields.__proto__',
  'fields.for_staff',
  '--fields.price',
])('sort=%s is 400', async (sort) => {
  expect(await directory.get(address(LIST, { sort }), owner)).toMatchObject(invalidAt('sort'));
});

it('facets count options and booleans under the other filters, the most frequent first', async () => {
  const facetsOf = async (query: Readonly<Record<string, string>>) => {
    const response = await directory.get(
      address(LIST, { facets: 'fields.color,fields.colors,fields.open_air,pricing', ...query }),
    );
    return metaOf(response).facets ?? {};
  };
  const red = { value: 'red', count: 2 };
  const green = { value: 'green', count: 1 };
  expect(await facetsOf({})).toEqual({
    pricing: [{ value: 'free', count: 4 }],
    'fields.color': [red, green],
    'fields.colors': [
      { value: 'green', count: 2 },
      { value: 'red', count: 1 },
    ],
    'fields.open_air': [
      { value: 'false', count: 1 },
      { value: 'true', count: 1 },
    ],
  });
  expect(await facetsOf({ 'filter[color]': 'green' })).toEqual({
    pricing: [{ value: 'free', count: 1 }],
    'fields.color': [red, green],
    'fields.colors': [green],
    'fields.open_air': [{ value: 'false', count: 1 }],
  });
});

it('numbers and dates have ranges instead, null without a value', async () => {
  const rangesOf = async (query: Readonly<Record<string, string>>) => {
    const response = await directory.get(address(LIST, { facets: 'fields.price,fields.opened', ...query }));
    const { meta } = response.body as { meta: { ranges: unknown; facets?: unknown } };
    expect(meta.facets).toBeUndefined();
    return meta.ranges;
  };
  expect(await rangesOf({})).toEqual({
    'fields.price': { min: -3, max: 20.5 },
    'fields.opened': { min: '2024-02-29', max: '2025-01-01' },
  });
  expect(await rangesOf({ 'filter[price]': '..0' })).toEqual({
    'fields.price': { min: -3, max: 20.5 },
    'fields.opened': { min: null, max: null },
  });
});

it.each(['fields.town', 'fields.times', 'fields.plain', 'fields.unknown', 'fields.for_owner', '-fields.price'])(
  'facets=%s is 400',
  async (facets) => {
    expect((await directory.get(address(LIST, { facets }), owner)).body).toMatchObject({
      details: { facets: expect.anything() },
    });
  },
);

it('administrators and moderators filter, sort and count by fields that others may not see', async () => {
  for (const who of [directory.admin, moderator]) {
    expect(await found({ 'filter[for_staff]': '5', sort: 'fields.for_owner', facets: 'fields.for_staff' }, who)).toBe(
      'd',
    );
    const browsed = await directory.as(
      who,
      'GET',
      address(BROWSE, { 'filter[for_owner]': '7', sort: '-fields.for_staff' }),
    );
    expect(idsOf(browsed)).toEqual([c.id]);
  }
});

it('a change of a definition is effective at once, without a change of listings', async () => {
  const change = async (body: object) => await directory.adminOk('PUT', `${FIELDS}/color`, body);
  const listings = async () => (await scanTable(server)).filter(({ type }) => type === 'project');
  const before = await listings();
  await change({ options: options.filter(({ value }) => value !== 'red') });
  expect(await found({ 'filter[color]': 'red' })).toBe('');
  expect(await found({ 'filter[color]': '*' })).toBe('b');
  const counted = metaOf(await directory.get(address(LIST, { facets: 'fields.color' }))).facets;
  expect(counted).toEqual({ 'fields.color': [{ value: 'green', count: 1 }] });
  await change({ options });
  expect(sorted(await found({ 'filter[color]': 'red' }))).toBe('ac');
  const { slug } = await directory.addCategory();
  await change({ categories: [slug] });
  expect(await found({ 'filter[color]': '*' })).toBe('');
  await change({ categories: [] });
  for (const hiding of [{ filterable: false }, { access: 'staff' }]) {
    await change(hiding);
    expect(await directory.get(address(LIST, { 'filter[color]': 'red' }))).toMatchObject(invalidAt('filter', 'color'));
    await change({ filterable: true, access: 'public' });
  }
  await directory.adminOk('DELETE', `${FIELDS}/color`);
  expect(await directory.get(address(LIST, { 'filter[color]': 'red' }))).toMatchObject(invalidAt('filter', 'color'));
  await change({ deleted_at: null });
  expect(sorted(await found({ 'filter[color]': 'red' }))).toBe('ac');
  expect(await listings()).toEqual(before);
});
