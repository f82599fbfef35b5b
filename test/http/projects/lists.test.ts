import { beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import type { CallResponse } from '#test/support/client.ts';
import {
  dataOf,
  idsOf,
  invalidAt,
  metaOf,
  type Person,
  person,
  type State,
  type Submitted,
  states,
  unique,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

/** The public list and the administrators' list. Each test lists its own category, which isolates it from the others. */

const { server, directory } = await sharedDirectory();
const owner = await person(server);
const users = await Promise.all([1, 2, 3].map(() => person(server)));

const list = (category: string, query = '', who?: Person): Promise<CallResponse> =>
  directory.get(`/api/projects?category=${category}${query && `&${query}`}`, who);

const adminList = (query: string): Promise<CallResponse> =>
  directory.get(`/api/admin/projects?${query}`, directory.admin);

/** A new category with live projects, published in the given order. */
const listed = async (...all: readonly Readonly<Record<string, unknown>>[]) => {
  const { slug } = await directory.addCategory();
  const projects: Submitted[] = [];
  for (const fields of all) projects.push(await directory.live(owner, { categories: [slug], ...fields }));
  return { slug, projects, ids: projects.map(({ id }) => id) };
};

it('pages of a list show the same fields as a single read', async () => {
  const { slug, ids } = await listed({ tags: ['a'] });
  const [entry] = dataOf<Project[]>(await list(slug));
  expect(entry).toEqual(await directory.read(ids[0] ?? ''));
});

it.each([
  ['sort', 'fame', 'NEWEST', 'name_up', 'constructor', '__proto__', 'created_at'],
  ['facets', 'color', 'category,color', '__proto__', 'constructor'],
  [
    'bbox',
    '1,2,3',
    'a,b,c,d',
    '0,-91,0,1',
    '0,0,0,90.1',
    '-181,0,190,-1',
    '0,10,1,5',
    '0,0,NaN,1',
    '0,0,,1',
    '0,0,1,0x1',
    '0,0,1e999,1',
  ],
  ['near', '1', '91,0', '0,181', 'here,there', 'Infinity,0', ',0', '0x1,0', '1e999,0', '1e,0', '.,0'],
  ['radius_km', '-1&near=0,0', '0&near=0,0', 'far&near=0,0', 'Infinity&near=0,0', '0x10&near=0,0', '1e999&near=0,0'],
  ['limit', '1.5', '1e-7', 'NaN', 'Infinity', '0x10', '1e999', '.'],
])('the public list refuses an invalid %s with 400: %s', async (name, ...values) => {
  const body = { code: 'INVALID_INPUT', details: { [name]: expect.any(Object) as unknown } };
  for (const query of values.map((value) => `${name}=${value}`))
    expect([query, await directory.get(`/api/projects?${query}`)]).toMatchObject([query, { status: 400, body }]);
});

it('pages of a list return 400 with all invalid parameters', async () => {
  const response = await directory.get('/api/projects?limit=999&page=0&sort=fame&pricing=gratis');
  expect(response.status).toBe(400);
  const { details } = response.body as { details: Record<string, unknown> };
  expect(Object.keys(details).toSorted()).toEqual(['_errors', 'limit', 'page', 'pricing', 'sort']);
});

it('pages of a list ignore unknown parameters', async () => {
  const { slug, ids } = await listed({});
  expect(idsOf(await list(slug, 'nonsense=1&owner_id=me&__proto__=x'))).toEqual(ids);
});

describe('the status of a list', () => {
  let slug: string;
  let ids: Record<State, string>;

  beforeAll(async () => {
    ({ slug } = await directory.addCategory());
    const entries = await Promise.all(
      states.map(async (state) => [state, (await directory.project(state, owner, { categories: [slug] })).id] as const),
    );
    ids = Object.fromEntries(entries) as Record<State, string>;
  });

  it('the status of a list shows live projects only to everybody who is no administrator', async () => {
    const statuses = ['live', 'pending', 'rejected', 'all', 'nonsense', '', 'pending&status=live'];
    for (const query of ['', ...statuses.map((status) => `status=${status}`)]) {
      for (const who of [undefined, owner, users[0]]) {
        const response = await list(slug, query, who);
        expect([query, response.status, idsOf(response)]).toEqual([query, 200, [ids.live]]);
        expect(metaOf(response).total).toBe(1);
      }
    }
  });

  it.each(['live', 'pending', 'rejected'] as const)(
    "the status of a list honours an administrator's status %s in both lists, without deleted ones",
    async (status) => {
      expect(idsOf(await list(slug, `status=${status}`, directory.admin))).toEqual([ids[status]]);
      expect(idsOf(await adminList(`status=${status}&category=${slug}`))).toEqual([ids[status]]);
    },
  );

  it('the status of a list defaults to live, also for administrators and in their list', async () => {
    expect(idsOf(await list(slug, '', directory.admin))).toEqual([ids.live]);
    expect(idsOf(await adminList(`category=${slug}`))).toEqual([ids.live]);
  });

  it('the status of a list can be all in the administrators list only, and it includes deleted projects', async () => {
    const response = await adminList(`status=all&category=${slug}`);
    expect(idsOf(response).toSorted()).toEqual(Object.values(ids).toSorted());
    expect(dataOf<Project[]>(response).find(({ id }) => id === ids.deleted)?.deleted_at).not.toBeNull();
    expect(await list(slug, 'status=all', directory.admin)).toMatchObject(invalidAt('status'));
  });

  it('the status of a list can be deleted in the administrators list only, for the deleted projects of every status', async () => {
    expect(idsOf(await adminList(`status=deleted&category=${slug}`))).toEqual([ids.deleted]);
    expect(await list(slug, 'status=deleted', directory.admin)).toMatchObject(invalidAt('status'));
  });

  it('the status of a list does not hide the fields for owners and administrators from them in the public list', async () => {
    const entry = async (who?: Person) => dataOf<Project[]>(await list(slug, '', who))[0];
    expect(await entry()).not.toHaveProperty('rejection_reason');
    expect(await entry(users[0])).not.toHaveProperty('rejection_reason');
    expect(await entry(owner)).toHaveProperty('rejection_reason');
    expect(await entry(owner)).not.toHaveProperty('possible_duplicates');
    expect(await entry(directory.admin)).toMatchObject({ rejection_reason: null, possible_duplicates: [] });
  });
});

it('category accepts one slug or several, any of which match', async () => {
  const [first, second] = [await directory.addCategory(), await directory.addCategory()];
  const both = await directory.live(owner, { categories: [first.slug, second.slug] });
  const one = await directory.live(owner, { categories: [second.slug] });
  expect(idsOf(await list(first.slug))).toEqual([both.id]);
  expect(idsOf(await list(second.slug))).toEqual([one.id, both.id]);
  expect(idsOf(await list(`${first.slug},${second.slug}`))).toEqual([one.id, both.id]);
  expect(idsOf(await list(`${first.slug},${unique('none')}`))).toEqual([both.id]);
  expect(await list(unique('none'))).toMatchObject({ status: 200, body: { data: [], meta: { total: 0 } } });
});

it('sphere accepts one name or several, any of which match', async () => {
  const [work, home] = [unique('Work & Play'), unique('Zuhause')];
  const first = await directory.addCategory({ sphere: work });
  const second = await directory.addCategory({ sphere: home });
  const a = await directory.live(owner, { categories: [first.slug] });
  const b = await directory.live(owner, { categories: [second.slug] });
  const bySphere = async (...spheres: string[]) =>
    idsOf(await directory.get(`/api/projects?sphere=${encodeURIComponent(spheres.join(','))}`));
  expect(await bySphere(work)).toEqual([a.id]);
  expect(await bySphere(work, home)).toEqual([b.id, a.id]);
  expect(await bySphere(unique('Nowhere'))).toEqual([]);
});

longTest('pricing accepts all, free, freemium and paid', async () => {
  const { slug, ids } = await listed({ pricing_type: 'free' }, { pricing_type: 'freemium' }, { pricing_type: 'paid' });
  expect(idsOf(await list(slug, 'pricing=free'))).toEqual([ids[0]]);
  expect(idsOf(await list(slug, 'pricing=freemium'))).toEqual([ids[1]]);
  expect(idsOf(await list(slug, 'pricing=paid'))).toEqual([ids[2]]);
  expect(idsOf(await list(slug, 'pricing=all'))).toEqual(ids.toReversed());
});

it('filters of a list are combined with AND', async () => {
  const word = unique('together');
  const { slug, ids } = await listed(
    { description: word, pricing_type: 'paid' },
    { description: word },
    { pricing_type: 'paid' },
  );
  expect(idsOf(await list(slug, `q=${word}&pricing=paid`))).toEqual([ids[0]]);
});

it('tag accepts one tag or several, any of which match', async () => {
  const [one, other] = [unique('Tag'), unique('tag')];
  const both = await directory.live(owner, { categories: [directory.category], tags: [one, other] });
  const single = await directory.live(owner, { categories: [directory.category], tags: [one] });
  const hidden = await directory.submit(owner, { categories: [directory.category], tags: [other] });
  const tagged = async (tags: string) => idsOf(await directory.get(`/api/projects?sort=oldest&tag=${tags}`));
  expect(await tagged(one)).toEqual([both.id, single.id]);
  expect(await tagged(other)).toEqual([both.id]);
  expect(await tagged(`${other},${one}`)).toEqual([both.id, single.id]);
  expect(await tagged(`${other}&tag=${one}`)).toEqual([both.id, single.id]);
  expect(await tagged(unique('none'))).toEqual([]);
  expect(idsOf(await adminList(`status=pending&tag=${other}`))).toEqual([hidden.id]);
  const counted = metaOf(await directory.get(`/api/projects?tag=${other}&facets=tag,pricing`));
  expect(counted).toMatchObject({ total: 1, facets: { pricing: [{ value: 'free', count: 1 }] } });
  expect(counted.facets?.tag).toContainEqual({ value: one, count: 2 });
  const tooMany = Array.from({ length: 51 }, (_, number) => `t${number}`).join(',');
  expect(await directory.get(`/api/projects?tag=${tooMany}`)).toMatchObject(invalidAt('tag'));
});

it('owner filters the administrators list', async () => {
  const seller = await person(server);
  const [live, pending] = [await directory.live(seller), await directory.submit(seller)];
  expect(idsOf(await adminList(`owner=${seller.id}`))).toEqual([live.id]);
  expect(idsOf(await adminList(`owner=${seller.id}&status=pending`))).toEqual([pending.id]);
  const all = await adminList(`owner=%20${seller.id}&status=all&sort=oldest&facets=status`);
  expect(idsOf(all).toSorted()).toEqual([live.id, pending.id].toSorted());
  expect(metaOf(all).facets?.status).toHaveLength(2);
  expect(metaOf(await adminList('owner=unknown&status=all')).total).toBe(0);
  expect(metaOf(await adminList('owner=&status=all')).total).toBeGreaterThan(1);
});

/** Four projects that each sort key orders differently. */
const varied = async () => {
  const names = ['delta', 'Alpha', 'charlie', 'Älpler'];
  const { slug, ids } = await listed(...names.map((name) => ({ name })));
  const [a = '', b = '', c = '', d = ''] = ids;
  const vote = (id: string, who: readonly Person[]) =>
    Promise.all(who.map((user) => directory.as(user, 'PUT', `/api/projects/${id}/upvote`)));
  const rate = (id: string, ratings: readonly number[]) =>
    Promise.all(ratings.map((rating, n) => directory.as(users[n], 'POST', `/api/projects/${id}/ratings`, { rating })));
  await Promise.all([vote(a, users.slice(0, 1)), vote(c, users), vote(d, users.slice(0, 2))]);
  await Promise.all([rate(a, [5]), rate(b, [5, 5]), rate(c, [4, 5, 5]), rate(d, [1])]);
  return { slug, ids: { a, b, c, d } };
};

longTest('the order of a list orders by every key and alias', async () => {
  const { slug, ids } = await varied();
  const { a, b, c, d } = ids;
  const expected = {
    newest: [d, c, b, a],
    oldest: [a, b, c, d],
    upvotes: [c, d, a, b],
    popular: [c, d, a, b],
    rating: [b, a, c, d],
    top_rated: [b, a, c, d],
    weighted_rating: [c, b, a, d],
    name: [b, d, c, a],
    name_asc: [b, d, c, a],
    name_desc: [a, c, d, b],
  };
  for (const [sort, order] of Object.entries(expected)) {
    expect([sort, idsOf(await list(slug, `sort=${sort}`))]).toEqual([sort, order]);
    expect([sort, idsOf(await adminList(`category=${slug}&sort=${sort}`))]).toEqual([sort, order]);
  }
  expect(idsOf(await list(slug))).toEqual(expected.newest);
  for (const sort of ['views', 'trending'])
    expect(idsOf(await list(slug, `sort=${sort}`)).toSorted()).toEqual(Object.values(ids).toSorted());
});

longTest('newest orders by publication, then by creation', async () => {
  const { slug } = await directory.addCategory();
  const first = await directory.submit(owner, { categories: [slug] });
  const second = await directory.submit(owner, { categories: [slug] });
  await directory.adminOk('PUT', `/api/admin/projects/${second.id}/approve`);
  await directory.adminOk('PUT', `/api/admin/projects/${first.id}/approve`);
  expect(idsOf(await list(slug, 'sort=newest'))).toEqual([first.id, second.id]);
  expect(idsOf(await list(slug, 'sort=oldest'))).toEqual([second.id, first.id]);
  const third = await directory.submit(owner, { categories: [slug] });
  const fourth = await directory.submit(owner, { categories: [slug] });
  expect(idsOf(await adminList(`category=${slug}&status=pending`))).toEqual([fourth.id, third.id]);
});

const word = unique('needle');
const found = async (slug: string, q: string): Promise<string[]> =>
  idsOf(await list(slug, `q=${encodeURIComponent(q)}`));

it('the search in a list finds a substring of name, description, host and tags', async () => {
  const { slug, ids } = await listed(
    { name: `The ${word} thing` },
    { description: `About a ${word}.` },
    { url: `https://${word}.example.org/` },
    { tags: ['other', word] },
    {},
  );
  expect((await found(slug, word)).toSorted()).toEqual(ids.slice(0, 4).toSorted());
  expect((await found(slug, word.slice(2, -1))).toSorted()).toEqual(ids.slice(0, 4).toSorted());
});

it('the search in a list ignores case and accents, and takes every character literally', async () => {
  const cases: readonly (readonly [name: string, ...qs: string[]])[] = [
    ['Café Zürich', 'CAFE ZURICH', 'cafe\u0301 zu\u0308rich', 'ÜRICH'],
    ['Große Straße', 'GROSSE STRASSE', 'straße'],
    ['100% (real) a.b*c_d\\e [x]', '100%', '(real)', 'a.b*c', '_d\\e', '[x]', '%'],
  ];
  const { slug, ids } = await listed(...cases.map(([name]) => ({ name })));
  for (const [position, [, ...qs]] of cases.entries()) {
    for (const q of qs) expect([q, await found(slug, q)]).toEqual([q, [ids[position]]]);
  }
});

longTest(
  'the search in a list lists matches in the name or URL first in the administrators list, through all pages',
  async () => {
    const tea = unique('tea');
    const { slug, ids } = await listed(
      { description: `About ${tea}.` },
      { name: `The ${tea} shop` },
      { tags: [tea] },
      { url: `https://example.org/path/${tea}` },
      { description: `${tea} again.` },
      { url: `https://${tea}.example.org` },
    );
    const query = `category=${slug}&q=${tea}&sort=oldest`;
    const [text, name, tag, path, other, host] = ids as [string, string, string, string, string, string];
    const grouped = [name, path, host, text, tag, other];
    expect(idsOf(await adminList(query))).toEqual(grouped);
    expect(idsOf(await adminList(`category=${slug}&q=${tea}`))).toEqual([host, path, name, other, tag, text]);
    expect(idsOf(await list(slug, `q=${tea}&sort=oldest`))).toEqual(ids.filter((id) => id !== path));

    const first = await adminList(`${query}&limit=4`);
    const cursor = metaOf(first).nextCursor ?? '';
    const second = await adminList(`${query}&limit=4&cursor=${cursor}`);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(grouped);
    // The cursor belongs to a list with two groups.
    expect(await adminList(`category=${slug}&sort=oldest&cursor=${cursor}`)).toMatchObject(invalidAt('cursor'));
    expect(await list(slug, `q=${tea}&sort=oldest&cursor=${cursor}`)).toMatchObject(invalidAt('cursor'));
  },
);

it('facets of a list count the projects that match the other filters', async () => {
  const sphere = unique('Sphere');
  const [a, b] = [await directory.addCategory({ sphere }), await directory.addCategory({ sphere })];
  const tag = unique('tag');
  const description = unique('faceted');
  await directory.live(owner, { description, categories: [a.slug], pricing_type: 'free', tags: [tag, 'one'] });
  await directory.live(owner, { description, categories: [a.slug, b.slug], pricing_type: 'paid', tags: [tag] });
  await directory.live(owner, { description, categories: [b.slug], pricing_type: 'paid', tags: [] });
  await directory.submit(owner, { description, categories: [b.slug], tags: [tag] });
  const facets = async (query: string) => {
    const response = await directory.get(`/api/projects?q=${description}&facets=category,sphere,pricing,tag&${query}`);
    return metaOf(response).facets;
  };
  const count = (value: string, number: number) => ({ value, count: number });
  const tied = (...values: { value: string; count: number }[]): unknown =>
    expect.toSatisfy((given: unknown[]) => {
      expect(given).toHaveLength(values.length);
      expect(given).toEqual(expect.arrayContaining(values));
      return true;
    });

  expect(await facets('')).toEqual({
    category: tied(count(a.slug, 2), count(b.slug, 2)),
    sphere: [count(sphere, 3)],
    pricing: [count('paid', 2), count('free', 1)],
    tag: [count(tag, 2), count('one', 1)],
  });
  expect(await facets('pricing=paid')).toEqual({
    category: [count(b.slug, 2), count(a.slug, 1)],
    sphere: [count(sphere, 2)],
    pricing: [count('paid', 2), count('free', 1)],
    tag: [count(tag, 1)],
  });
  expect(await facets(`category=${a.slug}`)).toEqual({
    category: tied(count(a.slug, 2), count(b.slug, 2)),
    sphere: [count(sphere, 2)],
    pricing: tied(count('free', 1), count('paid', 1)),
    tag: [count(tag, 2), count('one', 1)],
  });
});

longTest(
  'facets of a list count the projects per status for administrators, without the filter on the status',
  async () => {
    const { slug } = await directory.addCategory();
    const fields = { categories: [slug] };
    await directory.live(owner, fields);
    await directory.project('deleted', owner, fields);
    for (const _ of [1, 2]) await directory.submit(owner, fields);
    for (const _ of [1, 2, 3]) await directory.project('rejected', owner, fields);
    const statuses = async (query: string) => {
      const { total, facets } = metaOf(await adminList(`category=${slug}&facets=status&${query}`));
      return [total, (facets?.status ?? []).map(({ value, count }) => `${value} ${count}`)];
    };
    expect(await statuses('')).toEqual([1, ['rejected 3', 'pending 2', 'live 1']]);
    expect(await statuses('status=pending')).toEqual([2, ['rejected 3', 'pending 2', 'live 1']]);
    expect((await statuses('status=all'))[0]).toBe(7);
    expect((await statuses('status=all'))[1]).toEqual(['rejected 3', 'live 2', 'pending 2']);
    expect(await directory.get('/api/projects?facets=status', directory.admin)).toMatchObject(invalidAt('facets', 0));
    expect(await adminList('facets=state')).toMatchObject(invalidAt('facets', 0));
  },
);

it('facets of a list are in meta only when requested', async () => {
  const { slug } = await listed({});
  expect(metaOf(await list(slug))).not.toHaveProperty('facets');
  expect(metaOf(await list(slug, 'facets=pricing')).facets).toEqual({ pricing: [{ value: 'free', count: 1 }] });
});

it('the cursor of a list takes precedence over page, and returns 400 when it belongs to another list', async () => {
  const { slug, ids } = await listed({}, {}, {});
  const { nextCursor } = metaOf(await list(slug, 'limit=1'));
  expect(idsOf(await list(slug, `limit=1&page=9&cursor=${nextCursor}`))).toEqual([ids[1]]);
  for (const query of ['nonsense', 'bnVsbA', `${nextCursor}x`, `${nextCursor}&sort=name`])
    expect(await list(slug, `cursor=${query}`)).toMatchObject(invalidAt('cursor'));
});

const at = (latitude: number, longitude: number) => ({ latitude, longitude });

it.each([
  'bbox=-13.6,39.2,-3.5999999999999996,47.2',
  'bbox=-1e-7,-1.7976931348623157E-10,1e%2B1,5e-324',
  'near=39.199999999999996,-3.5999999999999996&radius_km=12.300000000000000711',
  'near=1e-7,-1e-7&radius_km=1e3&limit=1e1&page=1.0',
  'near=1e+1,-1e+1&radius_km=1e+3&limit=1e+1&bbox=-1e+1,0,+1E+1,1e+0',
])('a place is filtered by numbers as programs print them: %s', async (query) => {
  expect(await directory.get(`/api/projects?${query}`)).toMatchObject({ status: 200 });
});

longTest('the facet of tags has the hundred most frequent ones', async () => {
  const tags = Array.from({ length: 120 }, (_, number) => unique(`tag-${number}`));
  const parts = Array.from({ length: 12 }, (_, part) => ({ tags: tags.slice(part * 10, part * 10 + 10) }));
  const { slug } = await listed(...parts, { tags: tags.slice(110) });
  const { meta } = (await list(slug, 'facets=tag')).body as { meta: { facets: { tag: { value: string }[] } } };
  expect(meta.facets.tag).toHaveLength(100);
  expect(
    meta.facets.tag
      .slice(0, 10)
      .map(({ value }) => value)
      .toSorted(),
  ).toEqual(tags.slice(110).toSorted());
});

it('bbox filters by west,south,east,north', async () => {
  const { slug, ids } = await listed(at(47, 8), at(47, 179), at(47, -179), {});
  expect(idsOf(await list(slug, 'bbox=7.5,46.5,8.5,47.5'))).toEqual([ids[0]]);
  expect(idsOf(await list(slug, 'bbox=170,40,-170,50'))).toEqual([ids[2], ids[1]]);
  expect(idsOf(await list(slug, 'bbox=0,0,1,1'))).toEqual([]);
});

it('bbox wraps longitudes beyond ±180, and is the whole world from a width of 360 on', async () => {
  const { slug, ids } = await listed(at(0, 8), at(0, 179), at(0, 180), at(0, -180), at(0, -179), at(80, -127.8));
  const inBox = async (longitudes: string): Promise<number[]> => {
    const [west, east] = longitudes.split('..');
    return idsOf(await list(slug, `bbox=${west},-1,${east},1`))
      .map((id) => ids.indexOf(id))
      .toSorted();
  };
  expect(idsOf(await list(slug, 'bbox=232.2,80,232.2,80'))).toEqual([ids[5]]);
  const expected = {
    '170..190': [1, 2, 3, 4],
    '-190..-170': [1, 2, 3, 4],
    '530..550': [1, 2, 3, 4],
    '190..-170': [],
    '368..369': [0],
    '-352..-352': [0],
    '170..180': [1, 2, 3],
    '-180..-170': [2, 3, 4],
    '180..180': [2, 3],
    '-540..-540': [2, 3],
    '7..367': [0, 1, 2, 3, 4],
    '9..367': [1, 2, 3, 4],
    '0..1e300': [0, 1, 2, 3, 4],
    '-1.7e308..1.7e308': [0, 1, 2, 3, 4],
    '-180..180': [0, 1, 2, 3, 4],
    '180..-180': [2, 3],
    '152.3..512.3': [0, 1, 2, 3, 4],
  };
  for (const [longitudes, indexes] of Object.entries(expected))
    expect([longitudes, await inBox(longitudes)]).toEqual([longitudes, indexes]);
});

longTest('near filters by radius_km around lat,lon', async () => {
  const [zurich, winterthur, geneva] = [at(47.3769, 8.5417), at(47.4988, 8.7237), at(46.2044, 6.1432)];
  const { slug, ids } = await listed(zurich, winterthur, geneva, {});
  expect(idsOf(await list(slug, 'near=47.3769,8.5417&radius_km=1'))).toEqual([ids[0]]);
  expect(idsOf(await list(slug, 'near=47.3769,8.5417&radius_km=19'))).toEqual([ids[0]]);
  expect(idsOf(await list(slug, 'near=47.3769,8.5417&radius_km=20'))).toEqual([ids[1], ids[0]]);
  expect(idsOf(await list(slug, 'near=47.3769,8.5417&radius_km=300'))).toEqual([ids[2], ids[1], ids[0]]);
});

it('lists show every kind of change', async () => {
  const { slug } = await directory.addCategory();
  const { id } = await directory.submit(owner, { categories: [slug] });
  await server.until(async () => idsOf(await adminList(`status=pending&category=${slug}`)).includes(id));
  await directory.adminOk('PUT', `/api/admin/projects/${id}/approve`);
  await server.until(async () => idsOf(await list(slug)).includes(id));
  const name = unique('Renamed');
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { name });
  await server.until(async () => dataOf<Project[]>(await list(slug))[0]?.name === name);
  await directory.ok(owner, 'PUT', `/api/projects/${id}/upvote`);
  await server.until(async () => dataOf<Project[]>(await list(slug))[0]?.upvote_count === 1);
  await directory.ok(owner, 'DELETE', `/api/projects/${id}`);
  await server.until(async () => metaOf(await list(slug)).total === 0);
  await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
  await server.until(async () => metaOf(await adminList(`status=all&category=${slug}`)).total === 0);
});

it('single reads show a change immediately', async () => {
  const { id } = await directory.live(owner);
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { name: 'Changed' });
  await directory.ok(owner, 'PUT', `/api/projects/${id}/upvote`);
  await directory.ok(owner, 'POST', `/api/projects/${id}/ratings`, { rating: 3 });
  await directory.ok(owner, 'POST', `/api/projects/${id}/comments`, { content: 'Hello.' }, 201);
  expect(await directory.read(id)).toMatchObject({
    ...{ name: 'Changed', upvote_count: 1, average_rating: 3, ratings_count: 1, comments_count: 1 },
  });
});
