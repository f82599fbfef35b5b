import { describe, expect, it } from 'vitest';
import { FOLLOWS_MAX } from '#contract/follows.ts';
import {
  category,
  conflict,
  dataOf,
  invalidAt,
  NOT_FOUND,
  type Person,
  person,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

interface Follow {
  readonly id: string;
  readonly query: object;
  readonly is_valid: boolean;
}

const { server, directory } = await sharedDirectory();

const PATH = '/api/me/follows';
const follow = (who: Person, query: unknown, others: object = {}) =>
  directory.as(who, 'POST', PATH, { query, frequency: 'daily', ...others });
const followed = async (who: Person, query: unknown, status = 201): Promise<Follow> => {
  const response = await follow(who, query);
  expect([response.status, response.body]).toEqual([status, expect.anything()]);
  return dataOf<Follow>(response);
};
const listed = async (who: Person): Promise<Follow[]> => dataOf<Follow[]>(await directory.ok(who, 'GET', PATH));
const newCategory = async () =>
  dataOf<{ id: string; slug: string }>(await directory.adminOk('POST', '/api/admin/categories', category(), 201));

describe('a follow', () => {
  it('is created, listed newest first, and removed by its user only', async () => {
    const user = await person(server);
    const { slug } = await newCategory();
    const response = await follow(user, { category: slug, q: 'tea' }, { name: ' Tea  shops ', frequency: 'weekly' });
    expect(response).toMatchObject({
      status: 201,
      body: {
        data: {
          id: expect.stringMatching(/^fol_[0-9A-HJKMNP-TV-Z]{26}$/),
          query: { category: slug, q: 'tea' },
          name: 'Tea  shops',
          frequency: 'weekly',
          is_valid: true,
        },
      },
    });
    const first = dataOf<Follow>(response);
    const second = await followed(user, { near: '52.5,13.4', radius_km: '10' });
    expect((await listed(user)).map(({ id }) => id)).toEqual([second.id, first.id]);
    const other = await person(server);
    for (const who of [other, directory.admin]) {
      expect((await listed(who)).map(({ id }) => id)).not.toContain(first.id);
      expect(await directory.as(who, 'DELETE', `${PATH}/${first.id}`)).toMatchObject(NOT_FOUND);
    }
    const removed = await directory.ok(user, 'DELETE', `${PATH}/${first.id}`);
    expect(dataOf(removed)).toEqual({ id: first.id, deleted: true });
    expect(await directory.as(user, 'DELETE', `${PATH}/${first.id}`)).toMatchObject(NOT_FOUND);
    expect(await listed(user)).toMatchObject([{ id: second.id, query: { near: '52.5,13.4', radius_km: '10' } }]);
  });

  it('of the same query answers the first, whatever its name, frequency and the order of its members', async () => {
    const user = await person(server);
    const first = dataOf<Follow>(await follow(user, { q: 'tea', tag: 'green' }, { name: 'One' }));
    for (const query of [
      { q: 'tea', tag: 'green' },
      { tag: 'green', q: ' tea ', pricing: 'all', sphere: '', radius_km: '10', sort: 'name', page: 7 },
    ]) {
      const again = await follow(user, query, { name: 'Two', frequency: 'weekly' });
      expect([again.status, again.body]).toEqual([200, { data: first }]);
    }
    await followed(user, { q: 'tea', tag: 'black' });
    expect(await listed(user)).toHaveLength(2);
  });

  it('is made once by concurrent requests', async () => {
    const user = await person(server);
    const responses = await Promise.all(Array.from({ length: 6 }, () => follow(user, { q: 'tea' })));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(new Set(responses.map((response) => dataOf<Follow>(response).id)).size).toBe(1);
    expect(await listed(user)).toHaveLength(1);
  });

  longTest('exists at most 50 times per user, also with concurrent requests', async () => {
    const user = await person(server);
    const numbers = Array.from({ length: FOLLOWS_MAX - 2 }, (_, n) => n);
    await Promise.all(numbers.map((n) => followed(user, { q: `tea ${n}` })));
    const responses = await Promise.all([1, 2, 3, 4].map((n) => follow(user, { q: `coffee ${n}` })));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(2);
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect(response).toMatchObject(conflict('LIMIT_REACHED'));
    }
    const all = await listed(user);
    expect(all).toHaveLength(FOLLOWS_MAX);
    expect((await follow(user, { q: 'tea 1' })).status).toBe(200);
    await directory.ok(user, 'DELETE', `${PATH}/${all[0]?.id}`);
    await followed(user, { q: 'water' });
  });

  it('goes with the erasure of its user, and is in the export', async () => {
    const user = await person(server);
    const { id } = await followed(user, { q: 'tea' });
    const exported = dataOf<{ follows: object[] }>(await directory.ok(user, 'GET', '/api/user/export'));
    expect(exported.follows).toEqual([
      {
        id,
        user_id: user.id,
        query: { q: 'tea' },
        name: null,
        frequency: 'daily',
        created_at: expect.any(String),
      },
    ]);
    await directory.ok(user, 'DELETE', '/api/user');
    expect(await follow(user, { q: 'tea' })).toMatchObject(UNAUTHORIZED);
  });
});

describe('the query of a follow', () => {
  it.each([
    ['nothing', {}],
    ['blank filters', { q: ' ', category: ',' }],
    ['defaults', { pricing: 'all', radius_km: '10', match: 'words' }],
    ['members that are no filters', { sort: 'name', page: 1, status: 'live', facets: 'tags' }],
    ['no object', 'q=tea'],
    ['a list', ['tea']],
  ])('of %s is rejected', async (_, query) => {
    expect(await follow(await person(server), query)).toMatchObject(invalidAt('query'));
  });

  it.each([
    ['pricing', 'cheap'],
    ['q', 'x'.repeat(101)],
    ['q', ['tea']],
    ['q', null],
    ['near', '91,0'],
    ['bbox', '1,2,3'],
    ['match', 'exact'],
    ['category', Array.from({ length: 51 }, (__, n) => `c${n}`).join()],
    ['radius_km', '-1'],
    ['radius_km', 10],
    ['filter[unknown_field]', 'a'],
    ['filter[__proto__]', 'a'],
    ['filter[No Key]', 'a'],
  ])('is checked as by the list: %s', async (name, value) => {
    const response = await follow(await person(server), { tag: 'green', [name]: value });
    expect(response).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } });
    const { query } = (response.body as { details: { query: Record<string, object> } }).details;
    expect(Object.keys(query)).toEqual(['_errors', name]);
  });

  it('is limited in size', async () => {
    const user = await person(server);
    expect(await follow(user, { tag: 'x'.repeat(8200) })).toMatchObject(invalidAt('query'));
    expect((await follow(user, { tag: '\ud800' })).status).toBe(400);
  });

  it.each([
    ['frequency', { frequency: 'hourly' }],
    ['frequency', { frequency: undefined }],
    ['name', { name: 'x'.repeat(101) }],
  ])('comes with a valid %s', async (name, others) => {
    expect(await follow(await person(server), { q: 'tea' }, others)).toMatchObject(invalidAt(name));
  });

  it('filters by fields, and is invalid once the field is removed', async () => {
    const user = await person(server);
    const key = unique('size').replaceAll('-', '_');
    const field = { key, type: 'number', label: 'Size', filterable: true };
    const { id } = dataOf<{ id: string }>(await directory.adminOk('POST', '/api/admin/fields', field, 201));
    const wrong = await follow(user, { [`filter[${key}]`]: 'large' });
    expect(wrong).toMatchObject({ status: 400, body: { details: { query: { [`filter[${key}]`]: {} } } } });
    const query = { [`filter[${key}]`]: '10..50', q: 'tea' };
    expect(await followed(user, query)).toMatchObject({ is_valid: true, query });
    await directory.adminOk('DELETE', `/api/admin/fields/${id}`);
    await server.until(async () => (await listed(user))[0]?.is_valid === false);
    expect(await listed(user)).toMatchObject([{ query, is_valid: false }]);
  });

  it('is invalid while none of its categories exists; the slug of a merged one stands for the other', async () => {
    const user = await person(server);
    const [one, other] = [await newCategory(), await newCategory()];
    await followed(user, { category: `${one.slug},${other.slug}` });
    await directory.adminOk('DELETE', `/api/admin/categories/${one.id}`);
    const { id } = await followed(user, { category: one.slug });
    await server.until(async () => (await listed(user))[0]?.is_valid === false);
    const [invalid, valid] = await listed(user);
    expect([invalid, valid]).toMatchObject([{ id, is_valid: false }, { is_valid: true }]);
    await directory.adminOk('POST', `/api/admin/categories/${other.id}/merge`, { into: directory.category });
    expect((await listed(user))[1]).toMatchObject({ is_valid: true });
  });
});
