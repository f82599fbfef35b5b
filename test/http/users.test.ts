import { describe, expect, it } from 'vitest';
import type { AdminUser, User } from '#contract/users.ts';
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
  unique,
} from '#test/support/fixtures.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** Profiles, preferences, marks, and what administrators decide about users. */

let world: TestWorld;
let directory: Directory;
let admin: Person;

withDirectory((opened) => {
  ({ world, directory } = opened);
  admin = directory.admin;
});

const WANTED = { submission_received: true, payment_received: true, promotion_ending: true, weekly_digest: true };

describe('the profile', () => {
  it('is made at the first sight of a verified identity', async () => {
    const user = await person(world);
    const answer = await directory.get('/api/user/profile', user);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      data: {
        id: user.id,
        email: user.email,
        name: user.name,
        avatar_url: null,
        bio: null,
        website: null,
        role: 'user',
        is_admin: false,
        is_banned: false,
        ban_reason: null,
        joined_at: TIME,
        notifications: WANTED,
      },
    });
  });

  it('takes any part, and answers the whole new record', async () => {
    const user = await person(world);
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
      notifications: WANTED,
    };
    expect(first).toMatchObject({ status: 200, body: { data: whole } });
    const second = await directory.as(user, 'PUT', '/api/user/profile', { bio: '', website: null });
    expect(second).toMatchObject({ status: 200, body: { data: { ...whole, bio: null, website: null } } });
    expect((await directory.get('/api/user/profile', user)).body).toEqual(second.body);
  });

  it('leaves address, role and bans alone', async () => {
    const user = await person(world);
    const answer = await directory.as(user, 'PUT', '/api/user/profile', {
      id: 'x',
      email: 'other@example.com',
      role: 'admin',
      is_admin: true,
      is_banned: true,
      comment_count: 9,
      joined_at: '2000-01-01T00:00:00.000Z',
    });
    expect(answer).toMatchObject({
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
  ])('refuses a wrong %s', async (field, value) => {
    const user = await person(world);
    const answer = await directory.as(user, 'PUT', '/api/user/profile', { name: 'Kept out', [field]: value });
    expect(answer).toMatchObject(invalidAt(field));
    expect(await directory.get('/api/user/profile', user)).toMatchObject({ body: { data: { name: user.name } } });
  });

  it('counts characters, not code units', async () => {
    const user = await person(world);
    const bio = '🍺'.repeat(500);
    expect(await directory.as(user, 'PUT', '/api/user/profile', { bio })).toMatchObject({ body: { data: { bio } } });
  });

  it('loses nothing when parts are changed at once', async () => {
    const user = await person(world);
    const project = await directory.live(user);
    const answers = await Promise.all([
      directory.as(user, 'PUT', '/api/user/profile', { name: 'New' }),
      directory.as(user, 'PUT', '/api/user/profile', { bio: 'Words.' }),
      directory.as(user, 'PUT', '/api/user/settings', { notifications: { weekly_digest: false } }),
      directory.as(user, 'POST', `/api/projects/${project.id}/comments`, { content: 'At once.' }),
      directory.as(admin, 'PUT', `/api/admin/users/${user.id}`, { role: 'moderator' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 201, 200]);
    expect(await directory.get('/api/user/profile', user)).toMatchObject({
      body: {
        data: { name: 'New', bio: 'Words.', role: 'moderator', notifications: { ...WANTED, weekly_digest: false } },
      },
    });
    expect(await found(user)).toMatchObject({ comment_count: 1, project_count: 1 });
  });

  it('is shown beside comments as it is now', async () => {
    const user = await person(world);
    const project = await directory.live(user);
    await directory.as(user, 'POST', `/api/projects/${project.id}/comments`, { content: 'Mine.' });
    await directory.as(user, 'PUT', '/api/user/profile', {
      name: 'Renamed',
      avatar_url: 'https://img.example.com/1.png',
    });
    expect(await directory.get(`/api/projects/${project.id}/comments`)).toMatchObject({
      body: { data: [{ user: { id: user.id, name: 'Renamed', avatar_url: 'https://img.example.com/1.png' } }] },
    });
  });
});

describe('the settings of a user', () => {
  it('are all on until he says otherwise; what he does not name stays', async () => {
    const user = await person(world);
    expect((await directory.get('/api/user/settings', user)).body).toEqual({ data: { notifications: WANTED } });
    const answer = await directory.as(user, 'PUT', '/api/user/settings', {
      notifications: { promotion_ending: false },
    });
    const notifications = { ...WANTED, promotion_ending: false };
    expect(answer).toMatchObject({ status: 200, body: { data: { id: user.id, email: user.email, notifications } } });
    expect((await directory.get('/api/user/settings', user)).body).toEqual({ data: { notifications } });
    expect(
      await directory.as(user, 'PUT', '/api/user/settings', { notifications: { moderation: false } }),
    ).toMatchObject({
      status: 200,
      body: { data: { notifications } },
    });
  });

  it.each([{ notifications: { weekly_digest: 'no' } }, { notifications: { weekly_digest: null } }])(
    'refuse %j',
    async (body) => {
      const user = await person(world);
      expect(await directory.as(user, 'PUT', '/api/user/settings', body)).toMatchObject(
        invalidAt('notifications', 'weekly_digest'),
      );
    },
  );
});

it("writing one's own record counts on the tier auth, reading it on general", async () => {
  const user = await person(world);
  const tier = async (method: string, path: string, body?: object) =>
    (await directory.as(user, method, path, body)).headers.get('ratelimit-policy')?.split(';')[0];
  expect(await tier('PUT', '/api/user/profile', {})).toBe('"auth"');
  expect(await tier('PUT', '/api/user/settings', {})).toBe('"auth"');
  expect(await tier('GET', '/api/user/profile')).toBe('"general"');
  expect(await tier('GET', '/api/user/votes?ids=a')).toBe('"general"');
  expect(await tier('DELETE', '/api/user')).toBe('"auth"');
});

describe('marks', () => {
  it('tell under each reference what the caller has done', async () => {
    const user = await person(world);
    const [voted, rated, none] = [
      await directory.live(admin),
      await directory.live(admin),
      await directory.live(admin),
    ];
    await directory.as(user, 'POST', `/api/projects/${voted.id}/upvote`);
    await directory.as(user, 'POST', `/api/projects/${rated.id}/ratings`, { rating: 4 });
    const ids = [voted.id, voted.slug, rated.slug, none.id, 'no-such-thing', 'prj_nonsense', '__proto__'];
    const answer = await directory.get(`/api/user/votes?ids=${ids.join(',')}`, user);
    expect(answer.status).toBe(200);
    const marks = dataOf<Record<string, unknown>>(answer);
    expect(Object.entries(marks).filter(([name]) => name !== '__proto__')).toEqual([
      [voted.id, { upvoted: true, rating: null }],
      [voted.slug, { upvoted: true, rating: null }],
      [rated.slug, { upvoted: false, rating: 4 }],
      [none.id, { upvoted: false, rating: null }],
      ['no-such-thing', { upvoted: false, rating: null }],
      ['prj_nonsense', { upvoted: false, rating: null }],
    ]);
  });

  it('are for at most a hundred, and none for none', async () => {
    const user = await person(world);
    const ids = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`).join(',');
    expect(Object.keys(dataOf<object>(await directory.get(`/api/user/votes?ids=${ids(100)}`, user)))).toHaveLength(100);
    expect(await directory.get(`/api/user/votes?ids=${ids(101)}`, user)).toMatchObject(invalidAt('ids'));
    expect(await directory.get('/api/user/votes', user)).toMatchObject(invalidAt('ids'));
    expect(await directory.get(`/api/user/votes?ids=${'x'.repeat(201)}`, user)).toMatchObject(invalidAt('ids', 0));
    expect(await directory.get('/api/user/votes?ids=', user)).toMatchObject({ status: 200, body: { data: {} } });
  });
});

const listed = async (query: string) => await directory.get(`/api/admin/users?${query}`, admin);
const found = async (user: Person): Promise<AdminUser | undefined> =>
  dataOf<AdminUser[]>(await listed(`q=${encodeURIComponent(user.email)}`)).find(({ id }) => id === user.id);

describe('the list of users', () => {
  it('has exact counts and totals for fifty users, through all that changes them', async () => {
    const word = unique('crowd');
    const crowd: Person[] = [];
    for (let n = 0; n < 50; n += 1) crowd.push(await person(world, { name: `${word} ${n}` }));
    await Promise.all(crowd.map((user) => directory.get('/api/user/profile', user)));
    const project = await directory.live(admin);
    const comments = new Map(crowd.map(({ id }) => [id, 0]));
    const projects = new Map(crowd.map(({ id }) => [id, 0]));
    const written: { user: Person; id: string }[] = [];
    await Promise.all(
      crowd.flatMap((user, n) =>
        Array.from({ length: n % 4 }, async () => {
          const answer = await directory.as(user, 'POST', `/api/projects/${project.id}/comments`, { content: 'Hm.' });
          expect(answer.status).toBe(201);
          written.push({ user, id: dataOf<{ id: string }>(answer).id });
          comments.set(user.id, (comments.get(user.id) ?? 0) + 1);
        }),
      ),
    );
    for (const [n, user] of crowd.entries()) {
      if (n % 5 === 0) {
        const { id } = await directory.submit(user);
        projects.set(user.id, 1);
        if (n % 10 === 0) {
          await directory.as(user, 'DELETE', `/api/projects/${id}`);
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
      const answer = await listed(`q=${word.toUpperCase()}&limit=20&page=${page}`);
      expect(metaOf(answer)).toMatchObject({ total: 50, page, pageSize: 20 });
      seen.push(...dataOf<AdminUser[]>(answer));
      if (!metaOf(answer).hasMore) break;
    }
    expect(seen).toHaveLength(50);
    expect(new Map(seen.map((user) => [user.id, user.comment_count]))).toEqual(comments);
    expect(new Map(seen.map((user) => [user.id, user.project_count]))).toEqual(projects);
    const joined = seen.map(({ joined_at }) => joined_at);
    expect(joined).toEqual(joined.toSorted().toReversed());
    expect(idsOf(await listed(`q=${word}&page=9`))).toEqual([]);

    // What goes with a purged project goes from the counts of its commenters too.
    await directory.done('DELETE', `/api/admin/projects/${project.id}`);
    await world.until(async () =>
      dataOf<AdminUser[]>(await listed(`q=${word}&limit=100`)).every(({ comment_count }) => comment_count === 0),
    );
  });

  it('searches name and address whatever their case and accents', async () => {
    const word = unique('zoe').replace('zoe', 'zoé');
    const user = await person(world, { name: `Zoë Straße ${word}` });
    await directory.get('/api/user/profile', user);
    for (const q of [
      word,
      word.toUpperCase(),
      word.replace('é', 'e'),
      `strasse ${word}`,
      user.email.toUpperCase(),
      user.email.slice(0, -4),
    ]) {
      expect([q, idsOf(await listed(`q=${encodeURIComponent(q)}`))]).toEqual([q, [user.id]]);
    }
    expect(idsOf(await listed(`q=${encodeURIComponent(`${word} ${user.email}`)}`))).toEqual([]);
    expect(metaOf(await listed('q=%20')).total).toBe(metaOf(await listed('')).total);
  });

  it('filters by role and by ban', async () => {
    const word = unique('roles');
    const [plain, moderator, boss, banned] = (await Promise.all(
      ['plain', 'moderator', 'boss', 'banned'].map((name) => person(world, { name: `${word} ${name}` })),
    )) as [Person, Person, Person, Person];
    for (const user of [plain, moderator, boss, banned]) await directory.get('/api/user/profile', user);
    await directory.done('PUT', `/api/admin/users/${moderator.id}`, { role: 'moderator' });
    await directory.done('PUT', `/api/admin/users/${boss.id}`, { role: 'admin' });
    await directory.done('PUT', `/api/admin/users/${banned.id}`, { is_banned: true });
    const ids = async (role: string) => idsOf(await listed(`q=${word}&role=${role}`)).toSorted();
    expect(await ids('user')).toEqual([plain.id, banned.id].toSorted());
    expect(await ids('moderator')).toEqual([moderator.id]);
    expect(await ids('admin')).toEqual([boss.id]);
    expect(await ids('banned')).toEqual([banned.id]);
    expect(await listed('role=owner')).toMatchObject(invalidAt('role'));
    expect(await listed('limit=101')).toMatchObject(invalidAt('limit'));
    expect(await listed('page=0')).toMatchObject(invalidAt('page'));
    expect(await listed(`q=${'x'.repeat(101)}`)).toMatchObject(invalidAt('q'));
  });
});

const decide = (user: Person, body: object, by: Person = admin) =>
  directory.as(by, 'PUT', `/api/admin/users/${user.id}`, body);

const known = async (options: { admin?: boolean } = {}): Promise<Person> => {
  const user = await person(world, options);
  await directory.get('/api/user/profile', user);
  return user;
};

describe('deciding about users', () => {
  it('keeps role and is_admin in step and works at once', async () => {
    const user = await known();
    expect(await directory.get('/api/admin/users', user)).toMatchObject(FORBIDDEN);
    expect(await decide(user, { is_admin: true })).toMatchObject({
      status: 200,
      body: { data: { role: 'admin', is_admin: true } },
    });
    expect(await directory.get('/api/admin/users', user)).toMatchObject({ status: 200 });
    expect(await decide(user, { is_admin: false })).toMatchObject({
      body: { data: { role: 'user', is_admin: false } },
    });
    expect(await directory.get('/api/admin/users', user)).toMatchObject(FORBIDDEN);
    expect(await decide(user, { role: 'admin' })).toMatchObject({ body: { data: { role: 'admin', is_admin: true } } });
    expect(await decide(user, { role: 'moderator' })).toMatchObject({
      body: { data: { role: 'moderator', is_admin: false } },
    });
    expect(await decide(user, { is_admin: false })).toMatchObject({
      body: { data: { role: 'moderator', is_admin: false } },
    });
    expect(await decide(user, { role: 'admin', is_admin: true })).toMatchObject({
      body: { data: { role: 'admin', is_admin: true } },
    });
    expect(await decide(user, {})).toMatchObject({
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
  ])('refuses %j and changes nothing', async (body, field) => {
    const user = await known();
    const before = await found(user);
    expect(await decide(user, body)).toMatchObject(invalidAt(field));
    expect(await found(user)).toEqual(before);
  });

  it('bans from writing, says why, fires one event, and lets read', async () => {
    const user = await known();
    const project = await directory.live(user);
    const answer = await decide(user, { is_banned: true, ban_reason: 'Spam.' });
    expect(answer).toMatchObject({ status: 200, body: { data: { is_banned: true, ban_reason: 'Spam.' } } });
    const refused = { status: 403, body: { ...BANNED.body, reason: 'Spam.' } };
    expect(await directory.as(user, 'POST', `/api/projects/${project.id}/comments`, { content: 'No.' })).toMatchObject(
      refused,
    );
    expect(await directory.as(user, 'PUT', '/api/user/profile', { name: 'No' })).toMatchObject(refused);
    expect(await directory.as(user, 'DELETE', '/api/user')).toMatchObject(refused);
    expect(await directory.get('/api/user/profile', user)).toMatchObject({
      status: 200,
      body: { data: { is_banned: true } },
    });

    await decide(user, { ban_reason: 'Much spam.' });
    expect(await decide(user, { is_banned: false })).toMatchObject({
      body: { data: { is_banned: false, ban_reason: null } },
    });
    expect(await directory.as(user, 'PUT', '/api/user/profile', { name: 'Back' })).toMatchObject({ status: 200 });
    // A later event has passed, so nothing of the former is still on its way.
    const later = await known();
    await decide(later, { is_banned: true });
    const bans = async () =>
      (await world.events())
        .filter(({ kind }) => kind === 'userBanned')
        .map(({ data, actor_id }) => ({ data, actor_id }));
    await world.until(async () =>
      (await bans()).some(({ data }) => (data as { user_id: string }).user_id === later.id),
    );
    expect((await bans()).filter(({ data }) => (data as { user_id: string }).user_id === user.id)).toEqual([
      { data: { user_id: user.id, reason: 'Spam.' }, actor_id: admin.id },
    ]);
  });

  it('does not let an administrator revoke or ban himself', async () => {
    for (const body of [{ is_admin: false }, { role: 'user' }, { role: 'moderator' }, { is_banned: true }]) {
      expect(await decide(admin, body)).toMatchObject(conflict('SELF_CHANGE'));
    }
    expect(await decide(admin, { is_admin: true, role: 'admin', is_banned: false })).toMatchObject({ status: 200 });
    expect(await directory.get('/api/admin/users', admin)).toMatchObject({ status: 200 });
  });

  it('leaves one of two administrators who revoke or ban each other at once', async () => {
    for (const body of [{ is_admin: false }, { is_banned: true }]) {
      const [one, other] = [await known({ admin: true }), await known({ admin: true })];
      const answers = await Promise.all([decide(one, body, other), decide(other, body, one)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    }
  });

  it('loses nothing when two administrators change one user at once', async () => {
    const other = await known({ admin: true });
    const user = await known();
    const answers = await Promise.all([
      decide(user, { role: 'moderator' }),
      decide(user, { is_banned: true, ban_reason: 'Both.' }, other),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await found(user)).toMatchObject({ role: 'moderator', is_banned: true, ban_reason: 'Both.' });
  });

  it('does not know who was never here', async () => {
    expect(await directory.as(admin, 'PUT', '/api/admin/users/nobody', { role: 'admin' })).toMatchObject(NOT_FOUND);
    expect(await directory.as(admin, 'PUT', '/api/admin/users/nobody', { role: 'nonsense' })).toMatchObject(
      invalidAt('role'),
    );
  });

  it('is in the audit log', async () => {
    const user = await known();
    await decide(user, { is_banned: true, ban_reason: 'For the record.' });
    const { body } = await directory.get('/api/admin/audit', admin);
    expect(JSON.stringify(body)).toContain(`user:${user.id}`);
  });
});

it('tells nobody else the address of a user', async () => {
  const user = await known();
  const project = await directory.live(user);
  await directory.as(user, 'POST', `/api/projects/${project.id}/comments`, { content: 'Here.' });
  for (const path of [`/api/projects/${project.id}`, `/api/projects/${project.id}/comments`, '/api/projects']) {
    expect(JSON.stringify((await directory.get(path)).body)).not.toContain(user.email);
  }
  expect(dataOf<User>(await directory.get('/api/user/profile', user)).email).toBe(user.email);
});
