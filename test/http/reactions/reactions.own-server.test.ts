import { describe, expect, it } from 'vitest';
import type { Comment } from '#contract/comments.ts';
import type { CallResponse } from '#test/support/client.ts';
import {
  dataOf,
  FORBIDDEN,
  idOf,
  idsOf,
  invalidAt,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  success,
  TIME,
  unique,
} from '#test/support/fixtures.ts';
import { withClockAhead } from '#test/support/virtual-time.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const DAY_MS = 24 * 3600 * 1000;

const { server, directory } = await ownDirectory();
const owner = await person(server);
const [ada, bob] = await Promise.all([person(server), person(server)]);

describe('votes', () => {
  const vote = (method: string, id: string, who: Person) => directory.as(who, method, `/api/projects/${id}/upvote`);
  const voted = (upvoted: boolean, upvote_count: number) => ({ data: { upvoted, upvote_count } });

  it('are toggled by POST, which returns upvoted and upvote_count', async () => {
    const { id } = await directory.live(owner);
    const responses = [];
    for (const who of [ada, bob, ada, ada, bob]) responses.push(await vote('POST', id, who));
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
    const one = { data: { average_rating: 5, ratings_count: 1 } };
    const none = { average_rating: 0, ratings_count: 0 };
    for (const [who, body] of [
      [ada, one],
      [ada, one],
      [bob, { data: none }],
    ] as const)
      expect(await unrate(id, who)).toMatchObject({ status: 200, body });
    expect(await directory.read(id, ada)).toMatchObject({ ...none, viewer: { rating: null } });
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

  it('are returned with 201 and listed publicly in the same shape, with the role but not the email of the author', async () => {
    const { id } = await directory.live(owner);
    const response = await add(id, ada, 'Well done.');
    expect(response.status).toBe(201);
    const user = { id: ada.id, name: ada.name, avatar_url: null, role: 'user' };
    expect(dataOf(response)).toEqual({
      ...{ id: idOf('cmt'), project_id: id, content: 'Well done.', created_at: TIME, updated_at: TIME, user },
    });
    const byAdmin = dataOf<Comment>(await add(id, directory.admin, 'Thanks.'));
    expect(byAdmin).toMatchObject({ user: { id: directory.admin.id, role: 'admin' } });
    const listed = await directory.get(`/api/projects/${id}/comments`);
    const meta = { total: 2, page: 1, pageSize: 20, hasMore: false };
    expect(listed).toMatchObject({ status: 200, body: { data: [byAdmin, dataOf(response)], meta } });
    expect(JSON.stringify(listed.body)).not.toContain(directory.admin.email);
    expect(await directory.read(id)).toMatchObject({ comments_count: 2 });
  });

  it('are stored as plain text without bidirectional overrides and control characters other than newline and tab', async () => {
    const { id } = await directory.live(owner);
    const content = `<script>alert("1")</script> & 'quotes' \\ {{x}} RTL 日本 👩‍👩‍👧\nsecond\tline`;
    const withOverride = content.replace('RTL', '\u202eRTL');
    expect(await add(id, ada, withOverride)).toMatchObject(success({ content }, 201));
    const controls = 'a\u0000b\u0007c\u001b[31md\u007fe\u0085f\ng\th';
    expect(await add(id, ada, controls)).toMatchObject(success({ content: 'abc[31mdef\ng\th' }, 201));
    expect(await add(id, ada, '\u0000\u0001')).toMatchObject(invalidAt('content'));
    const listed = dataOf<Comment[]>(await directory.get(`/api/projects/${id}/comments`));
    expect(listed.map((comment) => comment.content)).toEqual(['abc[31mdef\ng\th', content]);
  });

  it('can be changed by their author only', async () => {
    const { id } = await directory.live(owner);
    const comment = await added(id, ada, 'Before.');
    for (const who of [bob, owner, directory.admin]) {
      for (const content of ['Not mine.', '']) {
        expect(await change(id, comment.id, who, content)).toMatchObject(FORBIDDEN);
      }
    }
    const response = await change(id, comment.id, ada, ' After. ');
    expect(response).toMatchObject({ status: 200 });
    expect(dataOf(response)).toEqual({ ...comment, content: 'After.', updated_at: TIME });
    expect(dataOf<Comment>(response).updated_at > comment.updated_at).toBe(true);
    expect(dataOf(await directory.get(`/api/projects/${id}/comments`))).toEqual([dataOf(response)]);
    expect(await change(id, comment.id, ada, '')).toMatchObject(invalidAt('content'));
  });

  it('can be changed by their author for 24 hours', async () => {
    const { id } = await directory.live(owner);
    const comment = await added(id, ada, 'Old.');
    const token = await server.token({ email: ada.email, name: ada.name, expires_in: (2 * DAY_MS) / 1000 });
    const age = Date.now() - Date.parse(comment.created_at);
    const changeAtAge = (ms: number) =>
      withClockAhead(ms - age, () => change(id, comment.id, { ...ada, token }, 'New.'));
    const minute = 60_000;
    const changed = await changeAtAge(DAY_MS - minute);
    expect(changed).toMatchObject({ status: 200 });
    expect(dataOf(changed)).toMatchObject({ content: 'New.', created_at: comment.created_at });
    expect(await changeAtAge(DAY_MS + minute)).toMatchObject(FORBIDDEN);
  });

  it('can be deleted by their author and administrators only', async () => {
    const { id } = await directory.live(owner);
    const [first, second] = [await added(id, ada, 'One.'), await added(id, ada, 'Two.')];
    for (const who of [bob, owner]) expect(await remove(id, first.id, who)).toMatchObject(FORBIDDEN);
    expect(await remove(id, first.id, ada)).toMatchObject(success({ id: first.id }));
    expect(await remove(id, second.id, directory.admin)).toMatchObject(success({ id: second.id }));
    expect(metaOf(await directory.get(`/api/projects/${id}/comments`)).total).toBe(0);
    expect(await directory.read(id)).toMatchObject({ comments_count: 0 });
    expect(await remove(id, first.id, ada)).toMatchObject(NOT_FOUND);
    expect(await change(id, first.id, ada, 'Again.')).toMatchObject(NOT_FOUND);
  });

  it('of another project return 404', async () => {
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
});
