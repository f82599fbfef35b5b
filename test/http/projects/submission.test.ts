import { expect, it } from 'vitest';
import type { CallResponse } from '#test/support/client.ts';
import {
  conflict,
  dataOf,
  fullSubmission,
  idOf,
  invalidAt,
  metaOf,
  person,
  type Submitted,
  submission,
  unique,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();
const owner = await person(server);

const valid = (fields: Readonly<Record<string, unknown>> = {}) =>
  submission({ categories: [directory.category], ...fields });

const post = (fields: Readonly<Record<string, unknown>> = {}): Promise<CallResponse> =>
  directory.as(owner, 'POST', '/api/projects', valid(fields));

const mine = async (): Promise<number> => metaOf(await directory.get('/api/me/submissions', owner)).total;

it('a standard submission returns 201 with id, slug and status only', async () => {
  const response = await post();
  expect(response.status).toBe(201);
  expect(response.body).toEqual({
    data: { id: idOf('prj'), slug: expect.any(String) as unknown, status: 'pending' },
  });
});

it('a standard submission stores every field as given and belongs to the caller', async () => {
  const body = fullSubmission({ categories: [directory.category] });
  const { id } = await directory.submit(owner, body);
  expect(await directory.read(id, owner)).toMatchObject({ ...body, owner_id: owner.id, status: 'pending' });
});

it('a standard submission ignores status, counters, owner and unknown fields', async () => {
  const { id } = await directory.submit(owner, {
    ...{ id: 'prj_mine', status: 'live', owner_id: 'another-user', upvote_count: 99, average_rating: 5 },
    ...{
      ratings_count: 9,
      comments_count: 3,
      views_count: 1000,
      created_at: '2001-01-01T00:00:00.000Z',
      published_at: '2001-01-01',
    },
    ...{ deleted_at: '2001-01-01', rejection_reason: 'x', paid_at: '2001-01-01', spheres: ['x'], nonsense: { a: 1 } },
  });
  const project = await directory.read(id, owner);
  expect(project).toMatchObject({
    ...{ status: 'pending', owner_id: owner.id, upvote_count: 0, average_rating: 0, ratings_count: 0 },
    ...{ comments_count: 0, views_count: 0, published_at: null, deleted_at: null },
    ...{ rejection_reason: null, paid_at: null },
  });
  expect(project.created_at > '2020').toBe(true);
  expect(project).not.toHaveProperty('nonsense');
});

it('a standard submission belongs to the service user when a client-credentials token submits it', async () => {
  const client_id = unique('service');
  const token = await server.token({ client_id });
  const response = await server.call('POST', '/api/projects', { token, body: valid() });
  expect(response.status).toBe(201);
  const { id } = dataOf<Submitted>(response);
  expect((await directory.read(id, directory.admin)).owner_id).toBe(client_id);
});

it('a standard submission can have the URL of another project', async () => {
  const url = `https://${unique('same')}.example.com`;
  expect((await post({ url })).status).toBe(201);
  expect((await post({ url })).status).toBe(201);
});

it.each<[path: string, ...values: unknown[]]>([
  ['name', ' \n\t '],
  ['categories', ['no-such-category']],
  [
    'url',
    'example.com',
    'ftp://example.com/',
    'javascript:alert(1)',
    'https:../x',
    'https:x',
    'https:/x',
    'https:\\\\x',
    'https://.',
    'https://user:pw@example.com/',
    'https://http://example.com/',
    'https://-/',
    'https://intranet/',
    'https://example..com/',
    'https://exam\u200bple.com/',
    'https://xn--a.example/',
    'https://example.com/\u00ad/',
  ],
  ['logo_url', 'logo.png', 'data:image/png;base64,AA=='],
  ['video_url', 'file:///etc/passwd'],
  ['screenshots.1', ['https://example.com/1.png', 'nope']],
  ['tags.1', ['fine', '  ']],
  ['slug', 'Not-A-Slug', 'not_a_slug', 'not--a-slug', '-slug', 'slug-', 'a slug', 'zürich'],
])('a submission with an invalid %s returns 400: %j', async (path, ...values) => {
  const [field = '', index] = path.split('.');
  for (const value of values) {
    const at = index === undefined ? [field] : [field, Number(index)];
    expect([value, await post({ [field]: value })]).toMatchObject([value, invalidAt(...at)]);
  }
});

it('all invalid fields of a submission are in the details of the 400, list entries by index, and _errors on each level', async () => {
  const response = await post({ name: '', url: 'x', tags: ['ok', 1], screenshots: [2], latitude: 99, longitude: 0 });
  expect(response.status).toBe(400);
  const message = [expect.any(String)];
  expect(response.body).toEqual({
    error: 'Invalid input',
    code: 'INVALID_INPUT',
    details: {
      _errors: [],
      name: { _errors: message },
      url: { _errors: message },
      tags: { _errors: [], 1: { _errors: message } },
      screenshots: { _errors: [], 0: { _errors: message } },
      latitude: { _errors: message },
    },
  });
});

const emoji = (count: number) => '🍺'.repeat(count);
const address = (length: number) => {
  const head = `https://${unique('long')}.example.com/`;
  return head + 'a'.repeat(length - head.length);
};
const many = (count: number, make: (number: number) => string) => Array.from({ length: count }, (_, n) => make(n));

it.each<[string, number, (length: number) => unknown]>([
  ['description', 500, emoji],
  ['long_description', 10_000, emoji],
  ['url', 2048, address],
  ['slug', 100, (length) => `${unique('s')}${'x'.repeat(length)}`.slice(0, length)],
  ['tags', 10, (count) => many(count, (n) => `tag ${n}`)],
  ['screenshots', 10, (count) => many(count, (n) => `https://example.com/${n}.png`)],
])('the limit of %s is %d characters or entries: one more returns 400', async (field, max, make) => {
  const value = make(max);
  const response = await post({ [field]: value });
  expect(response).toMatchObject({ status: 201 });
  expect((await directory.read(dataOf<Submitted>(response).id, owner))[field as 'name']).toEqual(value);
  expect(await post({ [field]: make(max + 1) })).toMatchObject(invalidAt(field));
});

it('a submission returns 400 unless it has 1 to 5 categories', async () => {
  const slugs = (await Promise.all(many(6, String).map(() => directory.addCategory()))).map(({ slug }) => slug);
  const response = await post({ categories: slugs.slice(0, 5) });
  expect(response.status).toBe(201);
  expect((await directory.read(dataOf<Submitted>(response).id, owner)).categories).toEqual(slugs.slice(0, 5));
  expect(await post({ categories: slugs })).toMatchObject(invalidAt('categories'));
  expect(await post({ categories: [] })).toMatchObject(invalidAt('categories'));
});

it.each([
  [90, 180],
  [-90, -180],
  [0, 0],
  [47.37688, 8.541694],
])('the limits of coordinates include latitude %d and longitude %d', async (latitude, longitude) => {
  const { id } = await directory.submit(owner, { latitude, longitude });
  expect(await directory.read(id, owner)).toMatchObject({ latitude, longitude });
});

it('one coordinate of a submission without the other returns 400', async () => {
  for (const fields of [{ latitude: 1 }, { longitude: 1 }])
    for (const other of [{}, { latitude: null, longitude: null }])
      expect(await post({ ...other, ...fields })).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } });
  expect((await post({ latitude: null, longitude: null })).status).toBe(201);
});

it('the limits of a submission apply to trimmed strings', async () => {
  const name = unique('Trimmed');
  const response = await post({
    name: `\u00a0 ${name}${' '.repeat(200)}`,
    description: `\n\t The words. \n`,
    url: `  https://${name.toLowerCase()}.example.com/  `,
    tags: ['  one  ', 'two '],
    address_city: ' Bern ',
    slug: `  ${unique('trimmed')}  `,
    categories: [` ${directory.category} `],
  });
  expect(response).toMatchObject({ status: 201 });
  expect(await directory.read(dataOf<Submitted>(response).id, owner)).toMatchObject({
    name,
    description: 'The words.',
    url: `https://${name.toLowerCase()}.example.com/`,
    tags: ['one', 'two'],
    address_city: 'Bern',
    slug: expect.stringMatching(/^trimmed-\w+$/) as unknown,
    categories: [directory.category],
  });
});

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

it.each([
  ['Crème Brûlée & Co.', /^creme-brulee/],
  ['Straße nach Łódź', /^strasse-nach-lodz/],
  ['Москва', /^moskva/],
  ['Αθήνα', /^athina/],
  ['東京タワー', /^[a-z]/],
  ['北京烤鸭', /^bei-?jing/],
  ['서울', /^seoul/],
  ['مكتبة', /^[a-z]/],
  ['ספרייה', /^[a-z]/],
  ['नमस्ते', /^na?ma?ste/],
  ['ประเทศไทย', /^[a-z]/],
  ['İstanbul', /^istanbul/],
  ['It\'s — 100% "real"!', /^it-?s-100/],
  ['C++', /^c/],
  ['42', /^42/],
  ['--- a ---', /^a/],
  ['Café 🍺 Bar', /^cafe-bar/],
])('the slug of a submission with the name %s is its transliteration', async (name, expected) => {
  const { slug } = await directory.submit(owner, { name });
  expect(slug).toMatch(SLUG);
  expect(slug).toMatch(expected);
  expect(slug.length).toBeLessThanOrEqual(100);
});

it.each(['🍺🍺🍺', '!!!', '—'])(
  'the slug of a submission with the name %s, without letters, is the lower-case ULID of the id',
  async (name) => {
    const { id, slug } = await directory.submit(owner, { name });
    expect(slug).toBe(id.replace('prj_', '').toLowerCase());
  },
);

it.each([['漢'], ['Щ'], ['x'], ['ß']])(
  'the slug of a submission of a name of a hundred %s has at most 100 characters',
  async (letter) => {
    const { slug } = await directory.submit(owner, { name: letter.repeat(100) });
    expect(slug).toMatch(SLUG);
    expect(slug.length).toBeLessThanOrEqual(100);
  },
);

longTest('the slug of a submission gets the suffix -2, -3 … when it is taken, within 100 characters', async () => {
  const name = unique('twins');
  expect((await directory.submit(owner, { name })).slug).toBe(name);
  expect((await directory.submit(owner, { name })).slug).toBe(`${name}-2`);
  expect((await directory.submit(owner, { name: name.toUpperCase() })).slug).toBe(`${name}-3`);
  for (const [n, slug] of ['', null, undefined].entries())
    expect((await directory.submit(owner, { name, slug })).slug).toBe(`${name}-${n + 4}`);
  const long = `${unique('l')}${'x'.repeat(100)}`.slice(0, 100);
  expect((await directory.submit(owner, { name: long })).slug).toBe(long);
  expect((await directory.submit(owner, { name: long })).slug).toBe(`${long.slice(0, 98)}-2`);
});

it('the slug of a submission returns 409 SLUG_TAKEN when the given slug is taken, and nothing is stored', async () => {
  const { slug } = await directory.submit(owner);
  const before = await mine();
  expect(await post({ slug })).toMatchObject(conflict('SLUG_TAKEN'));
  expect(await mine()).toBe(before);
});

it('the slug of a submission stays reserved after a change and a soft deletion of its project, until the project is purged', async () => {
  const { id, slug } = await directory.submit(owner);
  const later = unique('later');
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { slug: later });
  await directory.ok(owner, 'DELETE', `/api/projects/${id}`);
  for (const taken of [slug, later]) expect(await post({ slug: taken })).toMatchObject(conflict('SLUG_TAKEN'));
  expect((await directory.submit(owner, { name: slug })).slug).toBe(`${slug}-2`);
  await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
  for (const free of [slug, later]) {
    expect(await directory.submit(owner, { slug: free })).toMatchObject({ slug: free });
    expect((await directory.read(free, owner)).id).not.toBe(id);
  }
});

it.each(['map', 'export', 'import', 'bulk', 'search', 'admin', 'reorder'])(
  'the slug of a submission returns 409 for the reserved slug %s and generates a suffix for the name',
  async (slug) => {
    expect(await post({ slug })).toMatchObject(conflict('SLUG_TAKEN'));
    expect((await directory.submit(owner, { name: slug })).slug).toMatch(new RegExp(`^${slug}-\\d+$`));
  },
);

const send = (rawBody: string | Uint8Array, type = 'application/json') =>
  server.call('POST', '/api/projects', { token: owner.token, rawBody, headers: { 'content-type': type } });

it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])(
  'the body of a submission is accepted with the type %s',
  async (type) => {
    expect((await send(JSON.stringify(valid()), type)).status).toBe(201);
  },
);

it('the body of a submission returns 413 above 256 KB, before its type and content are checked', async () => {
  const padded = (bytes: number) => {
    const body = JSON.stringify(valid({ padding: '' }));
    return body.replace('"padding":""', `"padding":"${'x'.repeat(bytes - body.length)}"`);
  };
  expect((await send(padded(256 * 1024))).status).toBe(201);
  const tooLarge = { status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } };
  expect(await send(padded(256 * 1024 + 1), 'text/plain')).toMatchObject(tooLarge);
  // The limit is one of bytes in UTF-8.
  expect(await send(JSON.stringify(valid({ padding: 'ü'.repeat(200_000) })))).toMatchObject(tooLarge);
});

it('a submission with an unknown or deleted category returns 400, also when its slug is taken or reserved', async () => {
  const { slug } = await directory.submit(owner);
  const deleted = await directory.addCategory();
  await directory.adminOk('DELETE', `/api/admin/categories/${deleted.id}`);
  for (const fields of [{ slug }, { slug: 'map' }, {}])
    for (const category of [unique('none'), deleted.slug])
      expect(await post({ categories: [category], ...fields })).toMatchObject(invalidAt('categories'));
});
