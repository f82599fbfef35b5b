import { describe, expect, it, vi } from 'vitest';
import type { Comment } from '#contract/comments.ts';
import { now } from '#platform/clock.ts';
import type { CallResponse } from '#test/support/client.ts';
import {
  type Directory,
  dataOf,
  FORBIDDEN,
  INVALID,
  idOf,
  idsOf,
  invalidAt,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  TIME,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

/** Votes, ratings and comments. Permissions are in `contract-updating.test.ts`. */

vi.mock(import('#platform/clock.ts'), { spy: true });

const DAY_MS = 24 * 3600 * 1000;

let server: TestServer;
let directory: Directory;
let owner: Person;
let users: Person[];
let ada: Person;
let bob: Person;

withOwnServer(async (opened) => {
  ({ server, directory } = opened);
  owner = await person(server);
  users = await Promise.all([1, 2, 3].map(() => person(server)));
  [ada, bob] = users as [Person, Person];
});

describe('votes', () => {
  const vote = (method: string, id: string, who: Person) => directory.as(who, method, `/api/projects/${id}/upvote`);
  const voted = (upvoted: boolean, upvote_count: number) => ({ data: { upvoted, upvote_count } });

  it('are toggled by POST, which returns upvoted and upvote_count', async () => {
    const { id } = await directory.live(owner);
    const responses = [];
    for (const who of [ada, bob, ada, ada, bob]) responses.push(await vote('POST', id, who));
    expect(responses.map((response) => response.status)).toEqual([200, 200, 200, 200, 200]);
    expect(responses.map((response) => response.body)).toEqual([
      voted(true, 1),
      voted(true, 2),
      voted(false, 1),
      voted(true, 2),
      voted(false, 1),
    ]);
    expect(await directory.read(id)).toMatchObject({ upvote_count: 1 });
  });

  it('are added by PUT and removed by DELETE, both idempotent', async () => {
    const { id } = await directory.live(owner);
    expect((await vote('DELETE', id, ada)).body).toEqual(voted(false, 0));
    expect((await vote('PUT', id, ada)).body).toEqual(voted(true, 1));
    expect((await vote('PUT', id, ada)).body).toEqual(voted(true, 1));
    expect((await vote('PUT', id, bob)).body).toEqual(voted(true, 2));
    expect((await vote('DELETE', id, ada)).body).toEqual(voted(false, 1));
    expect((await vote('DELETE', id, ada)).body).toEqual(voted(false, 1));
    expect(await directory.read(id, ada)).toMatchObject({ upvote_count: 1, viewer: { upvoted: false } });
  });

  it('are open to the owner, and need no body and no content type', async () => {
    const { id } = await directory.live(owner);
    expect((await vote('POST', id, owner)).body).toEqual(voted(true, 1));
    const response = await server.call('POST', `/api/projects/${id}/upvote`, {
      ...{ token: ada.token, rawBody: 'whatever', headers: { 'content-type': 'text/plain' } },
    });
    expect(response).toMatchObject({ status: 200, body: voted(true, 2) });
  });

  it('never go below zero', async () => {
    const { id } = await directory.live(owner);
    const responses = await Promise.all(Array.from({ length: 10 }, () => vote('DELETE', id, ada)));
    expect(responses.map((response) => response.body)).toEqual(Array(10).fill(voted(false, 0)));
    expect(await directory.read(id)).toMatchObject({ upvote_count: 0 });
  });
});

describe('ratings', () => {
  const rate = (id: string, who: Person, rating: unknown) =>
    directory.as(who, 'POST', `/api/projects/${id}/ratings`, { rating });
  const unrate = (id: string, who: Person) => directory.as(who, 'DELETE', `/api/projects/${id}/ratings`);

  it('return the rating, the average rounded to two decimals, and the count', async () => {
    const { id } = await directory.live(owner);
    const responses = [await rate(id, ada, 5), await rate(id, bob, 5), await rate(id, owner, 3)];
    expect(responses.map((response) => response.status)).toEqual([200, 200, 200]);
    expect(responses.map((response) => response.body)).toEqual([
      { data: { rating: 5, average_rating: 5, ratings_count: 1 } },
      { data: { rating: 5, average_rating: 5, ratings_count: 2 } },
      { data: { rating: 3, average_rating: 4.33, ratings_count: 3 } },
    ]);
    expect(await directory.read(id, owner)).toMatchObject({
      ...{ average_rating: 4.33, ratings_count: 3, viewer: { rating: 3 } },
    });
  });

  it('are one per user: a second one replaces the first', async () => {
    const { id } = await directory.live(owner);
    await rate(id, ada, 1);
    await rate(id, bob, 2);
    expect((await rate(id, ada, 5)).body).toEqual({ data: { rating: 5, average_rating: 3.5, ratings_count: 2 } });
    expect((await rate(id, ada, 5)).body).toEqual({ data: { rating: 5, average_rating: 3.5, ratings_count: 2 } });
  });

  it('are removed by DELETE, which is idempotent', async () => {
    const { id } = await directory.live(owner);
    await rate(id, ada, 1);
    await rate(id, bob, 5);
    expect(await unrate(id, ada)).toMatchObject({
      status: 200,
      body: { data: { average_rating: 5, ratings_count: 1 } },
    });
    expect(await unrate(id, ada)).toMatchObject({
      status: 200,
      body: { data: { average_rating: 5, ratings_count: 1 } },
    });
    expect(await unrate(id, bob)).toMatchObject({
      status: 200,
      body: { data: { average_rating: 0, ratings_count: 0 } },
    });
    expect(await directory.read(id, ada)).toMatchObject({
      ratings_count: 0,
      average_rating: 0,
      viewer: { rating: null },
    });
  });

  it('are whole numbers from 1 to 5', async () => {
    const { id } = await directory.live(owner);
    for (const rating of [1, 2, 3, 4, 5]) expect((await rate(id, ada, rating)).status).toBe(200);
    for (const rating of [0, 6, -1, 2.5, '3', null, undefined, true, [3], {}]) {
      expect(await rate(id, ada, rating)).toMatchObject(invalidAt('rating'));
    }
    expect(await directory.read(id, ada)).toMatchObject({ ratings_count: 1, viewer: { rating: 5 } });
  });
});

describe('comments', () => {
  const add = (id: string, who: Person | undefined, content: unknown): Promise<CallResponse> =>
    directory.as(who, 'POST', `/api/projects/${id}/comments`, { content });
  const change = (id: string, comment: string, who: Person | undefined, content: unknown): Promise<CallResponse> =>
    directory.as(who, 'PUT', `/api/projects/${id}/comments/${comment}`, { content });
  const remove = (id: string, comment: string, who: Person | undefined): Promise<CallResponse> =>
    directory.as(who, 'DELETE', `/api/projects/${id}/comments/${comment}`);
  const added = async (id: string, who: Person, content: string) => dataOf<Comment>(await add(id, who, content));

  it('are returned with 201 and listed publicly in the same shape', async () => {
    const { id } = await directory.live(owner);
    const response = await add(id, ada, 'Well done.');
    expect(response.status).toBe(201);
    const comment = {
      id: idOf('cmt'),
      project_id: id,
      content: 'Well done.',
      created_at: TIME,
      updated_at: TIME,
      user: { id: ada.id, name: ada.name, avatar_url: null, role: 'user' },
    };
    expect(response.body).toEqual({ data: comment });
    const listed = await directory.get(`/api/projects/${id}/comments`);
    expect(listed.status).toBe(200);
    expect(listed.body).toEqual({
      data: [dataOf(response)],
      meta: { total: 1, page: 1, pageSize: 20, hasMore: false },
    });
    expect(await directory.read(id)).toMatchObject({ comments_count: 1 });
  });

  it('include the role of their author and never the email address', async () => {
    const { id } = await directory.live(owner);
    await add(id, directory.admin, 'Thanks.');
    const listed = await directory.get(`/api/projects/${id}/comments`);
    expect(listed.body).toMatchObject({ data: [{ user: { id: directory.admin.id, role: 'admin' } }] });
    expect(JSON.stringify(listed.body)).not.toContain(directory.admin.email);
  });

  it('are listed newest first, 20 per page by default, with page and limit', async () => {
    const { id } = await directory.live(owner);
    const ids: string[] = [];
    for (let number = 0; number < 21; number += 1) ids.unshift((await added(id, ada, `Comment ${number}`)).id);
    const path = `/api/projects/${id}/comments`;
    const first = await directory.get(path);
    expect(metaOf(first)).toEqual({ total: 21, page: 1, pageSize: 20, hasMore: true });
    expect(idsOf(first)).toEqual(ids.slice(0, 20));
    const second = await directory.get(`${path}?page=2`);
    expect(metaOf(second)).toEqual({ total: 21, page: 2, pageSize: 20, hasMore: false });
    expect(idsOf(second)).toEqual(ids.slice(20));
    expect(idsOf(await directory.get(`${path}?limit=5&page=3`))).toEqual(ids.slice(10, 15));
    expect(metaOf(await directory.get(`${path}?limit=21`))).toMatchObject({ pageSize: 21, hasMore: false });
    expect((await directory.get(`${path}?page=9`)).body).toEqual({
      ...{ data: [], meta: { total: 21, page: 9, pageSize: 20, hasMore: false } },
    });
    for (const [name, query] of [
      ['limit', 'limit=101'],
      ['limit', 'limit=0'],
      ['page', 'page=0'],
      ['page', 'page=x'],
    ] as const) {
      expect(await directory.get(`${path}?${query}`)).toMatchObject(invalidAt(name));
    }
  });

  it('have 1 to 2000 characters after trimming, counted in code points', async () => {
    const { id } = await directory.live(owner);
    const long = '🍺'.repeat(2000);
    expect(await add(id, ada, `  ${long}\n\n`)).toMatchObject({ status: 201, body: { data: { content: long } } });
    expect(await add(id, ada, ' x ')).toMatchObject({ status: 201, body: { data: { content: 'x' } } });
    for (const content of [`${long}x`, '', '  \n\t ', '\u0000\u0001', 5, null, undefined, ['x']]) {
      expect(await add(id, ada, content)).toMatchObject(invalidAt('content'));
    }
  });

  it('are stored as plain text without bidirectional overrides and control characters other than newline and tab', async () => {
    const { id } = await directory.live(owner);
    const content = `<script>alert("1")</script> & 'quotes' \\ {{x}} RTL 日本 👩‍👩‍👧\nsecond\tline`;
    const withOverride = content.replace('RTL', '\u202eRTL');
    expect(await add(id, ada, withOverride)).toMatchObject({ status: 201, body: { data: { content } } });
    const controls = 'a\u0000b\u0007c\u001b[31md\u007fe\u0085f\ng\th';
    expect(await add(id, ada, controls)).toMatchObject({ body: { data: { content: 'abc[31mdef\ng\th' } } });
    const listed = dataOf<Comment[]>(await directory.get(`/api/projects/${id}/comments`));
    expect(listed.map((comment) => comment.content)).toEqual(['abc[31mdef\ng\th', content]);
  });

  it('can be changed by their author only', async () => {
    const { id } = await directory.live(owner);
    const comment = await added(id, ada, 'Before.');
    for (const who of [bob, owner, directory.admin]) {
      expect(await change(id, comment.id, who, 'Not mine.')).toMatchObject(FORBIDDEN);
    }
    expect(await change(id, comment.id, undefined, 'x')).toMatchObject(UNAUTHORIZED);
    const response = await change(id, comment.id, ada, ' After. ');
    expect(response).toMatchObject({ status: 200 });
    expect(dataOf(response)).toEqual({ ...comment, content: 'After.', updated_at: TIME });
    expect(dataOf<Comment>(response).updated_at > comment.updated_at).toBe(true);
    expect(dataOf(await directory.get(`/api/projects/${id}/comments`))).toEqual([dataOf(response)]);
    expect(await change(id, comment.id, ada, '')).toMatchObject(invalidAt('content'));
  });

  it('check the permission for a change before the content', async () => {
    const { id } = await directory.live(owner);
    const comment = await added(id, ada, 'Before.');
    expect(await change(id, comment.id, bob, '')).toMatchObject(FORBIDDEN);
  });

  it('can be changed for exactly 24 hours', async () => {
    const { id } = await directory.live(owner);
    const comment = await added(id, ada, 'Old.');
    const changeAfter = async (ms: number) => {
      vi.mocked(now).mockImplementation(() => new Date(Date.parse(comment.created_at) + ms).toISOString());
      try {
        return await change(id, comment.id, ada, 'New.');
      } finally {
        vi.mocked(now).mockRestore();
      }
    };
    const changed = await changeAfter(DAY_MS);
    expect(changed).toMatchObject({ status: 200 });
    expect(dataOf(changed)).toMatchObject({ content: 'New.', created_at: comment.created_at });
    expect(await changeAfter(DAY_MS + 1)).toMatchObject(FORBIDDEN);
  });

  it('can be deleted by their author and administrators only', async () => {
    const { id } = await directory.live(owner);
    const [first, second] = [await added(id, ada, 'One.'), await added(id, ada, 'Two.')];
    for (const who of [bob, owner]) expect(await remove(id, first.id, who)).toMatchObject(FORBIDDEN);
    expect(await remove(id, first.id, undefined)).toMatchObject(UNAUTHORIZED);
    expect(await remove(id, first.id, ada)).toMatchObject({ status: 200, body: { data: { id: first.id } } });
    expect(await remove(id, second.id, directory.admin)).toMatchObject({
      status: 200,
      body: { data: { id: second.id } },
    });
    expect(metaOf(await directory.get(`/api/projects/${id}/comments`)).total).toBe(0);
    expect(await directory.read(id)).toMatchObject({ comments_count: 0 });
    expect(await remove(id, first.id, ada)).toMatchObject(NOT_FOUND);
    expect(await change(id, first.id, ada, 'Again.')).toMatchObject(NOT_FOUND);
  });

  it('return 404 under another project', async () => {
    const [one, two] = [await directory.live(owner), await directory.live(owner)];
    const comment = await added(one.id, ada, 'Here.');
    expect(await change(two.id, comment.id, ada, 'There.')).toMatchObject(NOT_FOUND);
    expect(await remove(two.id, comment.id, directory.admin)).toMatchObject(NOT_FOUND);
    expect(await remove(one.id, unique('none'), directory.admin)).toMatchObject(NOT_FOUND);
    expect(await remove(one.id, comment.id, ada)).toMatchObject({ status: 200 });
  });

  it('are hidden while their project is not live', async () => {
    const { id } = await directory.live(owner);
    const comment = await added(id, ada, 'Here.');
    const status = (to: string) => directory.adminOk('PUT', `/api/admin/projects/${id}`, { status: to });
    await status('pending');
    expect(await directory.get(`/api/projects/${id}/comments`, directory.admin)).toMatchObject(NOT_FOUND);
    expect(await change(id, comment.id, ada, 'x')).toMatchObject(NOT_FOUND);
    expect(await remove(id, comment.id, directory.admin)).toMatchObject(NOT_FOUND);
    await status('live');
    expect(idsOf(await directory.get(`/api/projects/${id}/comments`))).toEqual([comment.id]);
  });

  it('require a JSON body', async () => {
    const { id } = await directory.live(owner);
    const post = (rawBody: string, type: string) =>
      server.call('POST', `/api/projects/${id}/comments`, {
        token: ada.token,
        rawBody,
        headers: { 'content-type': type },
      });
    expect(await post('{"content":', 'application/json')).toMatchObject(INVALID);
    expect(await post('content=hello', 'application/x-www-form-urlencoded')).toMatchObject({ status: 415 });
  });
});
