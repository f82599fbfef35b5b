import { afterEach, expect, it, vi } from 'vitest';
import { BANNED, Directory, dataOf, type Person, subjectOf, success, unique } from '#test/support/fixtures.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const WEEK_SECONDS = 7 * 86_400;
const END = new Date(Date.now() + 86_400_000).toISOString();

/** A user whose token outlives the bans. */
const registered = async (options: { admin?: boolean } = {}): Promise<Person> => {
  const user = { name: unique('Person'), email: `${unique('person')}@example.com` };
  const token = await server.token({ ...user, ...options, expires_in: WEEK_SECONDS });
  expect((await server.call('GET', '/api/user/profile', { token })).status).toBe(200);
  return { ...user, id: subjectOf(token), token };
};

const { server } = await ownDirectory();
const directory = await Directory.create(server, await registered({ admin: true }));

afterEach(() => vi.useRealTimers());

const endOfBan = (): void => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(END) });

const moderate = (user: Person, body: unknown, by: Person = directory.admin) =>
  directory.as(by, 'PUT', `/api/admin/users/${user.id}`, body);

const bannedIds = async (): Promise<string[]> =>
  dataOf<Person[]>(await directory.get('/api/admin/users?role=banned', directory.admin)).map(({ id }) => id);

const rename = (user: Person) => directory.as(user, 'PUT', '/api/user/profile', { name: 'Back' });

it('a ban with an end is over at that time, without any other change', async () => {
  const before = await bannedIds();
  const user = await registered();
  const ban = { is_banned: true, ban_reason: 'A pause.', ban_expires_at: END.replace('Z', '+00:00') };
  expect(await moderate(user, ban)).toMatchObject(
    success({ is_banned: true, ban_reason: 'A pause.', ban_expires_at: END }),
  );
  expect(await rename(user)).toMatchObject(BANNED);
  expect(await bannedIds()).toEqual([user.id, ...before]);

  endOfBan();
  expect(await bannedIds()).not.toContain(user.id);
  expect(await directory.get('/api/user/profile', user)).toMatchObject(
    success({ is_banned: false, ban_reason: null, ban_expires_at: null }),
  );
  expect((await rename(user)).status).toBe(200);
});

it('a later ban without an end does not end', async () => {
  const user = await registered();
  expect((await moderate(user, { is_banned: true, ban_expires_at: END })).status).toBe(200);
  endOfBan();
  expect((await moderate(user, { is_banned: true })).status).toBe(200);
  expect(await rename(user)).toMatchObject(BANNED);
  expect(await moderate(user, { is_banned: false })).toMatchObject(success({ is_banned: false }));
  expect((await rename(user)).status).toBe(200);
});

it('a change of another field keeps the end, null removes it, and a ban that has ended stays lifted', async () => {
  const user = await registered();
  expect((await moderate(user, { is_banned: true, ban_expires_at: END })).status).toBe(200);
  expect(await moderate(user, { is_banned: true, ban_reason: 'Why.' })).toMatchObject(success({ ban_expires_at: END }));
  expect(await moderate(user, { ban_expires_at: null })).toMatchObject(
    success({ is_banned: true, ban_expires_at: null }),
  );
  expect((await moderate(user, { ban_expires_at: END })).status).toBe(200);
  endOfBan();
  expect(await moderate(user, { role: 'moderator' })).toMatchObject(
    success({ role: 'moderator', is_banned: false, ban_expires_at: null }),
  );
  expect((await rename(user)).status).toBe(200);
});

it('a banned administrator has the rights again after the end', async () => {
  const [admin, user] = [await registered({ admin: true }), await registered()];
  expect((await moderate(admin, { is_banned: true, ban_expires_at: END })).status).toBe(200);
  expect(await moderate(user, { role: 'moderator' }, admin)).toMatchObject(BANNED);
  endOfBan();
  expect(await moderate(user, { role: 'moderator' }, admin)).toMatchObject({ status: 200 });
});
