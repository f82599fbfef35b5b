import { afterEach, expect, it, vi } from 'vitest';
import { now } from '#platform/clock.ts';
import { BANNED, type Directory, dataOf, type Person, person } from '#test/support/fixtures.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

vi.mock(import('#platform/clock.ts'), { spy: true });

let server: TestServer;
let directory: Directory;

withOwnServer((opened) => {
  ({ server, directory } = opened);
});

afterEach(() => {
  vi.mocked(now).mockReset();
});

const END = '2999-01-01T00:00:00.000Z';

const startOfBan = (): void => void vi.mocked(now).mockReturnValue('2998-12-31T23:59:59.999Z');
const endOfBan = (): void => void vi.mocked(now).mockReturnValue(END);

const moderate = (user: Person, body: unknown, by: Person = directory.admin) =>
  directory.as(by, 'PUT', `/api/admin/users/${user.id}`, body);

const registered = async (options?: Parameters<typeof person>[1]): Promise<Person> => {
  const user = await person(server, options);
  expect((await directory.get('/api/user/profile', user)).status).toBe(200);
  return user;
};

const bannedIds = async (): Promise<string[]> =>
  dataOf<Person[]>(await directory.get('/api/admin/users?role=banned', directory.admin)).map(({ id }) => id);

const rename = (user: Person) => directory.as(user, 'PUT', '/api/user/profile', { name: 'Back' });

it('a ban with an end is over at that time, without any other change', async () => {
  const user = await registered();
  startOfBan();
  const ban = { is_banned: true, ban_reason: 'A pause.', ban_expires_at: '2999-01-01T01:00:00+01:00' };
  expect(await moderate(user, ban)).toMatchObject({
    status: 200,
    body: { data: { is_banned: true, ban_reason: 'A pause.', ban_expires_at: END } },
  });
  expect(await rename(user)).toMatchObject(BANNED);
  expect(await bannedIds()).toEqual([user.id]);

  endOfBan();
  expect(await bannedIds()).toEqual([]);
  expect(await directory.get('/api/user/profile', user)).toMatchObject({
    body: { data: { is_banned: false, ban_reason: null, ban_expires_at: null } },
  });
  expect((await rename(user)).status).toBe(200);
});

it('a later ban without an end does not end', async () => {
  const user = await registered();
  startOfBan();
  expect((await moderate(user, { is_banned: true, ban_expires_at: END })).status).toBe(200);
  endOfBan();
  expect((await moderate(user, { is_banned: true })).status).toBe(200);
  expect(await rename(user)).toMatchObject(BANNED);
  expect(await moderate(user, { is_banned: false })).toMatchObject({ body: { data: { is_banned: false } } });
  expect((await rename(user)).status).toBe(200);
});

it('a change of another field keeps the end, null removes it, and a ban that has ended stays lifted', async () => {
  const user = await registered();
  startOfBan();
  expect((await moderate(user, { is_banned: true, ban_expires_at: END })).status).toBe(200);
  expect(await moderate(user, { is_banned: true, ban_reason: 'Why.' })).toMatchObject({
    body: { data: { ban_expires_at: END } },
  });
  expect(await moderate(user, { ban_expires_at: null })).toMatchObject({
    body: { data: { is_banned: true, ban_expires_at: null } },
  });
  expect((await moderate(user, { ban_expires_at: END })).status).toBe(200);
  endOfBan();
  expect(await moderate(user, { role: 'moderator' })).toMatchObject({
    body: { data: { role: 'moderator', is_banned: false, ban_expires_at: null } },
  });
  expect((await rename(user)).status).toBe(200);
});

it('a banned administrator has the rights again after the end', async () => {
  const [admin, user] = [await registered({ admin: true }), await registered()];
  startOfBan();
  expect((await moderate(admin, { is_banned: true, ban_expires_at: END })).status).toBe(200);
  expect(await moderate(user, { role: 'moderator' }, admin)).toMatchObject(BANNED);
  endOfBan();
  expect(await moderate(user, { role: 'moderator' }, admin)).toMatchObject({ status: 200 });
});
