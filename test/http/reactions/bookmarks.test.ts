import { describe, expect, it } from 'vitest';
import { BOOKMARKS_MAX } from '#contract/bookmarks.ts';
import { bookmarkCountKey, bookmarkKey } from '#data/keys.ts';
import { putItems, updateItem } from '#data/write.ts';
import {
  conflict,
  dataOf,
  idsOf,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  success,
  UNAUTHORIZED,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();
const owner = await person(server);

const mark = (method: 'PUT' | 'DELETE', reference: string, who: Person) =>
  directory.as(who, method, `/api/projects/${reference}/bookmark`);
const bookmarked = (value: boolean) => success({ bookmarked: value });
const listed = async (who: Person, query = '') => await directory.ok(who, 'GET', `/api/me/bookmarks${query}`);

describe('a bookmark', () => {
  it('is set by PUT and removed by DELETE, by id or slug, both repeatable', async () => {
    const user = await person(server);
    const { id, slug } = await directory.live(owner);
    expect(await mark('DELETE', id, user)).toMatchObject(bookmarked(false));
    for (const reference of [id, slug]) expect(await mark('PUT', reference, user)).toMatchObject(bookmarked(true));
    expect(await directory.read(id, user)).toMatchObject({ viewer: { bookmarked: true } });
    for (const reference of [slug, id]) expect(await mark('DELETE', reference, user)).toMatchObject(bookmarked(false));
    expect(await directory.read(id, user)).toMatchObject({ viewer: { bookmarked: false } });
  });

  it('is private: others see neither it nor a trace of it', async () => {
    const user = await person(server);
    const { id } = await directory.live(owner);
    const before = await directory.read(id);
    await mark('PUT', id, user);
    expect(await directory.read(id)).toEqual(before);
    for (const other of [owner, directory.admin]) {
      expect(await directory.read(id, other)).toMatchObject({ viewer: { bookmarked: false } });
      expect(idsOf(await listed(other))).not.toContain(id);
    }
  });

  it.each(['pending', 'rejected', 'deleted'] as const)('cannot be set for a listing that is %s', async (state) => {
    const user = await person(server);
    const { id } = await directory.project(state, owner);
    for (const who of [user, owner]) expect(await mark('PUT', id, who)).toMatchObject(NOT_FOUND);
  });

  longTest('is removed when the listing is no longer live or purged, repeatably while the listing exists', async () => {
    const user = await person(server);
    const [unlisted, purged] = [await directory.live(owner), await directory.live(owner)];
    for (const { id } of [unlisted, purged]) await mark('PUT', id, user);
    await directory.adminOk('DELETE', `/api/projects/${unlisted.id}`);
    await directory.adminOk('DELETE', `/api/projects/${purged.id}`);
    await directory.adminOk('DELETE', `/api/admin/projects/${purged.id}`);
    for (const id of [unlisted.id, unlisted.id, purged.id]) {
      expect(await mark('DELETE', id, user)).toMatchObject(bookmarked(false));
    }
    expect(await mark('DELETE', purged.id, user)).toMatchObject(NOT_FOUND);
  });

  it('cannot be removed from what was never public: the listing stays unknown', async () => {
    const { id } = await directory.project('pending', owner);
    expect(await mark('DELETE', id, await person(server))).toMatchObject(NOT_FOUND);
    expect(await mark('DELETE', id, owner)).toMatchObject(bookmarked(false));
  });
});

describe('the list of bookmarks', () => {
  it('has the live ones, the last bookmarked first, in pages', async () => {
    const user = await person(server);
    const projects = [];
    for (let n = 0; n < 3; n += 1) projects.push(await directory.live(owner));
    const [first, second, third] = projects.map(({ id }) => id) as [string, string, string];
    for (const id of [second, third, first, second]) await mark('PUT', id, user);
    expect(idsOf(await listed(user))).toEqual([first, third, second]);
    const page = await listed(user, '?page=2&limit=2');
    expect([idsOf(page), metaOf(page)]).toEqual([[second], { total: 3, page: 2, pageSize: 2, hasMore: false }]);
    await directory.adminOk('DELETE', `/api/projects/${third}`);
    expect(idsOf(await listed(user))).toEqual([first, second]);
    await directory.adminOk('POST', '/api/admin/projects/bulk', { action: 'restore', ids: [third] });
    expect(idsOf(await listed(user))).toEqual([first, third, second]);
  });

  it('names those of a page of votes', async () => {
    const user = await person(server);
    const [marked, other] = [await directory.live(owner), await directory.live(owner)];
    await mark('PUT', marked.id, user);
    const ids = [marked.slug, other.id, marked.id, 'bookmarked'].join(',');
    const votes = dataOf<Record<string, unknown>>(await directory.ok(user, 'GET', `/api/user/votes?ids=${ids}`));
    expect(votes.bookmarked).toEqual([marked.id]);
    expect(votes[other.id]).toEqual({ upvoted: false, rating: null });
  });
});

describe('the limit of bookmarks', () => {
  const fill = async (user: Person, projectIds: readonly string[]) => {
    await putItems(
      projectIds.map((project_id) => ({
        ...bookmarkKey(user.id, project_id),
        ...{ type: 'bookmark', user_id: user.id, project_id, created_at: '2026-01-01T00:00:00.000Z' },
      })),
    );
    await updateItem(bookmarkCountKey(user.id), { add: { bookmarks: projectIds.length } });
  };

  longTest('holds under concurrent requests', async () => {
    const user = await person(server);
    const projects = await Promise.all(Array.from({ length: 4 }, () => directory.live(owner)));
    await updateItem(bookmarkCountKey(user.id), { add: { bookmarks: 2_000 - 2 } });
    const responses = await Promise.all(projects.map(({ id }) => mark('PUT', id, user)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(2);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expect(response).toMatchObject(conflict('LIMIT_REACHED'));
    }
    const [first] = idsOf(await listed(user)) as [string];
    expect(await mark('PUT', first, user)).toMatchObject(bookmarked(true));
    const refused = projects.find((_, position) => responses[position]?.status !== 200)?.id as string;
    await mark('DELETE', first, user);
    expect(await mark('PUT', refused, user)).toMatchObject(bookmarked(true));
  });

  it('does not count those of purged listings', async () => {
    const user = await person(server);
    const purged = Array.from({ length: 30 }, (_, n) => `prj_purged${n}`);
    await fill(user, purged);
    await updateItem(bookmarkCountKey(user.id), { add: { bookmarks: BOOKMARKS_MAX - purged.length } });
    const { id } = await directory.live(owner);
    expect(await mark('PUT', id, user)).toMatchObject(bookmarked(true));
    expect(idsOf(await listed(user))).toEqual([id]);
  });
});

it('bookmarks are in the export of their owner and go with the erasure', async () => {
  const user = await person(server);
  const { id } = await directory.live(owner);
  await mark('PUT', id, user);
  const exported = dataOf<{ bookmarks: object[] }>(await directory.ok(user, 'GET', '/api/user/export'));
  expect(exported.bookmarks).toMatchObject([{ user_id: user.id, project_id: id }]);
  await directory.ok(user, 'DELETE', '/api/user');
  expect(await mark('PUT', id, user)).toMatchObject(UNAUTHORIZED);
});

it('bookmarks go with a user whom an administrator removes', async () => {
  const user = await person(server);
  const { id } = await directory.live(owner);
  await mark('PUT', id, user);
  await directory.adminOk('DELETE', `/api/admin/users/${user.id}`);
  expect(await mark('PUT', id, user)).toMatchObject(UNAUTHORIZED);
});
