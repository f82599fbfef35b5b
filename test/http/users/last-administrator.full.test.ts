import { expect, it } from 'vitest';
import { ban, conflict, type Person, person, UNAUTHORIZED } from '#test/support/fixtures.ts';
import { ownServer } from '#test/support/with-directory.ts';

/** One active administrator always remains. The server has no administrators but those of the test. */

const server = await ownServer();

const erase = ({ token }: Person) => server.call('DELETE', '/api/user', { token });
const statusOf = async ({ token }: Person) => (await server.call('GET', '/api/admin/users', { token })).status;

it('the last administrator who is not banned can neither be erased, revoked nor banned', async () => {
  const [last, other] = [await person(server, { admin: true }), await person(server, { admin: true })];
  await ban(other);
  expect(await erase(last)).toMatchObject(conflict('SELF_CHANGE'));
  expect(await statusOf(last)).toBe(200);
  // A banned administrator does not count, and may leave.
  expect(await erase(other)).toMatchObject({ status: 200 });
  expect(await server.call('GET', '/api/user/profile', { token: other.token })).toMatchObject(UNAUTHORIZED);

  const body = { is_banned: true };
  const second = await person(server, { admin: true });
  const ofLast = { token: last.token, body };
  expect(await server.call('PUT', `/api/admin/users/${last.id}`, ofLast)).toMatchObject(conflict('SELF_CHANGE'));
  expect(await erase(last)).toMatchObject({ status: 200 });
  expect(await erase(second)).toMatchObject(conflict('SELF_CHANGE'));

  // Whatever the order of concurrent erasures, revocations and bans, one administrator remains.
  let remaining = second;
  for (const attempt of ['erase', 'revoke', 'ban'] as const) {
    const joined = await person(server, { admin: true });
    const pair = [remaining, joined] as const;
    const change = { token: joined.token, body: attempt === 'ban' ? body : { is_admin: false } };
    const responses = await Promise.all([
      attempt === 'erase' ? erase(remaining) : server.call('PUT', `/api/admin/users/${remaining.id}`, change),
      erase(joined),
    ]);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const statuses = await Promise.all(pair.map(statusOf));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    remaining = pair[statuses.indexOf(200)] ?? remaining;
  }
});
