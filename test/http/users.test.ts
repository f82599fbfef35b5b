import { describe, expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import type { AdminUser, User, UserDossier } from '#contract/users.ts';
import {
  BANNED,
  conflict,
  type Directory,
  dataOf,
  FORBIDDEN,
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
import { longTest } from '#test/support/long-test.ts';
import type { TestServer } from '#test/support/server.ts';
import { withDirectory } from '#test/support/with-directory.ts';

let server: TestServer;
let directory: Directory;
let admin: Person;

withDirectory((opened) => {
  ({ server, directory } = opened);
  admin = directory.admin;
});

/** A user who has made a request. */
const registered = async (options: { admin?: boolean; name?: string } = {}): Promise<Person> => {
  const user = await person(server, options);
  expect((await directory.get('/api/user/profile', user)).status).toBe(200);
  return user;
};

const ALL_NOTIFICATIONS = {
  submission_received: true,
  payment_received: true,
  promotion_ending: true,
  weekly_digest: true,
};

describe('the profile', () => {
  it('is created by the first request with a verified token', async () => {
    const user = await person(server);
    const response = await directory.get('/api/user/profile', user);
    expect(response).toMatchObject({ status: 200 });
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

  it('accepts a partial update and returns the whole record', async () => {
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
    expect(first).toMatchObject({ status: 200, body: { data: whole } });
    const second = await directory.as(user, 'PUT', '/api/user/profile', { bio: '', website: null });
    expect(second).toMatchObject({ status: 200, body: { data: { ...whole, bio: null, website: null } } });
    expect((await directory.get('/api/user/profile', user)).body).toEqual(second.body);
  });

  it('ignores address, role and bans in an update', async () => {
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
    expect(response).toMatchObject({
      status: 200,
      body: { data: { id: user.id, email: user.email, role: 'user', is_admin: false, is_banned: false } },
    });
    expect(await directory.get('/api/admin/users', user)).toMatchObject(FORBIDDEN);
  });

  it.each([
    ['name', 'x'.repeat(101)],
    ['name', 7],
    ['avatar_url', 'javascript:alert(1)'],
    ['avatar_url', 'nowhere'],
    ['bio', '🍺'.repeat(501)],
    ['website', 'ftp://example.com'],
    ['website', `https://example.com/${'x'.repeat(2040)}`],
  ])('rejects an invalid %s', async (field, value) => {
    const user = await person(server);
    const response = await directory.as(user, 'PUT', '/api/user/profile', { name: 'Rejected', [field]: value });
    expect(response).toMatchObject(invalidAt(field));
    expect(await directory.get('/api/user/profile', user)).toMatchObject({ body: { data: { name: user.name } } });
  });

  it('limits the bio by characters, not by code units', async () => {
    const user = await person(server);
    const bio = '🍺'.repeat(500);
    expect(await directory.as(user, 'PUT', '/api/user/profile', { bio })).toMatchObject({ body: { data: { bio } } });
  });

  longTest('loses no update when parts are changed concurrently', async () => {
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
    expect(await directory.get('/api/user/profile', user)).toMatchObject({
      body: {
        data: {
          name: 'New',
          bio: 'Words.',
          role: 'moderator',
          notifications: { ...ALL_NOTIFICATIONS, weekly_digest: false },
        },
      },
    });
    expect(await listedUser(user)).toMatchObject({ comment_count: 1, project_count: 1 });
  });

  it('is shown beside comments in its current state', async () => {
    const user = await person(server);
    const project = await directory.live(user);
    expect(
      (await directory.as(user, 'POST', `/api/projects/${project.id}/comments`, { content: 'Mine.' })).status,
    ).toBe(201);
    const renamed = { name: 'Renamed', avatar_url: 'https://img.example.com/1.png' };
    expect((await directory.as(user, 'PUT', '/api/user/profile', renamed)).status).toBe(200);
    expect(await directory.get(`/api/projects/${project.id}/comments`)).toMatchObject({
      body: { data: [{ user: { id: user.id, name: 'Renamed', avatar_url: 'https://img.example.com/1.png' } }] },
    });
  });
});

describe('the settings of a user', () => {
  it('have all notifications on by default and keep those that an update omits', async () => {
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
    expect(
      await directory.as(user, 'PUT', '/api/user/settings', { notifications: { moderation: false } }),
    ).toMatchObject({
      status: 200,
      body: { data: { notifications } },
    });
  });

  it.each([{ notifications: { weekly_digest: 'no' } }, { notifications: { weekly_digest: null } }])(
    'reject %j',
    async (body) => {
      const user = await person(server);
      expect(await directory.as(user, 'PUT', '/api/user/settings', body)).toMatchObject(
        invalidAt('notifications', 'weekly_digest'),
      );
    },
  );
});

it('counts writes of the own record on the tier auth, reads on general', async () => {
  const user = await person(server);
  const tier = async (method: string, path: string, body?: object) =>
    (await directory.as(user, method, path, body)).headers.get('ratelimit-policy')?.split(';')[0];
  expect(await tier('PUT', '/api/user/profile', {})).toBe('"auth"');
  expect(await tier('PUT', '/api/user/settings', {})).toBe('"auth"');
  expect(await tier('GET', '/api/user/profile')).toBe('"general"');
  expect(await tier('GET', '/api/user/votes?ids=a')).toBe('"general"');
  expect(await tier('DELETE', '/api/user')).toBe('"auth"');
});

describe('every PUT', () => {
  const project = { name: 'The same in both', tags: ['one'] };
  // The server is shared, so the settings of the site stay as they are.
  const cases: readonly (readonly [route: string, prepare: (owner: Person) => Promise<string>, body: object])[] = [
    ['users.updateProfile', async () => '/api/user/profile', { bio: 'One.' }],
    ['users.updateSettings', async () => '/api/user/settings', { notifications: { weekly_digest: false } }],
    ['projects.update', async (owner) => `/api/projects/${(await directory.live(owner)).id}`, project],
    ['settings.updateLayout', async () => '/api/admin/layout', {}],
    ['settings.updateTheme', async () => '/api/admin/theme', {}],
    ['settings.updateMap', async () => '/api/admin/map', {}],
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

  it('with a GET at its address is in this list', () => {
    const readable = new Set(routes.filter(({ method }) => method === 'GET').map(({ path }) => path));
    const both = routes.filter(({ method, path }) => method === 'PUT' && readable.has(path)).map(({ id }) => id);
    // The GET adds records of other kinds to the one that this PUT returns.
    const others = ['users.update'];
    expect(both.toSorted()).toEqual([...cases.map(([id]) => id), ...others].toSorted());
  });

  it.each(cases)('returns what GET of its address returns: %s', async (_id, prepare, body) => {
    const owner = await registered({ admin: true });
    const path = await prepare(owner);
    const put = await directory.as(owner, 'PUT', path, body);
    expect(put).toMatchObject({ status: 200 });
    expect(put.body).toEqual((await directory.get(path, owner)).body);
  });
});

describe('votes and ratings of the caller', () => {
  it('are returned under each requested reference', async () => {
    const user = await person(server);
    const [voted, rated, none] = [
      await directory.live(admin),
      await directory.live(admin),
      await directory.live(admin),
    ];
    expect((await directory.as(user, 'POST', `/api/projects/${voted.id}/upvote`)).status).toBe(200);
    expect((await directory.as(user, 'POST', `/api/projects/${rated.id}/ratings`, { rating: 4 })).status).toBe(200);
    const ids = [voted.id, voted.slug, rated.slug, none.id, 'no-such-thing', 'prj_nonsense', '__proto__'];
    const response = await directory.get(`/api/user/votes?ids=${ids.join(',')}`, user);
    expect(response.status).toBe(200);
    const states = dataOf<Record<string, unknown>>(response);
    expect(Object.entries(states).filter(([name]) => name !== '__proto__')).toEqual([
      [voted.id, { upvoted: true, rating: null }],
      [voted.slug, { upvoted: true, rating: null }],
      [rated.slug, { upvoted: false, rating: 4 }],
      [none.id, { upvoted: false, rating: null }],
      ['no-such-thing', { upvoted: false, rating: null }],
      ['prj_nonsense', { upvoted: false, rating: null }],
    ]);
  });

  it('are limited to 100 references, and empty for none', async () => {
    const user = await person(server);
    const ids = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`).join(',');
    expect(Object.keys(dataOf<object>(await directory.get(`/api/user/votes?ids=${ids(100)}`, user)))).toHaveLength(100);
    expect(await directory.get(`/api/user/votes?ids=${ids(101)}`, user)).toMatchObject(invalidAt('ids'));
    expect(await directory.get('/api/user/votes', user)).toMatchObject(invalidAt('ids'));
    expect(await directory.get(`/api/user/votes?ids=${'x'.repeat(201)}`, user)).toMatchObject(invalidAt('ids', 0));
    expect(await directory.get('/api/user/votes?ids=', user)).toMatchObject({ status: 200, body: { data: {} } });
  });
});

const listUsers = async (query: string) => await directory.get(`/api/admin/users?${query}`, admin);
const listedUser = async (user: Person): Promise<AdminUser | undefined> =>
  dataOf<AdminUser[]>(await listUsers(`q=${encodeURIComponent(user.email)}`)).find(({ id }) => id === user.id);

describe('the list of users', () => {
  longTest('has exact counts and totals for fifty users after comments, submissions and deletions', async () => {
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
          const response = await directory.as(user, 'POST', `/api/projects/${project.id}/comments`, { content: 'Hm.' });
          expect(response.status).toBe(201);
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
          expect((await directory.as(user, 'DELETE', `/api/projects/${id}`)).status).toBe(200);
          projects.set(user.id, 0);
        }
      }
    }
    await Promise.all(
      written.slice(0, 20).map(async ({ user, id }, n) => {
        const path = `/api/projects/${project.id}/comments/${id}`;
        expect((await directory.as(n % 2 ? user : admin, 'DELETE', path)).status).toBe(200);
        comments.set(user.id, (comments.get(user.id) ?? 0) - 1);
      }),
    );

    const seen: AdminUser[] = [];
    for (let page = 1; ; page += 1) {
      const response = await listUsers(`q=${word.toUpperCase()}&limit=20&page=${page}`);
      expect(metaOf(response)).toMatchObject({ total: 50, page, pageSize: 20 });
      seen.push(...dataOf<AdminUser[]>(response));
      if (!metaOf(response).hasMore) break;
    }
    expect(seen).toHaveLength(50);
    expect(new Map(seen.map((user) => [user.id, user.comment_count]))).toEqual(comments);
    expect(new Map(seen.map((user) => [user.id, user.project_count]))).toEqual(projects);
    const joined = seen.map(({ joined_at }) => joined_at);
    expect(joined).toEqual(joined.toSorted().toReversed());
    expect(idsOf(await listUsers(`q=${word}&page=9`))).toEqual([]);

    // Purging a project decrements the counters of the authors of its comments.
    await directory.adminOk('DELETE', `/api/admin/projects/${project.id}`);
    await server.until(async () =>
      dataOf<AdminUser[]>(await listUsers(`q=${word}&limit=100`)).every(({ comment_count }) => comment_count === 0),
    );
  });

  it('searches name and address without regard to case and accents', async () => {
    const word = unique('zoe').replace('zoe', 'zoé');
    const user = await registered({ name: `Zoë Straße ${word}` });
    for (const q of [
      word,
      word.toUpperCase(),
      word.replace('é', 'e'),
      `strasse ${word}`,
      user.email.toUpperCase(),
      user.email.slice(0, -4),
    ]) {
      expect([q, idsOf(await listUsers(`q=${encodeURIComponent(q)}`))]).toEqual([q, [user.id]]);
    }
    expect(idsOf(await listUsers(`q=${encodeURIComponent(`${word} ${user.email}`)}`))).toEqual([]);
    expect(metaOf(await listUsers('q=%20')).total).toBe(metaOf(await listUsers('')).total);
  });

  it('filters by role and by ban', async () => {
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
    expect(await listUsers('role=owner')).toMatchObject(invalidAt('role'));
    expect(await listUsers('limit=101')).toMatchObject(invalidAt('limit'));
    expect(await listUsers('page=0')).toMatchObject(invalidAt('page'));
    expect(await listUsers(`q=${'x'.repeat(101)}`)).toMatchObject(invalidAt('q'));
  });
});

const moderate = (user: Person, body: object, by: Person = admin) =>
  directory.as(by, 'PUT', `/api/admin/users/${user.id}`, body);

describe('a user as administrators read one', () => {
  const read = (user: Person) => directory.get(`/api/admin/users/${user.id}`, admin);

  longTest('has counts by status and the newest records of each kind', async () => {
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

  it('returns 404 for an unknown or erased user', async () => {
    expect(await directory.get('/api/admin/users/unknown', admin)).toMatchObject(NOT_FOUND);
    const user = await registered();
    expect((await directory.as(user, 'DELETE', '/api/user')).status).toBe(200);
    expect(await read(user)).toMatchObject(NOT_FOUND);
  });
});

describe('moderation of users', () => {
  it('keeps role and is_admin consistent and takes effect immediately', async () => {
    const user = await registered();
    expect(await directory.get('/api/admin/users', user)).toMatchObject(FORBIDDEN);
    expect(await moderate(user, { is_admin: true })).toMatchObject({
      status: 200,
      body: { data: { role: 'admin', is_admin: true } },
    });
    expect(await directory.get('/api/admin/users', user)).toMatchObject({ status: 200 });
    expect(await moderate(user, { is_admin: false })).toMatchObject({
      body: { data: { role: 'user', is_admin: false } },
    });
    expect(await directory.get('/api/admin/users', user)).toMatchObject(FORBIDDEN);
    expect(await moderate(user, { role: 'admin' })).toMatchObject({
      body: { data: { role: 'admin', is_admin: true } },
    });
    expect(await moderate(user, { role: 'moderator' })).toMatchObject({
      body: { data: { role: 'moderator', is_admin: false } },
    });
    expect(await moderate(user, { is_admin: false })).toMatchObject({
      body: { data: { role: 'moderator', is_admin: false } },
    });
    expect(await moderate(user, { role: 'admin', is_admin: true })).toMatchObject({
      body: { data: { role: 'admin', is_admin: true } },
    });
    expect(await moderate(user, {})).toMatchObject({
      status: 200,
      body: { data: { role: 'admin', project_count: 0, comment_count: 0 } },
    });
  });

  it.each([
    [{ is_admin: true, role: 'user' }, 'role'],
    [{ is_admin: false, role: 'admin' }, 'role'],
    [{ is_admin: true, role: 'moderator' }, 'role'],
    [{ is_banned: false, ban_reason: 'Because.' }, 'ban_reason'],
    [{ role: 'owner' }, 'role'],
    [{ is_admin: 'yes' }, 'is_admin'],
    [{ is_banned: 1 }, 'is_banned'],
    [{ ban_reason: 'x'.repeat(1001) }, 'ban_reason'],
    [{ is_banned: true, ban_expires_at: '2020-01-01T00:00:00Z' }, 'ban_expires_at'],
    [{ is_banned: true, ban_expires_at: 'tomorrow' }, 'ban_expires_at'],
    [{ is_banned: false, ban_expires_at: '2999-01-01T00:00:00Z' }, 'ban_expires_at'],
    [{ ban_expires_at: '2999-01-01T00:00:00Z' }, 'ban_expires_at'],
  ])('rejects %j and changes nothing', async (body, field) => {
    const user = await registered();
    const before = await listedUser(user);
    expect(await moderate(user, body)).toMatchObject(invalidAt(field));
    expect(await listedUser(user)).toEqual(before);
  });

  it('bans from writing with a reason, publishes one event, and allows reading', async () => {
    const user = await registered();
    const project = await directory.live(user);
    const response = await moderate(user, { is_banned: true, ban_reason: 'Spam.' });
    expect(response).toMatchObject({ status: 200, body: { data: { is_banned: true, ban_reason: 'Spam.' } } });
    const banned = { status: 403, body: { ...BANNED.body, reason: 'Spam.' } };
    expect(await directory.as(user, 'POST', `/api/projects/${project.id}/comments`, { content: 'No.' })).toMatchObject(
      banned,
    );
    expect(await directory.as(user, 'PUT', '/api/user/profile', { name: 'No' })).toMatchObject(banned);
    expect(await directory.get('/api/user/export', user)).toMatchObject({ status: 200 });
    expect(await directory.get('/api/user/profile', user)).toMatchObject({
      status: 200,
      body: { data: { is_banned: true } },
    });

    expect((await moderate(user, { ban_reason: 'Much spam.' })).status).toBe(200);
    expect(await moderate(user, { is_banned: false })).toMatchObject({
      body: { data: { is_banned: false, ban_reason: null } },
    });
    expect(await directory.as(user, 'PUT', '/api/user/profile', { name: 'Back' })).toMatchObject({ status: 200 });
    const leaving = await registered();
    expect((await moderate(leaving, { is_banned: true })).status).toBe(200);
    expect(await directory.as(leaving, 'DELETE', '/api/user')).toMatchObject({ status: 200 });
    // The subject stays blocked.
    expect(await directory.get('/api/user/profile', leaving)).toMatchObject(UNAUTHORIZED);
    // Events are published in order: once the next ban has been published, the earlier ones have been too.
    const later = await registered();
    expect((await moderate(later, { is_banned: true })).status).toBe(200);
    const bans = async () =>
      (await server.events())
        .filter(({ kind }) => kind === 'userBanned')
        .map(({ data, actor_id }) => ({ data, actor_id }));
    await server.until(async () =>
      (await bans()).some(({ data }) => (data as { user_id: string }).user_id === later.id),
    );
    expect((await bans()).filter(({ data }) => (data as { user_id: string }).user_id === user.id)).toEqual([
      { data: { user_id: user.id, reason: 'Spam.' }, actor_id: admin.id },
    ]);
  });

  it('returns 409 when administrators revoke or ban themselves', async () => {
    for (const body of [{ is_admin: false }, { role: 'user' }, { role: 'moderator' }, { is_banned: true }]) {
      expect(await moderate(admin, body)).toMatchObject(conflict('SELF_CHANGE'));
    }
    expect(await moderate(admin, { is_admin: true, role: 'admin', is_banned: false })).toMatchObject({ status: 200 });
    expect(await directory.get('/api/admin/users', admin)).toMatchObject({ status: 200 });
  });

  it('lets one of two administrators succeed who revoke or ban each other concurrently', async () => {
    for (const body of [{ is_admin: false }, { is_banned: true }]) {
      const [one, other] = [await registered({ admin: true }), await registered({ admin: true })];
      const responses = await Promise.all([moderate(one, body, other), moderate(other, body, one)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 403]);
    }
  });

  it('loses no update when two administrators change a user concurrently', async () => {
    const other = await registered({ admin: true });
    const user = await registered();
    const responses = await Promise.all([
      moderate(user, { role: 'moderator' }),
      moderate(user, { is_banned: true, ban_reason: 'Both.' }, other),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(await listedUser(user)).toMatchObject({ role: 'moderator', is_banned: true, ban_reason: 'Both.' });
  });

  it('returns the number of projects, without deleted ones', async () => {
    const user = await registered();
    await directory.submit(user);
    await directory.project('live', user);
    const { id } = await directory.project('live', user);
    await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
    const response = await directory.as(admin, 'PUT', `/api/admin/users/${user.id}`, { role: 'moderator' });
    expect(response).toMatchObject({ status: 200, body: { data: { project_count: 2 } } });
  });

  it('returns 404 for an unknown user', async () => {
    expect(await directory.as(admin, 'PUT', '/api/admin/users/unknown', { role: 'admin' })).toMatchObject(NOT_FOUND);
    expect(await directory.as(admin, 'PUT', '/api/admin/users/unknown', { role: 'nonsense' })).toMatchObject(NOT_FOUND);
  });

  it('is in the audit log', async () => {
    const user = await registered();
    expect((await moderate(user, { is_banned: true, ban_reason: 'For the record.' })).status).toBe(200);
    const { body } = await directory.get('/api/admin/audit', admin);
    expect(JSON.stringify(body)).toContain(`user:${user.id}`);
  });
});

it('does not show the address of a user to others', async () => {
  const user = await registered();
  const project = await directory.live(user);
  expect((await directory.as(user, 'POST', `/api/projects/${project.id}/comments`, { content: 'Here.' })).status).toBe(
    201,
  );
  for (const path of [`/api/projects/${project.id}`, `/api/projects/${project.id}/comments`, '/api/projects']) {
    expect(JSON.stringify((await directory.get(path)).body)).not.toContain(user.email);
  }
  expect(dataOf<User>(await directory.get('/api/user/profile', user)).email).toBe(user.email);
});

describe('the erasure by an administrator', () => {
  const remove = (who: Person, id: string, query = '') => directory.as(who, 'DELETE', `/api/admin/users/${id}${query}`);

  it('deletes what the erasure by the user deletes, and rejects their token', async () => {
    const user = await registered();
    const { id: own } = await directory.live(user);
    const { id: voted } = await directory.live(admin);
    await directory.ok(user, 'POST', `/api/projects/${voted}/upvote`);
    const erased = await remove(admin, user.id, '?projects=delete');
    expect(erased).toMatchObject({ status: 200, body: { data: { id: user.id, erased_at: TIME } } });
    expect(await directory.get('/api/user/profile', user)).toMatchObject(UNAUTHORIZED);
    await server.until(async () => (await directory.read(voted)).upvote_count === 0);
    await server.until(async () => (await directory.get(`/api/projects/${own}`, admin)).status === 404);
    for (const query of ['', '?projects=some']) expect(await remove(admin, user.id, query)).toMatchObject(NOT_FOUND);
  });

  it('keeps the projects by default, and leaves no trace of the user in the ledgers', async () => {
    const user = await registered();
    const { id: own } = await directory.live(user);
    await remove(admin, user.id);
    expect((await directory.get(`/api/projects/${own}`)).status).toBe(200);
    await server.until(async () => {
      const { body } = await directory.get(`/api/admin/audit?subject=user:${user.id}`, admin);
      return dataOf<unknown[]>({ body }).length === 0 || !JSON.stringify(body).includes(user.id);
    });
  });

  it('is not for oneself, and of two administrators who erase each other one remains', async () => {
    const [one, other] = [await registered({ admin: true }), await registered({ admin: true })];
    expect(await remove(one, one.id)).toMatchObject(conflict('SELF_CHANGE'));
    const statuses = (await Promise.all([remove(one, other.id), remove(other, one.id)])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 403]);
    expect(await remove(admin, one.id, '?projects=some')).toMatchObject(
      statuses[0] === 200 ? invalidAt('projects') : NOT_FOUND,
    );
    expect(await remove(await registered(), admin.id)).toMatchObject(FORBIDDEN);
  });
});
