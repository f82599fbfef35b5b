import { expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import type { AdminUser, User, UserDossier } from '#contract/users.ts';
import {
  BANNED,
  conflict,
  dataOf,
  FORBIDDEN,
  idsOf,
  invalidAt,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  success,
  TIME,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();
const { admin } = directory;

/** A user who has made a request. */
const registered = async (options: { admin?: boolean; name?: string } = {}): Promise<Person> => {
  const user = await person(server, options);
  await directory.ok(user, 'GET', '/api/user/profile');
  return user;
};

const ALL_NOTIFICATIONS = {
  submission_received: true,
  payment_received: true,
  promotion_ending: true,
  weekly_digest: true,
  follow_digest: true,
};

it('the profile of a user is created by the first request with a verified token', async () => {
  const user = await person(server);
  const response = await directory.ok(user, 'GET', '/api/user/profile');
  expect(response.body).toEqual({
    data: {
      id: user.id,
      email: user.email,
      email_verified: true,
      name: user.name,
      avatar_url: null,
      bio: null,
      website: null,
      role: 'user',
      is_admin: false,
      is_banned: false,
      ban_reason: null,
      ban_expires_at: null,
      joined_at: TIME,
      notifications: ALL_NOTIFICATIONS,
    },
  });
});

it('the profile of a user accepts a partial update and returns the whole record', async () => {
  const user = await person(server);
  const first = await directory.as(user, 'PUT', '/api/user/profile', {
    name: '  Ada  ',
    avatar_url: 'https://img.example.com/ada.png',
    bio: 'One.\r\nTwo.',
    website: 'https://ada.example.com',
  });
  const whole = {
    id: user.id,
    email: user.email,
    name: 'Ada',
    avatar_url: 'https://img.example.com/ada.png',
    bio: 'One.\nTwo.',
    website: 'https://ada.example.com',
    notifications: ALL_NOTIFICATIONS,
  };
  expect(first).toMatchObject(success(whole));
  const second = await directory.as(user, 'PUT', '/api/user/profile', { bio: '', website: null });
  expect(second).toMatchObject(success({ ...whole, bio: null, website: null }));
  expect((await directory.get('/api/user/profile', user)).body).toEqual(second.body);
});

it('the profile of a user ignores address, role and bans in an update', async () => {
  const user = await person(server);
  const response = await directory.as(user, 'PUT', '/api/user/profile', {
    id: 'x',
    email: 'other@example.com',
    role: 'admin',
    is_admin: true,
    is_banned: true,
    comment_count: 9,
    joined_at: '2000-01-01T00:00:00.000Z',
  });
  expect(response).toMatchObject(
    success({ id: user.id, email: user.email, role: 'user', is_admin: false, is_banned: false }),
  );
  expect(await directory.get('/api/admin/users', user)).toMatchObject(FORBIDDEN);
});

it.each([
  ['avatar_url', 'javascript:alert(1)'],
  ['website', 'ftp://example.com'],
])('the profile of a user rejects an invalid %s', async (field, value) => {
  const user = await person(server);
  const response = await directory.as(user, 'PUT', '/api/user/profile', { name: 'Rejected', [field]: value });
  expect(response).toMatchObject(invalidAt(field));
  expect(await directory.get('/api/user/profile', user)).toMatchObject(success({ name: user.name }));
});

longTest('the profile of a user loses no update when parts are changed concurrently', async () => {
  const user = await person(server);
  const project = await directory.live(user);
  const responses = await Promise.all([
    directory.as(user, 'PUT', '/api/user/profile', { name: 'New' }),
    directory.as(user, 'PUT', '/api/user/profile', { bio: 'Words.' }),
    directory.as(user, 'PUT', '/api/user/settings', { notifications: { weekly_digest: false } }),
    directory.as(user, 'POST', `/api/projects/${project.id}/comments`, { content: 'Concurrent.' }),
    directory.as(admin, 'PUT', `/api/admin/users/${user.id}`, { role: 'moderator' }),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 201, 200]);
  expect(await directory.get('/api/user/profile', user)).toMatchObject(
    success({
      name: 'New',
      bio: 'Words.',
      role: 'moderator',
      notifications: { ...ALL_NOTIFICATIONS, weekly_digest: false },
    }),
  );
  expect(await listedUser(user)).toMatchObject({ comment_count: 1, project_count: 1 });
});

longTest('the profile of a user is shown beside comments in its current state', async () => {
  const user = await person(server);
  const project = await directory.live(user);
  await directory.ok(user, 'POST', `/api/projects/${project.id}/comments`, { content: 'Mine.' }, 201);
  const renamed = { name: 'Renamed', avatar_url: 'https://img.example.com/1.png' };
  await directory.ok(user, 'PUT', '/api/user/profile', renamed);
  expect(await directory.get(`/api/projects/${project.id}/comments`)).toMatchObject(
    success([{ user: { id: user.id, name: 'Renamed', avatar_url: 'https://img.example.com/1.png' } }]),
  );
});

it('the settings of a user have all notifications on by default and keep those that an update omits', async () => {
  const user = await person(server);
  expect((await directory.get('/api/user/settings', user)).body).toEqual({
    data: { notifications: ALL_NOTIFICATIONS },
  });
  const response = await directory.as(user, 'PUT', '/api/user/settings', {
    notifications: { promotion_ending: false },
  });
  const notifications = { ...ALL_NOTIFICATIONS, promotion_ending: false };
  expect(response).toMatchObject({ status: 200 });
  expect(response.body).toEqual({ data: { notifications } });
  expect((await directory.get('/api/user/settings', user)).body).toEqual({ data: { notifications } });
  const put = (given: object) => directory.as(user, 'PUT', '/api/user/settings', { notifications: given });
  expect(await put({ moderation: false })).toMatchObject(success({ notifications }));
});

// The server is shared, so the settings of the site stay as they are.
const cases: readonly (readonly [route: string, prepare: (owner: Person) => Promise<string>, body: object])[] = [
  ['users.updateProfile', async () => '/api/user/profile', { bio: 'One.' }],
  ['users.updateSettings', async () => '/api/user/settings', { notifications: { weekly_digest: false } }],
  ['projects.update', async (owner) => `/api/projects/${(await directory.live(owner)).id}`, { tags: ['one'] }],
  [
    'drafts.update',
    async (owner) => {
      const created = await directory.as(owner, 'POST', '/api/me/drafts', { content: {} });
      return `/api/me/drafts/${dataOf<{ id: string }>(created).id}`;
    },
    { content: {} },
  ],
  ['settings.updateLayout', async () => '/api/admin/layout', {}],
  ['settings.updateTheme', async () => '/api/admin/theme', {}],
  ['settings.updateMap', async () => '/api/admin/map', {}],
  ['settings.updateSite', async () => '/api/admin/site', {}],
  [
    'webhooks.update',
    async (owner) => {
      const body = { url: 'https://93.184.216.34/hook', kinds: ['projectApproved'], is_active: false };
      const created = await directory.as(owner, 'POST', '/api/admin/webhooks', body);
      return `/api/admin/webhooks/${dataOf<{ id: string }>(created).id}`;
    },
    { description: 'Both.' },
  ],
];

it('a PUT of a record that has a GET is in this list', () => {
  const readable = new Set(routes.filter(({ method }) => method === 'GET').map(({ path }) => path));
  const both = routes.filter(({ method, path }) => method === 'PUT' && readable.has(path)).map(({ id }) => id);
  // The GET adds records of other kinds to the one that this PUT returns.
  const others = ['users.update'];
  expect(both.toSorted()).toEqual([...cases.map(([id]) => id), ...others].toSorted());
});

it.each(cases)('a PUT of a record that has a GET returns what the GET returns: %s', async (_id, prepare, body) => {
  const owner = await registered({ admin: true });
  const path = await prepare(owner);
  const put = await directory.ok(owner, 'PUT', path, body);
  expect(put.body).toEqual((await directory.get(path, owner)).body);
});

longTest('votes and ratings of the caller are returned under each requested reference', async () => {
  const user = await person(server);
  const [voted, rated, none] = [await directory.live(admin), await directory.live(admin), await directory.live(admin)];
  await directory.ok(user, 'POST', `/api/projects/${voted.id}/upvote`);
  await directory.ok(user, 'POST', `/api/projects/${rated.id}/ratings`, { rating: 4 });
  const ids = [voted.id, voted.slug, rated.slug, none.id, 'no-such-thing', 'prj_nonsense', '__proto__'];
  const response = await directory.ok(user, 'GET', `/api/user/votes?ids=${ids.join(',')}`);
  const states = dataOf<Record<string, unknown>>(response);
  const others = ['__proto__', 'bookmarked'];
  expect(Object.entries(states).filter(([name]) => !others.includes(name))).toEqual([
    [voted.id, { upvoted: true, rating: null }],
    [voted.slug, { upvoted: true, rating: null }],
    [rated.slug, { upvoted: false, rating: 4 }],
    [none.id, { upvoted: false, rating: null }],
    ['no-such-thing', { upvoted: false, rating: null }],
    ['prj_nonsense', { upvoted: false, rating: null }],
  ]);
});

it('votes and ratings of the caller are limited to 100 references, and empty for none', async () => {
  const user = await person(server);
  const ids = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`).join(',');
  const states = dataOf<object>(await directory.get(`/api/user/votes?ids=${ids(100)}`, user));
  expect(Object.keys(states).filter((name) => name !== 'bookmarked')).toHaveLength(100);
  expect(await directory.get(`/api/user/votes?ids=${ids(101)}`, user)).toMatchObject(invalidAt('ids'));
  expect(await directory.get('/api/user/votes', user)).toMatchObject(invalidAt('ids'));
  expect(await directory.get(`/api/user/votes?ids=${'x'.repeat(201)}`, user)).toMatchObject(invalidAt('ids', 0));
  expect(await directory.get('/api/user/votes?ids=', user)).toMatchObject(success({}));
});

const listUsers = async (query: string) => await directory.get(`/api/admin/users?${query}`, admin);
const listedUser = async (user: Person): Promise<AdminUser | undefined> =>
  dataOf<AdminUser[]>(await listUsers(`q=${encodeURIComponent(user.email)}`)).find(({ id }) => id === user.id);

longTest('the list of users has exact counts for fifty users after comments, submissions and deletions', async () => {
  const word = unique('crowd');
  const crowd: Person[] = [];
  for (let n = 0; n < 50; n += 1) crowd.push(await person(server, { name: `${word} ${n}` }));
  const seenFirst = await Promise.all(crowd.map((user) => directory.get('/api/user/profile', user)));
  expect(seenFirst.every(({ status }) => status === 200)).toBe(true);
  const project = await directory.live(admin);
  const comments = new Map(crowd.map(({ id }) => [id, 0]));
  const projects = new Map(crowd.map(({ id }) => [id, 0]));
  const written: { user: Person; id: string }[] = [];
  await Promise.all(
    crowd.flatMap((user, n) =>
      Array.from({ length: n % 4 }, async () => {
        const response = await directory.ok(
          user,
          'POST',
          `/api/projects/${project.id}/comments`,
          { content: 'Hm.' },
          201,
        );
        written.push({ user, id: dataOf<{ id: string }>(response).id });
        comments.set(user.id, (comments.get(user.id) ?? 0) + 1);
      }),
    ),
  );
  for (const [n, user] of crowd.entries()) {
    if (n % 5 === 0) {
      const { id } = await directory.submit(user);
      projects.set(user.id, 1);
      if (n % 10 === 0) {
        await directory.ok(user, 'DELETE', `/api/projects/${id}`);
        projects.set(user.id, 0);
      }
    }
  }
  await Promise.all(
    written.slice(0, 20).map(async ({ user, id }, n) => {
      const path = `/api/projects/${project.id}/comments/${id}`;
      await directory.ok(n % 2 ? user : admin, 'DELETE', path);
      comments.set(user.id, (comments.get(user.id) ?? 0) - 1);
    }),
  );

  const seen = dataOf<AdminUser[]>(await listUsers(`q=${word.toUpperCase()}&limit=100`));
  expect(seen).toHaveLength(50);
  expect(new Map(seen.map((user) => [user.id, user.comment_count]))).toEqual(comments);
  expect(new Map(seen.map((user) => [user.id, user.project_count]))).toEqual(projects);

  // Purging a project decrements the counters of the authors of its comments.
  await directory.adminOk('DELETE', `/api/admin/projects/${project.id}`);
  await server.until(async () =>
    dataOf<AdminUser[]>(await listUsers(`q=${word}&limit=100`)).every(({ comment_count }) => comment_count === 0),
  );
});

it('the list of users searches name and address without regard to case and accents', async () => {
  const word = unique('zoe').replace('zoe', 'zoé');
  const user = await registered({ name: `Zoë Straße ${word}` });
  const names = [word, word.toUpperCase(), word.replace('é', 'e'), `strasse ${word}`];
  for (const q of [...names, user.email.toUpperCase(), user.email.slice(0, -4)]) {
    expect([q, idsOf(await listUsers(`q=${encodeURIComponent(q)}`))]).toEqual([q, [user.id]]);
  }
  expect(idsOf(await listUsers(`q=${encodeURIComponent(`${word} ${user.email}`)}`))).toEqual([]);
  expect(metaOf(await listUsers('q=%20')).total).toBe(metaOf(await listUsers('')).total);
});

it('the list of users filters by role and by ban', async () => {
  const word = unique('roles');
  const [plain, moderator, boss, banned] = (await Promise.all(
    ['plain', 'moderator', 'boss', 'banned'].map((name) => registered({ name: `${word} ${name}` })),
  )) as [Person, Person, Person, Person];
  await directory.adminOk('PUT', `/api/admin/users/${moderator.id}`, { role: 'moderator' });
  await directory.adminOk('PUT', `/api/admin/users/${boss.id}`, { role: 'admin' });
  await directory.adminOk('PUT', `/api/admin/users/${banned.id}`, { is_banned: true });
  const ids = async (role: string) => idsOf(await listUsers(`q=${word}&role=${role}`)).toSorted();
  expect(await ids('user')).toEqual([plain.id, banned.id].toSorted());
  expect(await ids('moderator')).toEqual([moderator.id]);
  expect(await ids('admin')).toEqual([boss.id]);
  expect(await ids('banned')).toEqual([banned.id]);
});

const moderate = (user: Person, body: object, by: Person = admin) =>
  directory.as(by, 'PUT', `/api/admin/users/${user.id}`, body);

const read = (user: Person) => directory.get(`/api/admin/users/${user.id}`, admin);

longTest('the dossier of a user has counts by status and the newest records of each kind', async () => {
  const user = await registered();
  for (let n = 0; n < 10; n += 1) await directory.submit(user);
  const [live, rejected, deleted] = [
    await directory.live(user),
    await directory.project('rejected', user),
    await directory.project('deleted', user),
  ];
  const comments: string[] = [];
  for (let n = 0; n < 12; n += 1) {
    const body = { content: `Comment ${n}.` };
    const response = await directory.as(user, 'POST', `/api/projects/${live.id}/comments`, body);
    comments.unshift(dataOf<{ id: string }>(response).id);
  }
  const others = await directory.live(admin);
  const report = await directory.as(user, 'POST', `/api/projects/${others.id}/report`, { reason: 'Broken.' });

  const updated = await moderate(user, {});
  await server.until(async () => dataOf<UserDossier>(await read(user)).comments.length === 10);
  const dossier = dataOf<UserDossier>(await read(user));
  expect(dossier).toMatchObject({
    ...dataOf<AdminUser>(updated),
    project_count: 12,
    comment_count: 12,
    counts: { live: 1, pending: 10, rejected: 1, deleted: 1 },
    reports: [dataOf(report)],
    payments: [],
  });
  expect(dossier.comments.map(({ id }) => id)).toEqual(comments.slice(0, 10));
  expect(dossier.comments[0]).toEqual({
    id: comments[0],
    project_id: live.id,
    content: 'Comment 11.',
    created_at: TIME,
    updated_at: TIME,
  });
  expect(dossier.submissions).toHaveLength(10);
  expect(dossier.submissions.slice(0, 3).map(({ id, status, deleted_at }) => [id, status, deleted_at])).toEqual([
    [deleted.id, 'live', TIME],
    [rejected.id, 'rejected', null],
    [live.id, 'live', null],
  ]);
});

it('the dossier of a user returns 404 for an unknown or erased user', async () => {
  expect(await directory.get('/api/admin/users/unknown', admin)).toMatchObject(NOT_FOUND);
  const user = await registered();
  await directory.ok(user, 'DELETE', '/api/user');
  expect(await read(user)).toMatchObject(NOT_FOUND);
});

it('moderation of users keeps role and is_admin consistent and takes effect immediately', async () => {
  const user = await registered();
  expect(await directory.get('/api/admin/users', user)).toMatchObject(FORBIDDEN);
  for (const [change, role, status] of [
    [{ is_admin: true }, 'admin', 200],
    [{ is_admin: false }, 'user', 403],
    [{ role: 'admin' }, 'admin', 200],
    [{ role: 'moderator' }, 'moderator', 403],
    [{ is_admin: false }, 'moderator', 403],
    [{ role: 'admin', is_admin: true }, 'admin', 200],
    [{}, 'admin', 200],
  ] as const) {
    const data = { role, is_admin: role === 'admin', project_count: 0, comment_count: 0 };
    expect(await moderate(user, change)).toMatchObject(success(data));
    expect(await directory.get('/api/admin/users', user)).toMatchObject({ status });
  }
});

it.each([
  [{ is_admin: true, role: 'user' }, 'role'],
  [{ is_admin: false, role: 'admin' }, 'role'],
  [{ is_admin: true, role: 'moderator' }, 'role'],
  [{ is_banned: false, ban_reason: 'Because.' }, 'ban_reason'],
  [{ is_banned: true, ban_expires_at: '2020-01-01T00:00:00Z' }, 'ban_expires_at'],
  [{ is_banned: false, ban_expires_at: '2999-01-01T00:00:00Z' }, 'ban_expires_at'],
  [{ ban_expires_at: '2999-01-01T00:00:00Z' }, 'ban_expires_at'],
])('moderation of users rejects %j and changes nothing', async (body, field) => {
  const user = await registered();
  const before = await listedUser(user);
  expect(await moderate(user, body)).toMatchObject(invalidAt(field));
  expect(await listedUser(user)).toEqual(before);
});

it('moderation of users bans from writing with a reason, publishes one event, and allows reading', async () => {
  const user = await registered();
  const project = await directory.live(user);
  const response = await moderate(user, { is_banned: true, ban_reason: 'Spam.' });
  expect(response).toMatchObject(success({ is_banned: true, ban_reason: 'Spam.' }));
  const banned = { status: 403, body: { ...BANNED.body, reason: 'Spam.' } };
  const comments = `/api/projects/${project.id}/comments`;
  expect(await directory.as(user, 'POST', comments, { content: 'No.' })).toMatchObject(banned);
  expect(await directory.as(user, 'PUT', '/api/user/profile', { name: 'No' })).toMatchObject(banned);
  await directory.ok(user, 'GET', '/api/user/export');
  expect(await directory.ok(user, 'GET', '/api/user/profile')).toMatchObject(success({ is_banned: true }));

  expect((await moderate(user, { ban_reason: 'Much spam.' })).status).toBe(200);
  expect(await moderate(user, { is_banned: false })).toMatchObject(success({ is_banned: false, ban_reason: null }));
  await directory.ok(user, 'PUT', '/api/user/profile', { name: 'Back' });
  const leaving = await registered();
  expect((await moderate(leaving, { is_banned: true })).status).toBe(200);
  await directory.ok(leaving, 'DELETE', '/api/user');
  // The subject stays blocked.
  expect(await directory.get('/api/user/profile', leaving)).toMatchObject(UNAUTHORIZED);
  // Events are published in order: once the next ban has been published, the earlier ones have been too.
  const later = await registered();
  expect((await moderate(later, { is_banned: true })).status).toBe(200);
  const bans = async () =>
    (await server.events())
      .filter(({ kind }) => kind === 'userBanned')
      .map(({ data, actor_id }) => ({ data, actor_id }));
  await server.until(async () => (await bans()).some(({ data }) => (data as { user_id: string }).user_id === later.id));
  expect((await bans()).filter(({ data }) => (data as { user_id: string }).user_id === user.id)).toEqual([
    { data: { user_id: user.id, reason: 'Spam.' }, actor_id: admin.id },
  ]);
});

it('moderation of users returns 409 when administrators revoke or ban themselves', async () => {
  for (const body of [{ is_admin: false }, { role: 'user' }, { role: 'moderator' }, { is_banned: true }]) {
    expect(await moderate(admin, body)).toMatchObject(conflict('SELF_CHANGE'));
  }
  expect(await moderate(admin, { is_admin: true, role: 'admin', is_banned: false })).toMatchObject({ status: 200 });
  await directory.ok(admin, 'GET', '/api/admin/users');
});

it('moderation of users loses no update when two administrators change a user concurrently', async () => {
  const other = await registered({ admin: true });
  const user = await registered();
  const responses = await Promise.all([
    moderate(user, { role: 'moderator' }),
    moderate(user, { is_banned: true, ban_reason: 'Both.' }, other),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect(await listedUser(user)).toMatchObject({ role: 'moderator', is_banned: true, ban_reason: 'Both.' });
});

it('the address of a user is not shown to others', async () => {
  const user = await registered();
  const project = await directory.live(user);
  await directory.ok(user, 'POST', `/api/projects/${project.id}/comments`, { content: 'Here.' }, 201);
  for (const path of [`/api/projects/${project.id}`, `/api/projects/${project.id}/comments`, '/api/projects']) {
    expect(JSON.stringify((await directory.get(path)).body)).not.toContain(user.email);
  }
  expect(dataOf<User>(await directory.get('/api/user/profile', user)).email).toBe(user.email);
});

const remove = (who: Person, id: string, query = '') => directory.as(who, 'DELETE', `/api/admin/users/${id}${query}`);

longTest(
  'the erasure by an administrator deletes what the erasure by the user deletes, and rejects their token',
  async () => {
    const user = await registered();
    const { id: own } = await directory.live(user);
    const { id: voted } = await directory.live(admin);
    await directory.ok(user, 'POST', `/api/projects/${voted}/upvote`);
    expect(await remove(admin, user.id, '?projects=delete')).toMatchObject(success({ id: user.id, erased_at: TIME }));
    expect(await directory.get('/api/user/profile', user)).toMatchObject(UNAUTHORIZED);
    await server.until(async () => (await directory.read(voted)).upvote_count === 0);
    await server.until(async () => (await directory.get(`/api/projects/${own}`, admin)).status === 404);
    for (const query of ['', '?projects=some']) expect(await remove(admin, user.id, query)).toMatchObject(NOT_FOUND);
  },
);

it('the erasure by an administrator keeps the projects by default, and leaves no trace of the user in the ledgers', async () => {
  const user = await registered();
  const { id: own } = await directory.live(user);
  await remove(admin, user.id);
  await directory.ok(undefined, 'GET', `/api/projects/${own}`);
  await server.until(async () => {
    const { body } = await directory.get(`/api/admin/audit?subject=user:${user.id}`, admin);
    return dataOf<unknown[]>({ body }).length === 0 || !JSON.stringify(body).includes(user.id);
  });
});

it('the erasure by an administrator is not for oneself, and of two administrators who erase each other one remains', async () => {
  const [one, other] = [await registered({ admin: true }), await registered({ admin: true })];
  expect(await remove(one, one.id)).toMatchObject(conflict('SELF_CHANGE'));
  const statuses = (await Promise.all([remove(one, other.id), remove(other, one.id)])).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 403]);
  expect(await remove(admin, one.id, '?projects=some')).toMatchObject(
    statuses[0] === 200 ? invalidAt('projects') : NOT_FOUND,
  );
  expect(await remove(await registered(), admin.id)).toMatchObject(FORBIDDEN);
});
