import { describe, expect, it } from 'vitest';
import type { CallAnswer } from '#test/support/client.ts';
import {
  category,
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
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** Submitting a project: what is taken, what is refused, and which slug it gets. */

let world: TestWorld;
let directory: Directory;
let owner: Person;

withDirectory(async (opened) => {
  ({ world, directory } = opened);
  owner = await person(world);
});

const valid = (fields: Readonly<Record<string, unknown>> = {}) =>
  submission({ categories: [directory.category], ...fields });

const post = (fields: Readonly<Record<string, unknown>> = {}): Promise<CallAnswer> =>
  directory.as(owner, 'POST', '/api/projects', valid(fields));

const mine = async (): Promise<number> => metaOf(await directory.get('/api/me/submissions', owner)).total;

describe('a standard submission', () => {
  it('answers 201 with id, slug and status and nothing else', async () => {
    const answer = await post();
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ data: { id: idOf('prj'), slug: expect.any(String) as unknown, status: 'pending' } });
  });

  it('keeps every field as it was given and belongs to the caller', async () => {
    const body = fullSubmission({ categories: [directory.category] });
    const { id } = await directory.submit(owner, body);
    expect(await directory.read(id, owner)).toMatchObject({ ...body, owner_id: owner.id, status: 'pending' });
  });

  it('needs a login, and says so before it looks at the body', async () => {
    expect(await world.call('POST', '/api/projects', { body: valid() })).toMatchObject(UNAUTHORIZED);
    expect(await world.call('POST', '/api/projects', { body: {} })).toMatchObject(UNAUTHORIZED);
    expect(
      await world.call('POST', '/api/projects', { rawBody: '{', headers: { 'content-type': 'text/plain' } }),
    ).toMatchObject(UNAUTHORIZED);
  });

  it('ignores status, counters, owner and everything else that is not for submitters', async () => {
    const { id } = await directory.submit(owner, {
      ...{
        id: 'prj_mine',
        status: 'live',
        owner_id: 'somebody',
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
    const token = await world.token({ client_id });
    const answer = await world.call('POST', '/api/projects', { token, body: valid() });
    expect(answer.status).toBe(201);
    const { id } = dataOf<Submitted>(answer);
    expect((await directory.read(id, directory.admin)).owner_id).toBe(client_id);
  });

  it('may have the address of another one', async () => {
    const url = `https://${unique('same')}.example.com`;
    expect((await post({ url })).status).toBe(201);
    expect((await post({ url })).status).toBe(201);
  });
});

describe('a premium submission', () => {
  it('answers a checkout address and stores no project', async () => {
    const before = await mine();
    const answer = await post({ plan: 'premium' });
    expect(answer.status).toBe(200);
    expect(dataOf(answer)).toEqual({
      checkoutUrl: expect.stringMatching(/^http/) as string,
      checkout_id: expect.any(String) as string,
    });
    expect(await mine()).toBe(before);
  });

  it('is validated like any other before that', async () => {
    expect(await post({ plan: 'premium', name: '' })).toMatchObject(invalidAt('name'));
    expect(await post({ plan: 'premium', categories: [unique('none')] })).toMatchObject(invalidAt('categories'));
  });
});

describe('what is refused with 400 at its field', () => {
  it.each(['plan', 'name', 'url', 'description', 'categories', 'pricing_type'])('%s missing', async (field) => {
    expect(await post({ [field]: undefined })).toMatchObject(invalidAt(field));
    expect(await post({ [field]: null })).toMatchObject(invalidAt(field));
  });

  it.each<[string, Record<string, unknown>, (string | number)[]]>([
    ['an unknown plan', { plan: 'gold' }, ['plan']],
    ['an unknown pricing type', { pricing_type: 'cheap' }, ['pricing_type']],
    ['all as a pricing type', { pricing_type: 'all' }, ['pricing_type']],
    ['a blank name', { name: ' \n\t ' }, ['name']],
    ['a blank description', { description: '   ' }, ['description']],
    ['a number for a name', { name: 42 }, ['name']],
    ['a list for a name', { name: ['x'] }, ['name']],
    ['an object for a description', { description: {} }, ['description']],
    ['a word for categories', { categories: 'tools' }, ['categories']],
    ['no category', { categories: [] }, ['categories']],
    ['a number among categories', { categories: ['x', 1] }, ['categories', 1]],
    ['an unknown category', { categories: ['there-is-none'] }, ['categories']],
    ['an address without a scheme', { url: 'example.com' }, ['url']],
    ['an ftp address', { url: 'ftp://example.com/' }, ['url']],
    ['a script for an address', { url: 'javascript:alert(1)' }, ['url']],
    ['a logo that is no address', { logo_url: 'logo.png' }, ['logo_url']],
    ['a data address for a logo', { logo_url: 'data:image/png;base64,AA==' }, ['logo_url']],
    ['a video that is no address', { video_url: 'file:///etc/passwd' }, ['video_url']],
    ['a screenshot that is no address', { screenshots: ['https://example.com/1.png', 'nope'] }, ['screenshots', 1]],
    ['a number among tags', { tags: ['fine', 'fine too', 5] }, ['tags', 2]],
    ['a blank tag', { tags: ['fine', '  '] }, ['tags', 1]],
    ['tags in one string', { tags: 'a,b' }, ['tags']],
    ['a long description that is no text', { long_description: 1 }, ['long_description']],
    ['a latitude in words', { latitude: 'north', longitude: 1 }, ['latitude']],
    ['a latitude as text', { latitude: '47.1', longitude: 1 }, ['latitude']],
    ['a city that is no text', { address_city: 1 }, ['address_city']],
    ['a slug with capitals', { slug: 'Not-A-Slug' }, ['slug']],
    ['a slug with an underscore', { slug: 'not_a_slug' }, ['slug']],
    ['a slug with two hyphens in a row', { slug: 'not--a-slug' }, ['slug']],
    ['a slug that begins with a hyphen', { slug: '-slug' }, ['slug']],
    ['a slug that ends with a hyphen', { slug: 'slug-' }, ['slug']],
    ['a slug with a space', { slug: 'a slug' }, ['slug']],
    ['a slug with other letters', { slug: 'zürich' }, ['slug']],
  ])('%s', async (_, fields, path) => {
    const answer = await post(fields);
    expect(answer).toMatchObject(invalidAt(...path));
    expect(answer.body).toMatchObject(INVALID.body);
  });

  it('names every wrong field at once, lists by index, and each level has _errors', async () => {
    const answer = await post({ name: '', url: 'x', tags: ['ok', 1], screenshots: [2], latitude: 99, longitude: 0 });
    expect(answer.status).toBe(400);
    const message = [expect.any(String)];
    expect(answer.body).toEqual({
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

describe('limits of fields', () => {
  const beer = (count: number) => '🍺'.repeat(count);
  const address = (length: number, scheme = 'https') => {
    const head = `${scheme}://${unique('long')}.example.com/`;
    return head + 'a'.repeat(length - head.length);
  };
  const many = (count: number, make: (number: number) => string) => Array.from({ length: count }, (_, n) => make(n));

  it.each<[string, number, (length: number) => unknown]>([
    ['name', 100, (length) => 'n'.repeat(length)],
    ['name', 100, beer],
    ['description', 500, (length) => 'd'.repeat(length)],
    ['description', 500, beer],
    ['long_description', 10_000, beer],
    ['address_city', 100, beer],
    ['address_country', 100, beer],
    ['url', 2048, address],
    ['logo_url', 2048, address],
    ['video_url', 2048, (length) => address(length, 'http')],
    ['slug', 100, (length) => `${unique('s')}${'x'.repeat(length)}`.slice(0, length)],
    ['tags', 10, (count) => many(count, (n) => `tag ${n}`)],
    ['screenshots', 10, (count) => many(count, (n) => `https://example.com/${n}.png`)],
  ])('%s has at most %d', async (field, max, make) => {
    const value = make(max);
    const answer = await post({ [field]: value });
    expect(answer).toMatchObject({ status: 201 });
    expect((await directory.read(dataOf<Submitted>(answer).id, owner))[field as 'name']).toEqual(value);
    expect(await post({ [field]: make(max + 1) })).toMatchObject(invalidAt(field));
  });

  it('a tag has at most 40 characters', async () => {
    expect((await post({ tags: [beer(40)] })).status).toBe(201);
    expect(await post({ tags: ['fine', beer(41)] })).toMatchObject(invalidAt('tags', 1));
  });

  it('a screenshot has at most 2048 characters', async () => {
    expect((await post({ screenshots: [address(2048)] })).status).toBe(201);
    expect(await post({ screenshots: [address(2049)] })).toMatchObject(invalidAt('screenshots', 0));
  });

  it('there are 1 to 5 categories', async () => {
    const slugs = (await Promise.all(many(6, String).map(() => directory.addCategory()))).map(({ slug }) => slug);
    const answer = await post({ categories: slugs.slice(0, 5) });
    expect(answer.status).toBe(201);
    expect((await directory.read(dataOf<Submitted>(answer).id, owner)).categories).toEqual(slugs.slice(0, 5));
    expect(await post({ categories: slugs })).toMatchObject(invalidAt('categories'));
    expect(await post({ categories: [] })).toMatchObject(invalidAt('categories'));
  });

  it.each([
    [90, 180],
    [-90, -180],
    [0, 0],
    [47.37688, 8.541694],
  ])('latitude %d and longitude %d are taken', async (latitude, longitude) => {
    const answer = await post({ latitude, longitude });
    expect(answer.status).toBe(201);
    expect(await directory.read(dataOf<Submitted>(answer).id, owner)).toMatchObject({ latitude, longitude });
  });

  it.each([
    [90.000001, 0, 'latitude'],
    [-90.1, 0, 'latitude'],
    [0, 180.1, 'longitude'],
    [0, -181, 'longitude'],
  ])('latitude %d and longitude %d are refused', async (latitude, longitude, field) => {
    expect(await post({ latitude, longitude })).toMatchObject(invalidAt(field));
  });

  it('latitude and longitude come together or not at all', async () => {
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

  it('strings are trimmed before they are counted', async () => {
    const name = unique('Trimmed');
    const answer = await post({
      name: `\u00a0 ${name}${' '.repeat(200)}`,
      description: `\n\t The words. \n`,
      url: `  https://${name.toLowerCase()}.example.com/  `,
      tags: ['  one  ', 'two '],
      address_city: ' Bern ',
      slug: `  ${unique('trimmed')}  `,
      categories: [` ${directory.category} `],
    });
    expect(answer).toMatchObject({ status: 201 });
    expect(await directory.read(dataOf<Submitted>(answer).id, owner)).toMatchObject({
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

describe('the slug', () => {
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
  ])('of %s is readable', async (name, expected) => {
    const { slug } = await directory.submit(owner, { name });
    expect(slug).toMatch(SLUG);
    expect(slug).toMatch(expected);
    expect(slug.length).toBeLessThanOrEqual(100);
  });

  it.each(['🍺🍺🍺', '!!!', '—'])('of %s is the lower-case ULID of the id', async (name) => {
    const { id, slug } = await directory.submit(owner, { name });
    expect(slug).toBe(id.replace('prj_', '').toLowerCase());
  });

  it.each([['漢'], ['Щ'], ['x'], ['ß']])('of a hundred %s is not longer than a slug may be', async (letter) => {
    const { slug } = await directory.submit(owner, { name: letter.repeat(100) });
    expect(slug).toMatch(SLUG);
    expect(slug.length).toBeLessThanOrEqual(100);
  });

  it('gets -2, -3 … when it is taken, also where it is as long as can be', async () => {
    const name = unique('twins');
    expect((await directory.submit(owner, { name })).slug).toBe(name);
    expect((await directory.submit(owner, { name })).slug).toBe(`${name}-2`);
    expect((await directory.submit(owner, { name: name.toUpperCase() })).slug).toBe(`${name}-3`);
    const long = `${unique('l')}${'x'.repeat(100)}`.slice(0, 100);
    expect((await directory.submit(owner, { name: long })).slug).toBe(long);
    expect((await directory.submit(owner, { name: long })).slug).toBe(`${long.slice(0, 98)}-2`);
  });

  it('is made from the name when it is empty', async () => {
    for (const slug of ['', null, undefined]) {
      const name = unique('unnamed');
      expect((await directory.submit(owner, { name, slug })).slug).toBe(name);
    }
  });

  it('that is given and taken is 409 SLUG_TAKEN, and nothing is stored', async () => {
    const { slug } = await directory.submit(owner);
    const before = await mine();
    expect(await post({ slug })).toMatchObject(conflict('SLUG_TAKEN'));
    expect(await mine()).toBe(before);
  });

  it('stays taken when its project has taken another one', async () => {
    const { id, slug } = await directory.submit(owner);
    await directory.as(owner, 'PUT', `/api/projects/${id}`, { slug: unique('moved') });
    expect(await post({ slug })).toMatchObject(conflict('SLUG_TAKEN'));
    expect((await directory.submit(owner, { name: slug })).slug).toBe(`${slug}-2`);
  });

  it('of a soft-deleted project stays taken until it is purged, and is free then', async () => {
    const { id, slug } = await directory.submit(owner);
    const later = unique('later');
    await directory.as(owner, 'PUT', `/api/projects/${id}`, { slug: later });
    await directory.as(owner, 'DELETE', `/api/projects/${id}`);
    for (const taken of [slug, later]) expect(await post({ slug: taken })).toMatchObject(conflict('SLUG_TAKEN'));
    await directory.done('DELETE', `/api/admin/projects/${id}`);
    for (const free of [slug, later]) {
      expect(await directory.submit(owner, { slug: free })).toMatchObject({ slug: free });
      expect((await directory.read(free, owner)).id).not.toBe(id);
    }
  });

  it.each(['map', 'export', 'import', 'bulk', 'search', 'admin', 'reorder'])('%s is reserved', async (slug) => {
    expect(await post({ slug })).toMatchObject(conflict('SLUG_TAKEN'));
    expect((await directory.submit(owner, { name: slug })).slug).toMatch(new RegExp(`^${slug}-\\d+$`));
  });
});

describe('the body', () => {
  const send = (rawBody: string | Uint8Array, type = 'application/json') =>
    world.call('POST', '/api/projects', { token: owner.token, rawBody, headers: { 'content-type': type } });
  const whole = { status: 400, body: { ...INVALID.body, details: { _errors: [expect.any(String)] } } };

  it.each(['{', '{"name": }', 'nonsense', "{'name':'x'}", '{} {}'])(
    'that is malformed JSON is 400 at details._errors: %s',
    async (body) => {
      const answer = await send(body);
      expect({ status: answer.status, body: answer.body }).toEqual(whole);
    },
  );

  it.each(['null', '[]', '"text"', '42', 'true'])('that is no object is 400: %s', async (body) => {
    expect(await send(body)).toMatchObject(whole);
  });

  it('that is missing is 400', async () => {
    expect(await world.call('POST', '/api/projects', { token: owner.token })).toMatchObject(INVALID);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'of type "%s" is 415',
    async (type) => {
      const answer = await send(JSON.stringify(valid()), type);
      expect(answer).toMatchObject({
        status: 415,
        body: { error: 'Unsupported media type', code: 'UNSUPPORTED_MEDIA_TYPE' },
      });
    },
  );

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])(
    'of type %s is taken',
    async (type) => {
      expect((await send(JSON.stringify(valid()), type)).status).toBe(201);
    },
  );

  it('has at most 256 KB, and is 413 beyond that before its type or content is looked at', async () => {
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

  it('counts its size in bytes', async () => {
    expect(await send(JSON.stringify(valid({ padding: 'ü'.repeat(200_000) })))).toMatchObject({ status: 413 });
  });
});

describe('input is checked before the work', () => {
  it('an unknown category is 400 also when the slug is taken or reserved', async () => {
    const { slug } = await directory.submit(owner);
    const categories = [unique('none')];
    expect(await post({ categories, slug })).toMatchObject(invalidAt('categories'));
    expect(await post({ categories, slug: 'map' })).toMatchObject(invalidAt('categories'));
  });

  it('a category that was deleted cannot be taken', async () => {
    const answer = await directory.as(directory.admin, 'POST', '/api/admin/categories', category());
    const { id, slug } = dataOf<{ id: string; slug: string }>(answer);
    await directory.done('DELETE', `/api/admin/categories/${id}`);
    expect(await post({ categories: [slug] })).toMatchObject(invalidAt('categories'));
  });
});
