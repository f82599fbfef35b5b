import { beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import type { CallResponse } from '#test/support/client.ts';
import {
  type Directory,
  dataOf,
  FORBIDDEN,
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
import type { TestServer } from '#test/support/server.ts';
import { withDirectory } from '#test/support/with-directory.ts';

/** The public list and the administrators' list. Each test lists its own category, which isolates it from the others. */

let server: TestServer;
let directory: Directory;
let owner: Person;
let users: Person[];

withDirectory(async (opened) => {
  ({ server, directory } = opened);
  owner = await person(server);
  users = await Promise.all([1, 2, 3].map(() => person(server)));
});

const list = (category: string, query = '', who?: Person): Promise<CallResponse> =>
  directory.get(`/api/projects?category=${category}${query && `&${query}`}`, who);

const adminList = (query: string, who: Person = directory.admin): Promise<CallResponse> =>
  directory.get(`/api/admin/projects?${query}`, who);

/** A new category with live projects, published in the given order. */
const listed = async (...all: readonly Readonly<Record<string, unknown>>[]) => {
  const { slug } = await directory.addCategory();
  const projects: Submitted[] = [];
  for (const fields of all) projects.push(await directory.live(owner, { categories: [slug], ...fields }));
  return { slug, projects, ids: projects.map(({ id }) => id) };
};

describe('pages', () => {
  it('have data and meta with total, page, pageSize and hasMore; by default the first 40 entries', async () => {
    const { slug, ids } = await listed({}, {});
    const response = await list(slug);
    expect(response.status).toBe(200);
    expect(Object.keys(response.body as object).toSorted()).toEqual(['data', 'meta']);
    expect(metaOf(response)).toEqual({ total: 2, page: 1, pageSize: 40, hasMore: false, nextCursor: null });
    expect(idsOf(response)).toEqual(ids.toReversed());
  });

  it('show the same fields as a single read', async () => {
    const { slug, ids } = await listed({ tags: ['a'] });
    const [entry] = dataOf<Project[]>(await list(slug));
    expect(entry).toEqual(await directory.read(ids[0] ?? ''));
  });

  it('contain every project once until hasMore is false, with an exact total on every page', async () => {
    const { slug, ids } = await listed({}, {}, {}, {}, {});
    const seen: string[] = [];
    for (let page = 1, more = true; more; page += 1) {
      const response = await list(slug, `limit=2&page=${page}`);
      expect(metaOf(response)).toMatchObject({ total: 5, page, pageSize: 2 });
      seen.push(...idsOf(response));
      more = metaOf(response).hasMore;
    }
    expect(seen).toEqual(ids.toReversed());
  });

  it('are empty past the end', async () => {
    const { slug } = await listed({});
    const response = await list(slug, 'page=7&limit=3');
    expect(response.status).toBe(200);
    expect(dataOf(response)).toEqual([]);
    expect(metaOf(response)).toMatchObject({ total: 1, page: 7, pageSize: 3, hasMore: false });
  });

  it('accept limits from 1 to 100', async () => {
    const { slug } = await listed({}, {});
    expect(metaOf(await list(slug, 'limit=1'))).toMatchObject({ pageSize: 1, hasMore: true });
    expect(metaOf(await list(slug, 'limit=100'))).toMatchObject({ pageSize: 100, hasMore: false });
  });

  it.each(['limit=101', 'limit=0', 'limit=-1', 'limit=1.5', 'limit=ten', 'page=0', 'page=-1', 'page=one', 'page=1.5'])(
    'refuses %s with 400 at its parameter, in every list',
    async (query) => {
      const name = query.split('=')[0] ?? '';
      for (const response of [
        await directory.get(`/api/projects?${query}`),
        await adminList(query),
        await directory.get(`/api/me/submissions?${query}`, owner),
      ]) {
        expect(response).toMatchObject(invalidAt(name));
      }
    },
  );

  it('return 400 with all invalid parameters', async () => {
    const response = await directory.get('/api/projects?limit=999&page=0&sort=fame&pricing=gratis');
    expect(response.status).toBe(400);
    const { details } = response.body as { details: Record<string, unknown> };
    expect(Object.keys(details).toSorted()).toEqual(['_errors', 'limit', 'page', 'pricing', 'sort']);
  });

  it('ignore unknown parameters', async () => {
    const { slug, ids } = await listed({});
    expect(idsOf(await list(slug, 'nonsense=1&owner_id=me&__proto__=x'))).toEqual(ids);
  });
});

describe('status', () => {
  let slug: string;
  let ids: Record<State, string>;

  beforeAll(async () => {
    ({ slug } = await directory.addCategory());
    const entries = await Promise.all(
      states.map(async (state) => [state, (await directory.project(state, owner, { categories: [slug] })).id] as const),
    );
    ids = Object.fromEntries(entries) as Record<State, string>;
  });

  it.each([
    '',
    'status=live',
    'status=pending',
    'status=rejected',
    'status=all',
    'status=nonsense',
    'status=',
    'status=pending&status=live',
  ])('shows live projects only to everybody who is no administrator: "%s"', async (query) => {
    for (const who of [undefined, owner, users[0]]) {
      const response = await list(slug, query, who);
      expect(response.status).toBe(200);
      expect(idsOf(response)).toEqual([ids.live]);
      expect(metaOf(response).total).toBe(1);
    }
  });

  it.each(['live', 'pending', 'rejected'] as const)(
    "honours an administrator's status %s in both lists, without deleted ones",
    async (status) => {
      expect(idsOf(await list(slug, `status=${status}`, directory.admin))).toEqual([ids[status]]);
      expect(idsOf(await adminList(`status=${status}&category=${slug}`))).toEqual([ids[status]]);
    },
  );

  it('defaults to live, also for administrators and in their list', async () => {
    expect(idsOf(await list(slug, '', directory.admin))).toEqual([ids.live]);
    expect(idsOf(await adminList(`category=${slug}`))).toEqual([ids.live]);
  });

  it('all exists in the administrators list only, and only it includes deleted projects', async () => {
    const response = await adminList(`status=all&category=${slug}`);
    expect(idsOf(response).toSorted()).toEqual(Object.values(ids).toSorted());
    expect(dataOf<Project[]>(response).find(({ id }) => id === ids.deleted)?.deleted_at).not.toBeNull();
    expect(await list(slug, 'status=all', directory.admin)).toMatchObject(invalidAt('status'));
  });

  it('returns 400 for an administrator when it is invalid', async () => {
    expect(await directory.get('/api/projects?status=dead', directory.admin)).toMatchObject(invalidAt('status'));
    expect(await adminList('status=dead')).toMatchObject(invalidAt('status'));
  });

  it('filters the administrators list, which is for administrators only', async () => {
    expect(await directory.get('/api/admin/projects')).toMatchObject(FORBIDDEN);
    expect(await adminList('status=all', owner)).toMatchObject(FORBIDDEN);
  });

  it('does not hide the fields for owners and administrators from them in the public list', async () => {
    const entry = async (who?: Person) => dataOf<Project[]>(await list(slug, '', who))[0];
    expect(await entry()).not.toHaveProperty('rejection_reason');
    expect(await entry(users[0])).not.toHaveProperty('rejection_reason');
    expect(await entry(owner)).toHaveProperty('rejection_reason');
    expect(await entry(owner)).not.toHaveProperty('possible_duplicates');
    expect(await entry(directory.admin)).toMatchObject({ rejection_reason: null, possible_duplicates: [] });
  });
});

describe('filters', () => {
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

  it('pricing accepts all, free, freemium and paid', async () => {
    const { slug, ids } = await listed(
      { pricing_type: 'free' },
      { pricing_type: 'freemium' },
      { pricing_type: 'paid' },
    );
    expect(idsOf(await list(slug, 'pricing=free'))).toEqual([ids[0]]);
    expect(idsOf(await list(slug, 'pricing=freemium'))).toEqual([ids[1]]);
    expect(idsOf(await list(slug, 'pricing=paid'))).toEqual([ids[2]]);
    expect(idsOf(await list(slug, 'pricing=all'))).toEqual(ids.toReversed());
    expect(await list(slug, 'pricing=gratis')).toMatchObject(invalidAt('pricing'));
  });

  it('are combined with AND', async () => {
    const word = unique('together');
    const { slug, ids } = await listed(
      { description: word, pricing_type: 'paid' },
      { description: word },
      { pricing_type: 'paid' },
    );
    expect(idsOf(await list(slug, `q=${word}&pricing=paid`))).toEqual([ids[0]]);
  });
});

describe('tag and owner', () => {
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
    expect(await adminList(`owner=${'x'.repeat(201)}`)).toMatchObject(invalidAt('owner'));
  });
});

describe('sort', () => {
  /** Four projects that each sort key orders differently. */
  const varied = async () => {
    const names = ['delta', 'Alpha', 'charlie', 'Älpler'];
    const { slug, ids } = await listed(...names.map((name) => ({ name })));
    const [a = '', b = '', c = '', d = ''] = ids;
    const vote = (id: string, who: readonly Person[]) =>
      Promise.all(who.map((user) => directory.as(user, 'PUT', `/api/projects/${id}/upvote`)));
    const rate = (id: string, ratings: readonly number[]) =>
      Promise.all(
        ratings.map((rating, n) => directory.as(users[n], 'POST', `/api/projects/${id}/ratings`, { rating })),
      );
    await Promise.all([vote(a, users.slice(0, 1)), vote(c, users), vote(d, users.slice(0, 2))]);
    await Promise.all([rate(a, [5]), rate(b, [5, 5]), rate(c, [4, 5, 5]), rate(d, [1])]);
    return { slug, ids: { a, b, c, d } };
  };

  it('orders by every key and alias', async () => {
    const { slug, ids } = await varied();
    const { a, b, c, d } = ids;
    const expected = {
      newest: [d, c, b, a],
      oldest: [a, b, c, d],
      upvotes: [c, d, a, b],
      popular: [c, d, a, b],
      rating: [b, a, c, d],
      top_rated: [b, a, c, d],
      name: [b, d, c, a],
      name_asc: [b, d, c, a],
      name_desc: [a, c, d, b],
    };
    for (const [sort, order] of Object.entries(expected)) {
      expect([sort, idsOf(await list(slug, `sort=${sort}`))]).toEqual([sort, order]);
      expect([sort, idsOf(await adminList(`category=${slug}&sort=${sort}`))]).toEqual([sort, order]);
    }
    expect(idsOf(await list(slug))).toEqual(expected.newest);
  });

  it.each(['views', 'trending'])('accepts %s', async (sort) => {
    const { slug, ids } = await listed({}, {});
    const response = await list(slug, `sort=${sort}`);
    expect(idsOf(response).toSorted()).toEqual(ids.toSorted());
  });

  it.each(['fame', 'NEWEST', 'name_up', 'constructor', '__proto__', 'created_at'])(
    'refuses sort=%s with 400',
    async (sort) => {
      expect(await directory.get(`/api/projects?sort=${sort}`)).toMatchObject(invalidAt('sort'));
    },
  );

  it('newest orders by publication, then by creation', async () => {
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

  it('never repeats or skips projects with equal keys', async () => {
    const { slug, ids } = await listed(...Array.from({ length: 4 }, () => ({ name: 'The Same Name' })));
    for (const sort of ['newest', 'oldest', 'upvotes', 'rating', 'views', 'name', 'name_desc', 'trending']) {
      const seen: string[] = [];
      for (let page = 1; page <= 4; page += 1)
        seen.push(...idsOf(await list(slug, `sort=${sort}&limit=1&page=${page}`)));
      expect([sort, seen.toSorted()]).toEqual([sort, ids.toSorted()]);
      expect([sort, idsOf(await list(slug, `sort=${sort}`))]).toEqual([sort, seen]);
    }
  });
});

describe('q', () => {
  const word = unique('needle');
  const found = async (slug: string, q: string): Promise<string[]> =>
    idsOf(await list(slug, `q=${encodeURIComponent(q)}`));

  it('finds a substring of name, description, host and tags', async () => {
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

  it('does not search other fields, nor the scheme, path and query of the URL', async () => {
    const { slug } = await listed(
      { url: `https://example.org/${word}` },
      { url: `https://example.org/?${word}` },
      { long_description: word },
      { address_city: word, address_country: word },
    );
    expect(await found(slug, word)).toEqual([]);
    expect(await found(slug, 'https')).toEqual([]);
  });

  it('does not match across fields', async () => {
    const { slug } = await listed({ name: 'abcdef', description: 'ghijkl', tags: ['mnop', 'qrst'] });
    for (const q of ['efgh', 'ef gh', 'opqr', 'op qr', 'op,qr']) expect(await found(slug, q)).toEqual([]);
  });

  it('ignores case and accents', async () => {
    const cases: readonly (readonly [name: string, ...qs: string[]])[] = [
      ['Café Zürich', 'CAFE ZURICH', 'cafe\u0301 zu\u0308rich', 'ÜRICH'],
      ['CRÈME BRÛLÉE', 'crème brûlée', 'creme brulee'],
      ['Łódź smørrebrød', 'lodz smorrebrod', 'ŁÓDŹ'],
      ['Große Straße', 'GROSSE STRASSE', 'straße'],
      ['Ελλάδα', 'ελλαδα'],
      ['Ёлка', 'елка'],
      ['Tiếng Việt', 'tieng viet'],
      ['Mexico, Cafetal', 'méxico, cafetál'],
      ['日本語', '本語'],
    ];
    const { slug, ids } = await listed(...cases.map(([name]) => ({ name })));
    for (const [position, [, ...qs]] of cases.entries()) {
      for (const q of qs) expect([q, await found(slug, q)]).toEqual([q, [ids[position]]]);
    }
  });

  it('treats every character literally', async () => {
    const { slug, ids } = await listed({ name: '100% (real) a.b*c_d\\e [x]' }, { name: 'plain axbxc' });
    for (const q of ['100%', '(real)', 'a.b*c', '_d\\e', '[x]', '%'])
      expect([q, await found(slug, q)]).toEqual([q, [ids[0]]]);
    expect(await found(slug, 'a.b')).toEqual([ids[0]]);
    expect(await found(slug, '.*')).toEqual([]);
  });

  it('is trimmed and ignored when blank', async () => {
    const { slug, ids } = await listed({ name: word }, {});
    for (const q of ['', '   ', '\t']) expect(await found(slug, q)).toEqual(ids.toReversed());
    expect(await found(slug, `  ${word} `)).toEqual([ids[0]]);
  });

  it('has 1 to 100 characters, counted in code points', async () => {
    const { slug, ids } = await listed({ description: `${'🍺'.repeat(100)}!` }, {});
    expect(await found(slug, 'x')).toEqual(expect.any(Array));
    expect(await found(slug, '🍺'.repeat(100))).toEqual([ids[0]]);
    for (const q of ['🍺'.repeat(101), 'x'.repeat(101)]) {
      expect(await list(slug, `q=${encodeURIComponent(q)}`)).toMatchObject(invalidAt('q'));
    }
  });

  it('searches the whole URL too in the administrators list', async () => {
    const { slug, ids } = await listed(
      { name: `Name ${word}` },
      { url: `https://example.org/path/${word}?x=1` },
      { url: `https://${word}.example.org` },
      { description: word },
      { tags: [word] },
    );
    const response = await adminList(`category=${slug}&q=${word.toUpperCase()}`);
    expect(idsOf(response).toSorted()).toEqual(ids.toSorted());
    expect(await found(slug, word)).not.toContain(ids[1]);
    expect(idsOf(await adminList(`category=${slug}&q=${encodeURIComponent(`org/path/${word}`)}`))).toEqual([ids[1]]);
  });

  it('lists matches in the name or URL first in the administrators list, in every order, through all pages', async () => {
    const tea = unique('tea');
    const { slug, projects, ids } = await listed(
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

    const byNumber: string[] = [];
    for (const page of [1, 2, 3]) byNumber.push(...idsOf(await adminList(`${query}&limit=2&page=${page}`)));
    expect(byNumber).toEqual(grouped);

    // The second page ends in the second group. A listing then leaves the first group, and another enters it.
    const first = await adminList(`${query}&limit=2`);
    const second = await adminList(`${query}&limit=2&cursor=${metaOf(first).nextCursor}`);
    expect([idsOf(first), idsOf(second)]).toEqual([
      [name, path],
      [host, text],
    ]);
    expect(metaOf(second)).toMatchObject({ total: 6, page: 2, hasMore: true });
    const rename = (index: number, fields: Readonly<Record<string, unknown>>) =>
      directory.adminOk('PUT', `/api/admin/projects/${projects[index]?.id}`, fields);
    await rename(0, { name: `Now a ${tea} name` });
    await rename(1, { name: 'Something else' });
    const third = await adminList(`${query}&limit=2&cursor=${metaOf(second).nextCursor}`);
    expect(idsOf(third)).toEqual([tag, other]);
    expect(metaOf(third)).toMatchObject({ total: 5, hasMore: false, nextCursor: null });

    // The cursor belongs to a list with two groups.
    const cursor = metaOf(second).nextCursor ?? '';
    expect(await adminList(`category=${slug}&sort=oldest&cursor=${cursor}`)).toMatchObject(invalidAt('cursor'));
    expect(await list(slug, `q=${tea}&sort=oldest&cursor=${cursor}`)).toMatchObject(invalidAt('cursor'));
  });
});

describe('facets', () => {
  it('count the projects that match the other filters', async () => {
    const sphere = unique('Sphere');
    const [a, b] = [await directory.addCategory({ sphere }), await directory.addCategory({ sphere })];
    const tag = unique('tag');
    const description = unique('faceted');
    await directory.live(owner, { description, categories: [a.slug], pricing_type: 'free', tags: [tag, 'one'] });
    await directory.live(owner, { description, categories: [a.slug, b.slug], pricing_type: 'paid', tags: [tag] });
    await directory.live(owner, { description, categories: [b.slug], pricing_type: 'paid', tags: [] });
    await directory.submit(owner, { description, categories: [b.slug], tags: [tag] });
    const facets = async (query: string) => {
      const response = await directory.get(
        `/api/projects?q=${description}&facets=category,sphere,pricing,tag&${query}`,
      );
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

  it('count the projects per status for administrators, without the filter on the status', async () => {
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
  });

  it('are in meta only when requested', async () => {
    const { slug } = await listed({});
    expect(metaOf(await list(slug))).not.toHaveProperty('facets');
    expect(metaOf(await list(slug, 'facets=pricing')).facets).toEqual({ pricing: [{ value: 'free', count: 1 }] });
  });

  it.each(['color', 'category,color', '__proto__', 'constructor'])('refuse facets=%s with 400', async (facets) => {
    expect(await directory.get(`/api/projects?facets=${facets}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT', details: { facets: expect.any(Object) as unknown } },
    });
  });
});

describe('cursor', () => {
  it('iterates over every project once', async () => {
    const { slug, ids } = await listed({}, {}, {}, {}, {});
    for (const sort of ['newest', 'name', 'upvotes', 'name_desc']) {
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const response: CallResponse = await list(
          slug,
          `sort=${sort}&limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
        );
        expect(metaOf(response)).toMatchObject({ total: 5, pageSize: 2 });
        expect(metaOf(response).hasMore).toBe(metaOf(response).nextCursor !== null);
        seen.push(...idsOf(response));
        cursor = metaOf(response).nextCursor;
      }
      expect(seen.toSorted()).toEqual(ids.toSorted());
      expect(seen).toEqual(idsOf(await list(slug, `sort=${sort}`)));
    }
  });

  it('stays stable while projects are added and removed', async () => {
    const { slug, ids } = await listed({}, {}, {}, {});
    const first = await list(slug, 'limit=2');
    await directory.live(owner, { categories: [slug] });
    expect(await directory.as(owner, 'DELETE', `/api/projects/${ids[3]}`)).toMatchObject({ status: 200 });
    const second = await list(slug, `limit=2&cursor=${metaOf(first).nextCursor}`);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids.toReversed());
  });

  it('takes precedence over page', async () => {
    const { slug, ids } = await listed({}, {}, {});
    const { nextCursor } = metaOf(await list(slug, 'limit=1'));
    expect(idsOf(await list(slug, `limit=1&page=9&cursor=${nextCursor}`))).toEqual([ids[1]]);
  });

  it('returns 400 when it belongs to another list', async () => {
    const { slug } = await listed({}, {});
    const { nextCursor } = metaOf(await list(slug, 'limit=1'));
    for (const query of [
      'cursor=nonsense',
      'cursor=bnVsbA',
      `cursor=${nextCursor}x`,
      `sort=name&cursor=${nextCursor}`,
    ]) {
      expect(await list(slug, query)).toMatchObject(invalidAt('cursor'));
    }
  });
});

describe('location', () => {
  const at = (latitude: number, longitude: number) => ({ latitude, longitude });

  it('bbox filters by west,south,east,north', async () => {
    const { slug, ids } = await listed(at(47, 8), at(47, 9), at(-33, 151), {});
    expect(idsOf(await list(slug, 'bbox=7.5,46.5,8.5,47.5'))).toEqual([ids[0]]);
    expect(idsOf(await list(slug, 'bbox=8,47,9,47'))).toEqual([ids[1], ids[0]]);
    expect(idsOf(await list(slug, 'bbox=-180,-90,180,90'))).toEqual([ids[2], ids[1], ids[0]]);
    expect(idsOf(await list(slug, 'bbox=0,0,1,1'))).toEqual([]);
  });

  it('bbox crosses the date line when west is greater than east', async () => {
    const { slug, ids } = await listed(at(0, 179), at(0, -179), at(0, 0));
    expect(idsOf(await list(slug, 'bbox=170,-10,-170,10'))).toEqual([ids[1], ids[0]]);
  });

  it('near filters by radius_km around lat,lon', async () => {
    const [zurich, winterthur, geneva] = [at(47.3769, 8.5417), at(47.4988, 8.7237), at(46.2044, 6.1432)];
    const { slug, ids } = await listed(zurich, winterthur, geneva, {});
    expect(idsOf(await list(slug, 'near=47.3769,8.5417&radius_km=1'))).toEqual([ids[0]]);
    expect(idsOf(await list(slug, 'near=47.3769,8.5417&radius_km=19'))).toEqual([ids[0]]);
    expect(idsOf(await list(slug, 'near=47.3769,8.5417&radius_km=20'))).toEqual([ids[1], ids[0]]);
    expect(idsOf(await list(slug, 'near=47.3769,8.5417&radius_km=300'))).toEqual([ids[2], ids[1], ids[0]]);
  });

  it('near crosses the date line and the pole', async () => {
    const { slug, ids } = await listed(at(0, 179.99), at(0, -179.99), at(89.99, 0), at(89.99, 180));
    expect(idsOf(await list(slug, 'near=0,180&radius_km=5'))).toEqual([ids[1], ids[0]]);
    expect(idsOf(await list(slug, 'near=90,0&radius_km=5'))).toEqual([ids[3], ids[2]]);
  });

  it.each([
    ['bbox', 'bbox=1,2,3'],
    ['bbox', 'bbox=a,b,c,d'],
    ['bbox', 'bbox=-181,0,0,1'],
    ['bbox', 'bbox=0,-91,0,1'],
    ['bbox', 'bbox=0,10,1,5'],
    ['near', 'near=1'],
    ['near', 'near=91,0'],
    ['near', 'near=0,181'],
    ['near', 'near=here,there'],
    ['radius_km', 'near=0,0&radius_km=-1'],
    ['radius_km', 'near=0,0&radius_km=0'],
    ['radius_km', 'near=0,0&radius_km=far'],
  ])('refuses %s: %s with 400', async (name, query) => {
    expect(await directory.get(`/api/projects?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT', details: { [name]: expect.any(Object) as unknown } },
    });
  });
});

describe('freshness', () => {
  const withinASecond = (isSo: () => Promise<boolean>) => server.until(isSo, 1000);

  it('lists show a change within one second', async () => {
    const { slug } = await directory.addCategory();
    const { id } = await directory.submit(owner, { categories: [slug] });
    await withinASecond(async () => idsOf(await adminList(`status=pending&category=${slug}`)).includes(id));
    await directory.adminOk('PUT', `/api/admin/projects/${id}/approve`);
    await withinASecond(async () => idsOf(await list(slug)).includes(id));
    const name = unique('Renamed');
    expect(await directory.as(owner, 'PUT', `/api/projects/${id}`, { name })).toMatchObject({ status: 200 });
    await withinASecond(async () => dataOf<Project[]>(await list(slug))[0]?.name === name);
    expect(await directory.as(owner, 'PUT', `/api/projects/${id}/upvote`)).toMatchObject({ status: 200 });
    await withinASecond(async () => dataOf<Project[]>(await list(slug))[0]?.upvote_count === 1);
    expect(await directory.as(owner, 'DELETE', `/api/projects/${id}`)).toMatchObject({ status: 200 });
    await withinASecond(async () => metaOf(await list(slug)).total === 0);
    await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
    await withinASecond(async () => metaOf(await adminList(`status=all&category=${slug}`)).total === 0);
  });

  it('single reads show a change immediately', async () => {
    const { id } = await directory.live(owner);
    expect(await directory.as(owner, 'PUT', `/api/projects/${id}`, { name: 'Changed' })).toMatchObject({ status: 200 });
    expect(await directory.as(owner, 'PUT', `/api/projects/${id}/upvote`)).toMatchObject({ status: 200 });
    expect(await directory.as(owner, 'POST', `/api/projects/${id}/ratings`, { rating: 3 })).toMatchObject({
      status: 200,
    });
    expect(await directory.as(owner, 'POST', `/api/projects/${id}/comments`, { content: 'Hello.' })).toMatchObject({
      status: 201,
    });
    expect(await directory.read(id)).toMatchObject({
      ...{ name: 'Changed', upvote_count: 1, average_rating: 3, ratings_count: 1, comments_count: 1 },
    });
  });
});
