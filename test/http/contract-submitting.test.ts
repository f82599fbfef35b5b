import { describe, expect, it } from 'vitest';
import type { CallResponse } from '#test/support/client.ts';
import {
  conflict,
  type Directory,
  dataOf,
  fullSubmission,
  INVALID,
  idOf,
  invalidAt,
  metaOf,
  type Person,
  person,
  type Submitted,
  submission,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import type { TestServer } from '#test/support/server.ts';
import { withDirectory } from '#test/support/with-directory.ts';

/** Submissions: accepted and rejected input, and generated slugs. */

let server: TestServer;
let directory: Directory;
let owner: Person;

withDirectory(async (opened) => {
  ({ server, directory } = opened);
  owner = await person(server);
});

const valid = (fields: Readonly<Record<string, unknown>> = {}) =>
  submission({ categories: [directory.category], ...fields });

const post = (fields: Readonly<Record<string, unknown>> = {}): Promise<CallResponse> =>
  directory.as(owner, 'POST', '/api/projects', valid(fields));

const mine = async (): Promise<number> => metaOf(await directory.get('/api/me/submissions', owner)).total;

describe('standard submission', () => {
  it('returns 201 with id, slug and status only', async () => {
    const response = await post();
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      data: { id: idOf('prj'), slug: expect.any(String) as unknown, status: 'pending' },
    });
  });

  it('stores every field as given and belongs to the caller', async () => {
    const body = fullSubmission({ categories: [directory.category] });
    const { id } = await directory.submit(owner, body);
    expect(await directory.read(id, owner)).toMatchObject({ ...body, owner_id: owner.id, status: 'pending' });
  });

  it('requires authentication, which is checked before the body', async () => {
    expect(await server.call('POST', '/api/projects', { body: valid() })).toMatchObject(UNAUTHORIZED);
    expect(await server.call('POST', '/api/projects', { body: {} })).toMatchObject(UNAUTHORIZED);
    expect(
      await server.call('POST', '/api/projects', { rawBody: '{', headers: { 'content-type': 'text/plain' } }),
    ).toMatchObject(UNAUTHORIZED);
  });

  it('ignores status, counters, owner and unknown fields', async () => {
    const { id } = await directory.submit(owner, {
      ...{
        id: 'prj_mine',
        status: 'live',
        owner_id: 'another-user',
        upvote_count: 99,
        average_rating: 5,
        ratings_count: 9,
      },
      ...{ comments_count: 3, views_count: 1000, created_at: '2001-01-01T00:00:00.000Z', published_at: '2001-01-01' },
      ...{ deleted_at: '2001-01-01', rejection_reason: 'x', paid_at: '2001-01-01', spheres: ['x'], nonsense: { a: 1 } },
    });
    const project = await directory.read(id, owner);
    expect(project).toMatchObject({
      ...{ status: 'pending', owner_id: owner.id, upvote_count: 0, average_rating: 0, ratings_count: 0 },
      ...{
        comments_count: 0,
        views_count: 0,
        published_at: null,
        deleted_at: null,
        rejection_reason: null,
        paid_at: null,
      },
    });
    expect(project.created_at > '2020').toBe(true);
    expect(project).not.toHaveProperty('nonsense');
  });

  it('belongs to the service user when a client-credentials token submits it', async () => {
    const client_id = unique('service');
    const token = await server.token({ client_id });
    const response = await server.call('POST', '/api/projects', { token, body: valid() });
    expect(response.status).toBe(201);
    const { id } = dataOf<Submitted>(response);
    expect((await directory.read(id, directory.admin)).owner_id).toBe(client_id);
  });

  it('can have the URL of another project', async () => {
    const url = `https://${unique('same')}.example.com`;
    expect((await post({ url })).status).toBe(201);
    expect((await post({ url })).status).toBe(201);
  });
});

describe('premium submission', () => {
  it('returns a checkout URL and stores no project', async () => {
    const before = await mine();
    const response = await post({ plan: 'premium' });
    expect(response.status).toBe(200);
    expect(dataOf(response)).toEqual({
      checkoutUrl: expect.stringMatching(/^http/) as string,
      checkout_id: expect.any(String) as string,
    });
    expect(await mine()).toBe(before);
  });

  it('is validated before the checkout', async () => {
    expect(await post({ plan: 'premium', name: '' })).toMatchObject(invalidAt('name'));
    expect(await post({ plan: 'premium', categories: [unique('none')] })).toMatchObject(invalidAt('categories'));
  });
});

describe('invalid fields', () => {
  it.each(['plan', 'name', 'url', 'description', 'categories', 'pricing_type'])(
    'returns 400 when %s is missing',
    async (field) => {
      expect(await post({ [field]: undefined })).toMatchObject(invalidAt(field));
      expect(await post({ [field]: null })).toMatchObject(invalidAt(field));
    },
  );

  it.each<[string, Record<string, unknown>, (string | number)[]]>([
    ['an unknown plan', { plan: 'gold' }, ['plan']],
    ['an unknown pricing type', { pricing_type: 'cheap' }, ['pricing_type']],
    ['all as a pricing type', { pricing_type: 'all' }, ['pricing_type']],
    ['a blank name', { name: ' \n\t ' }, ['name']],
    ['a blank description', { description: '   ' }, ['description']],
    ['a number for a name', { name: 42 }, ['name']],
    ['a list for a name', { name: ['x'] }, ['name']],
    ['an object for a description', { description: {} }, ['description']],
    ['a string for categories', { categories: 'tools' }, ['categories']],
    ['no category', { categories: [] }, ['categories']],
    ['a number among categories', { categories: ['x', 1] }, ['categories', 1]],
    ['an unknown category', { categories: ['no-such-category'] }, ['categories']],
    ['a URL without a scheme', { url: 'example.com' }, ['url']],
    ['an ftp URL', { url: 'ftp://example.com/' }, ['url']],
    ['a javascript URL', { url: 'javascript:alert(1)' }, ['url']],
    ['a logo that is not a URL', { logo_url: 'logo.png' }, ['logo_url']],
    ['a data URL for a logo', { logo_url: 'data:image/png;base64,AA==' }, ['logo_url']],
    ['a video that is not a URL', { video_url: 'file:///etc/passwd' }, ['video_url']],
    ['a screenshot that is not a URL', { screenshots: ['https://example.com/1.png', 'nope'] }, ['screenshots', 1]],
    ['a number among tags', { tags: ['fine', 'fine too', 5] }, ['tags', 2]],
    ['a blank tag', { tags: ['fine', '  '] }, ['tags', 1]],
    ['tags in one string', { tags: 'a,b' }, ['tags']],
    ['a long description that is not a string', { long_description: 1 }, ['long_description']],
    ['a latitude in words', { latitude: 'north', longitude: 1 }, ['latitude']],
    ['a latitude as a string', { latitude: '47.1', longitude: 1 }, ['latitude']],
    ['a city that is not a string', { address_city: 1 }, ['address_city']],
    ['a slug with capitals', { slug: 'Not-A-Slug' }, ['slug']],
    ['a slug with an underscore', { slug: 'not_a_slug' }, ['slug']],
    ['a slug with two hyphens in a row', { slug: 'not--a-slug' }, ['slug']],
    ['a slug that begins with a hyphen', { slug: '-slug' }, ['slug']],
    ['a slug that ends with a hyphen', { slug: 'slug-' }, ['slug']],
    ['a slug with a space', { slug: 'a slug' }, ['slug']],
    ['a slug with a non-ASCII letter', { slug: 'zürich' }, ['slug']],
  ])('return 400 for %s', async (_, fields, path) => {
    const response = await post(fields);
    expect(response).toMatchObject(invalidAt(...path));
    expect(response.body).toMatchObject(INVALID.body);
  });

  it('return 400 with all invalid fields, list entries by index, and _errors on each level', async () => {
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
});

describe('field limits', () => {
  const emoji = (count: number) => '🍺'.repeat(count);
  const address = (length: number, scheme = 'https') => {
    const head = `${scheme}://${unique('long')}.example.com/`;
    return head + 'a'.repeat(length - head.length);
  };
  const many = (count: number, make: (number: number) => string) => Array.from({ length: count }, (_, n) => make(n));

  it.each<[string, number, (length: number) => unknown]>([
    ['name', 100, (length) => 'n'.repeat(length)],
    ['name', 100, emoji],
    ['description', 500, (length) => 'd'.repeat(length)],
    ['description', 500, emoji],
    ['long_description', 10_000, emoji],
    ['address_city', 100, emoji],
    ['address_country', 100, emoji],
    ['url', 2048, address],
    ['logo_url', 2048, address],
    ['video_url', 2048, (length) => address(length, 'http')],
    ['slug', 100, (length) => `${unique('s')}${'x'.repeat(length)}`.slice(0, length)],
    ['tags', 10, (count) => many(count, (n) => `tag ${n}`)],
    ['screenshots', 10, (count) => many(count, (n) => `https://example.com/${n}.png`)],
  ])('of %s: accepts %d characters or entries and returns 400 for one more', async (field, max, make) => {
    const value = make(max);
    const response = await post({ [field]: value });
    expect(response).toMatchObject({ status: 201 });
    expect((await directory.read(dataOf<Submitted>(response).id, owner))[field as 'name']).toEqual(value);
    expect(await post({ [field]: make(max + 1) })).toMatchObject(invalidAt(field));
  });

  it('of a tag: returns 400 for more than 40 characters', async () => {
    expect((await post({ tags: [emoji(40)] })).status).toBe(201);
    expect(await post({ tags: ['fine', emoji(41)] })).toMatchObject(invalidAt('tags', 1));
  });

  it('of a screenshot: returns 400 for more than 2048 characters', async () => {
    expect((await post({ screenshots: [address(2048)] })).status).toBe(201);
    expect(await post({ screenshots: [address(2049)] })).toMatchObject(invalidAt('screenshots', 0));
  });

  it('of categories: returns 400 unless there are 1 to 5', async () => {
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
  ])('of coordinates: accepts latitude %d and longitude %d', async (latitude, longitude) => {
    const response = await post({ latitude, longitude });
    expect(response.status).toBe(201);
    expect(await directory.read(dataOf<Submitted>(response).id, owner)).toMatchObject({ latitude, longitude });
  });

  it.each([
    [90.000001, 0, 'latitude'],
    [-90.1, 0, 'latitude'],
    [0, 180.1, 'longitude'],
    [0, -181, 'longitude'],
  ])('of coordinates: returns 400 for latitude %d and longitude %d', async (latitude, longitude, field) => {
    expect(await post({ latitude, longitude })).toMatchObject(invalidAt(field));
  });

  it('of coordinates: returns 400 for one without the other', async () => {
    for (const fields of [
      { latitude: 1 },
      { longitude: 1 },
      { latitude: 1, longitude: null },
      { latitude: null, longitude: 1 },
    ]) {
      expect(await post(fields)).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } });
    }
    expect((await post({ latitude: null, longitude: null })).status).toBe(201);
  });

  it('apply to trimmed strings', async () => {
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
});

describe('slug', () => {
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
  ])('of the name %s is its transliteration', async (name, expected) => {
    const { slug } = await directory.submit(owner, { name });
    expect(slug).toMatch(SLUG);
    expect(slug).toMatch(expected);
    expect(slug.length).toBeLessThanOrEqual(100);
  });

  it.each(['🍺🍺🍺', '!!!', '—'])(
    'of a name without letters and digits, %s, is the lower-case ULID of the id',
    async (name) => {
      const { id, slug } = await directory.submit(owner, { name });
      expect(slug).toBe(id.replace('prj_', '').toLowerCase());
    },
  );

  it.each([['漢'], ['Щ'], ['x'], ['ß']])('of a name of a hundred %s has at most 100 characters', async (letter) => {
    const { slug } = await directory.submit(owner, { name: letter.repeat(100) });
    expect(slug).toMatch(SLUG);
    expect(slug.length).toBeLessThanOrEqual(100);
  });

  it('gets the suffix -2, -3 … when it is taken, within 100 characters', async () => {
    const name = unique('twins');
    expect((await directory.submit(owner, { name })).slug).toBe(name);
    expect((await directory.submit(owner, { name })).slug).toBe(`${name}-2`);
    expect((await directory.submit(owner, { name: name.toUpperCase() })).slug).toBe(`${name}-3`);
    const long = `${unique('l')}${'x'.repeat(100)}`.slice(0, 100);
    expect((await directory.submit(owner, { name: long })).slug).toBe(long);
    expect((await directory.submit(owner, { name: long })).slug).toBe(`${long.slice(0, 98)}-2`);
  });

  it('is generated from the name when it is empty', async () => {
    for (const slug of ['', null, undefined]) {
      const name = unique('unnamed');
      expect((await directory.submit(owner, { name, slug })).slug).toBe(name);
    }
  });

  it('returns 409 SLUG_TAKEN when the given slug is taken, and nothing is stored', async () => {
    const { slug } = await directory.submit(owner);
    const before = await mine();
    expect(await post({ slug })).toMatchObject(conflict('SLUG_TAKEN'));
    expect(await mine()).toBe(before);
  });

  it('stays reserved after its project has changed to another one', async () => {
    const { id, slug } = await directory.submit(owner);
    await directory.ok(owner, 'PUT', `/api/projects/${id}`, { slug: unique('moved') });
    expect(await post({ slug })).toMatchObject(conflict('SLUG_TAKEN'));
    expect((await directory.submit(owner, { name: slug })).slug).toBe(`${slug}-2`);
  });

  it('of a soft-deleted project stays reserved until the project is purged', async () => {
    const { id, slug } = await directory.submit(owner);
    const later = unique('later');
    await directory.ok(owner, 'PUT', `/api/projects/${id}`, { slug: later });
    await directory.ok(owner, 'DELETE', `/api/projects/${id}`);
    for (const taken of [slug, later]) expect(await post({ slug: taken })).toMatchObject(conflict('SLUG_TAKEN'));
    await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
    for (const free of [slug, later]) {
      expect(await directory.submit(owner, { slug: free })).toMatchObject({ slug: free });
      expect((await directory.read(free, owner)).id).not.toBe(id);
    }
  });

  it.each(['map', 'export', 'import', 'bulk', 'search', 'admin', 'reorder'])(
    'returns 409 for the reserved slug %s and generates a suffix for the name',
    async (slug) => {
      expect(await post({ slug })).toMatchObject(conflict('SLUG_TAKEN'));
      expect((await directory.submit(owner, { name: slug })).slug).toMatch(new RegExp(`^${slug}-\\d+$`));
    },
  );
});

describe('body', () => {
  const send = (rawBody: string | Uint8Array, type = 'application/json') =>
    server.call('POST', '/api/projects', { token: owner.token, rawBody, headers: { 'content-type': type } });
  const invalidBody = { status: 400, body: { ...INVALID.body, details: { _errors: [expect.any(String)] } } };

  it.each(['{', '{"name": }', 'nonsense', "{'name':'x'}", '{} {}'])(
    'returns 400 with details._errors for malformed JSON: %s',
    async (body) => {
      const response = await send(body);
      expect({ status: response.status, body: response.body }).toEqual(invalidBody);
    },
  );

  it.each(['null', '[]', '"text"', '42', 'true'])('returns 400 unless it is an object: %s', async (body) => {
    expect(await send(body)).toMatchObject(invalidBody);
  });

  it('returns 400 when it is missing', async () => {
    expect(await server.call('POST', '/api/projects', { token: owner.token })).toMatchObject(INVALID);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'returns 415 for the type "%s"',
    async (type) => {
      const response = await send(JSON.stringify(valid()), type);
      expect(response).toMatchObject({
        status: 415,
        body: { error: 'Unsupported media type', code: 'UNSUPPORTED_MEDIA_TYPE' },
      });
    },
  );

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])(
    'is accepted with the type %s',
    async (type) => {
      expect((await send(JSON.stringify(valid()), type)).status).toBe(201);
    },
  );

  it('returns 413 above 256 KB, before its type and content are checked', async () => {
    const padded = (bytes: number) => {
      const body = JSON.stringify(valid({ padding: '' }));
      return body.replace('"padding":""', `"padding":"${'x'.repeat(bytes - body.length)}"`);
    };
    expect((await send(padded(256 * 1024))).status).toBe(201);
    const tooLarge = { status: 413, body: { error: 'Payload too large', code: 'PAYLOAD_TOO_LARGE' } };
    expect(await send(padded(256 * 1024 + 1))).toMatchObject(tooLarge);
    expect(await send(padded(256 * 1024 + 1), 'text/plain')).toMatchObject(tooLarge);
    expect(await send('x'.repeat(300_000))).toMatchObject(tooLarge);
  });

  it('returns 413 above 256 KB of UTF-8, however few characters it has', async () => {
    expect(await send(JSON.stringify(valid({ padding: 'ü'.repeat(200_000) })))).toMatchObject({ status: 413 });
  });
});

describe('input that depends on stored data', () => {
  it('returns 400 for an unknown category also when the slug is taken or reserved', async () => {
    const { slug } = await directory.submit(owner);
    const categories = [unique('none')];
    expect(await post({ categories, slug })).toMatchObject(invalidAt('categories'));
    expect(await post({ categories, slug: 'map' })).toMatchObject(invalidAt('categories'));
  });

  it('returns 400 for a deleted category', async () => {
    const { id, slug } = await directory.addCategory();
    await directory.adminOk('DELETE', `/api/admin/categories/${id}`);
    expect(await post({ categories: [slug] })).toMatchObject(invalidAt('categories'));
  });
});
