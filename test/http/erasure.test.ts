import { describe, expect, it } from 'vitest';
import type { AdminUser } from '#contract/users.ts';
import { remainsPorts } from '#data/erasure.ts';
import { userKey } from '#data/keys.ts';
import { findItem } from '#data/read.ts';
import { makeAdmin } from '#data/user-admin.ts';
import { removeRemains } from '#domain/users/erase.ts';
import { importDoor } from '#local/doors.ts';
import {
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
import { wholeTable } from '#test/support/whole-table.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** The person who asks for his data, and then to be forgotten. */

let world: TestWorld;
let directory: Directory;
let admin: Person;
/** Whether the task that finishes an erasure dies after some pieces of work instead. */
let piecesUntilDeath = Number.POSITIVE_INFINITY;
let deaths = 0;

const dying = async <T>(work: () => Promise<T>): Promise<T> => {
  if (piecesUntilDeath <= 0) {
    deaths += 1;
    throw new Error('The process died.');
  }
  piecesUntilDeath -= 1;
  return await work();
};

const mortal = {
  ...remainsPorts,
  withdrawVote: (projectId: string, userId: string) => dying(() => remainsPorts.withdrawVote(projectId, userId)),
  withdrawRating: (projectId: string, userId: string) => dying(() => remainsPorts.withdrawRating(projectId, userId)),
  purgeOwn: (projectId: string, userId: string) => dying(() => remainsPorts.purgeOwn(projectId, userId)),
};

withDirectory(
  (opened) => {
    ({ world, directory } = opened);
    admin = directory.admin;
  },
  {
    importDoor: async (id) => {
      const handler = await importDoor(id);
      if (id !== 'users.finishErasure') return handler;
      return async (event, context) => {
        const { data } = (event as { detail: { data: { user_id: string; projects: 'keep' | 'delete' } } }).detail;
        await removeRemains(mortal, data, 60_000);
        return await handler(event, context);
      };
    },
  },
);

const vote = async (user: Person, id: string) =>
  expect(await directory.as(user, 'POST', `/api/projects/${id}/upvote`)).toMatchObject({ status: 200 });
const rate = async (user: Person, id: string, rating: number) =>
  expect(await directory.as(user, 'POST', `/api/projects/${id}/ratings`, { rating })).toMatchObject({ status: 200 });
const comment = async (user: Person, id: string, content: string) =>
  expect(await directory.as(user, 'POST', `/api/projects/${id}/comments`, { content })).toMatchObject({ status: 201 });

const counts = async (id: string) => {
  const { upvote_count, ratings_count, average_rating, comments_count } = await directory.read(id, admin);
  return { upvote_count, ratings_count, average_rating, comments_count };
};

const forget = (user: Person, query = '') => directory.as(user, 'DELETE', `/api/user${query}`);

/** Somebody whom nothing else in the directory is called after. */
const somebody = async (): Promise<Person> => {
  const user = await person(world, { name: unique('Distinctive Name') });
  await directory.as(user, 'PUT', '/api/user/profile', {
    bio: `Bio of ${user.name}`,
    website: `https://${user.email.split('@')[0]}.example.org`,
    avatar_url: `https://${user.email.split('@')[0]}.example.net/face.png`,
  });
  return user;
};

describe('a person who asks for his data and then to be forgotten', () => {
  it('gets everything, and is forgotten', async () => {
    const user = await somebody();
    const other = await person(world);
    const [liked, rated, discussed] = [
      await directory.live(other),
      await directory.live(other),
      await directory.live(other),
    ];
    const own = await directory.live(user, { name: unique('own') });
    const waiting = await directory.submit(user);
    await vote(user, liked.id);
    await vote(other, liked.id);
    await rate(user, rated.id, 1);
    await rate(other, rated.id, 4);
    await comment(user, discussed.id, 'What I think.');
    await comment(other, discussed.id, 'What another thinks.');
    await directory.as(user, 'POST', `/api/projects/${rated.id}/report`, { reason: 'spam', details: 'Look closer.' });
    const checkout = await directory.as(user, 'POST', '/api/payments/checkout', {
      kind: 'upgrade',
      project_id: own.id,
    });
    expect(checkout).toMatchObject({ status: 200 });

    const answer = await directory.get('/api/user/export', user);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="my-data-\d{4}-\d\d-\d\d\.json"$/);
    const data = answer.body as Record<string, Record<string, unknown>[]>;
    expect(data).toMatchObject({
      exported_at: TIME,
      profile: {
        id: user.id,
        email: user.email,
        name: user.name,
        bio: `Bio of ${user.name}`,
        notifications: { weekly_digest: true },
      },
      votes: [{ project_id: liked.id }],
      ratings: [{ project_id: rated.id, rating: 1 }],
      comments: [{ project_id: discussed.id, content: 'What I think.' }],
      reports: [{ project_id: rated.id, reason: 'spam', details: 'Look closer.' }],
      payments: [],
      checkouts: [{ id: dataOf<{ checkout_id: string }>(checkout).checkout_id, status: 'open', project_id: own.id }],
    });
    expect(data.projects?.map(({ id }) => id).toSorted()).toEqual([own.id, waiting.id].toSorted());
    expect(answer.body).not.toHaveProperty('profile.pk');
    expect(JSON.stringify(answer.body)).not.toContain('What another thinks.');

    const forgotten = await forget(user);
    expect(forgotten.body).toEqual({ data: { id: user.id, erased_at: TIME } });
    expect(forgotten.status).toBe(200);

    // Nothing of the profile is anywhere in the table, from that very moment.
    const stored = JSON.stringify(await wholeTable(world));
    for (const trace of [user.email, user.name, user.email.split('@')[0] ?? '']) expect(stored).not.toContain(trace);
    expect(await findItem(userKey(user.id))).toEqual({
      ...userKey(user.id),
      type: 'user',
      id: user.id,
      erased_at: TIME,
      comment_count: 1,
      version: expect.any(Number) as number,
      feed_pk: expect.any(String) as string,
      feed_sk: expect.any(String) as string,
    });

    // A token that is still valid opens nothing.
    expect(await directory.get('/api/user/profile', user)).toMatchObject(UNAUTHORIZED);
    expect(await directory.as(user, 'POST', `/api/projects/${liked.id}/upvote`)).toMatchObject(UNAUTHORIZED);
    expect(await forget(user)).toMatchObject(UNAUTHORIZED);
    expect(await directory.get('/api/me/submissions', user)).toMatchObject(UNAUTHORIZED);
    expect(await directory.get('/api/admin/users', user)).toMatchObject(FORBIDDEN);
    expect(await directory.get(`/api/projects/${waiting.id}`, user)).toMatchObject(NOT_FOUND);
    expect(await directory.get(`/api/projects/${liked.id}`, user)).toMatchObject({ status: 200 });
    expect(await directory.read(liked.id, user)).not.toHaveProperty('viewer');

    // Votes and ratings are gone with their counts; comments and projects stay without a name.
    await world.until(async () => (await counts(liked.id)).upvote_count === 1);
    await world.until(async () => (await counts(rated.id)).ratings_count === 1);
    expect(await counts(liked.id)).toMatchObject({ upvote_count: 1 });
    expect(await counts(rated.id)).toMatchObject({ ratings_count: 1, average_rating: 4 });
    expect(await counts(discussed.id)).toMatchObject({ comments_count: 2 });
    expect(await directory.get(`/api/projects/${discussed.id}/comments`)).toMatchObject({
      body: {
        data: [
          { content: 'What another thinks.' },
          { content: 'What I think.', user: { name: null, avatar_url: null, role: 'user' } },
        ],
      },
    });
    expect(await directory.read(own.id)).toMatchObject({ id: own.id, status: 'live' });
    expect(await directory.read(waiting.id, admin)).toMatchObject({ status: 'pending' });

    // Administrators neither list nor change him.
    expect(idsOf(await directory.get(`/api/admin/users?q=${encodeURIComponent(user.email)}`, admin))).toEqual([]);
    const all = dataOf<AdminUser[]>(await directory.get('/api/admin/users?limit=100', admin));
    expect(all.map(({ id }) => id)).not.toContain(user.id);
    expect(metaOf(await directory.get('/api/admin/users', admin)).total).toBe(all.length);
    expect(await directory.as(admin, 'PUT', `/api/admin/users/${user.id}`, { role: 'admin' })).toMatchObject(NOT_FOUND);
    expect(await makeAdmin(user.id)).toBe(false);
  });

  it('takes his projects along when he wants that, deleted ones too', async () => {
    const user = await somebody();
    const other = await person(world);
    const [live, rejected, deleted] = [
      await directory.live(user),
      await directory.project('rejected', user),
      await directory.project('deleted', user),
    ];
    const foreign = await directory.live(other);
    await vote(other, live.id);
    await comment(other, live.id, 'Too bad.');
    expect(await forget(user, '?projects=delete')).toMatchObject({ status: 200 });
    for (const { id, slug } of [live, rejected, deleted]) {
      await world.until(async () => (await directory.get(`/api/projects/${id}`, admin)).status === 404);
      expect(await directory.get(`/api/projects/${slug}`, admin)).toMatchObject(NOT_FOUND);
    }
    expect(await directory.read(foreign.id)).toMatchObject({ id: foreign.id });
    // What hung on them goes as well, with the count of who wrote it.
    await world.until(async () => {
      const [row] = dataOf<AdminUser[]>(
        await directory.get(`/api/admin/users?q=${encodeURIComponent(other.email)}`, admin),
      );
      return row?.comment_count === 0;
    });
    const stored = await wholeTable(world);
    expect(stored.filter(({ pk, type }) => String(pk).includes(live.id) && type !== 'projectRemoved')).toEqual([]);
  });

  it('must say plainly what becomes of the projects', async () => {
    const user = await somebody();
    expect(await forget(user, '?projects=maybe')).toMatchObject(invalidAt('projects'));
    expect(await directory.get('/api/user/profile', user)).toMatchObject({ status: 200 });
  });

  it('who is an administrator has to be revoked by another one first', async () => {
    const boss = await person(world, { admin: true });
    expect(await forget(boss)).toMatchObject(conflict('SELF_CHANGE'));
    expect(await directory.get('/api/admin/users', boss)).toMatchObject({ status: 200 });
    await directory.done('PUT', `/api/admin/users/${boss.id}`, { is_admin: false });
    expect(await forget(boss)).toMatchObject({ status: 200 });
  });
});

describe('erasure', () => {
  it('keeps counters exact on projects that are not live any more', async () => {
    const user = await somebody();
    const other = await person(world);
    const [gone, back] = [await directory.live(other), await directory.live(other)];
    for (const { id } of [gone, back]) {
      await vote(user, id);
      await rate(user, id, 5);
      await rate(other, id, 2);
    }
    await directory.as(other, 'DELETE', `/api/projects/${gone.id}`);
    await directory.done('PUT', `/api/admin/projects/${back.id}`, { status: 'rejected' });
    await forget(user);
    await directory.done('PUT', `/api/admin/projects/${gone.id}`, { deleted_at: null });
    await directory.done('PUT', `/api/admin/projects/${back.id}`, { status: 'live' });
    for (const { id } of [gone, back]) {
      await world.until(async () => (await counts(id)).ratings_count === 1);
      expect(await counts(id)).toMatchObject({ upvote_count: 0, ratings_count: 1, average_rating: 2 });
    }
  });

  it('brings no counters back for a project that was purged', async () => {
    const user = await somebody();
    const project = await directory.live(await person(world));
    await vote(user, project.id);
    await directory.done('DELETE', `/api/admin/projects/${project.id}`);
    await forget(user);
    await world.until(async () =>
      (await wholeTable(world)).every(({ pk, type }) => !String(pk).includes(project.id) || type === 'projectRemoved'),
    );
  });

  it('that dies half way, again and again, is finished later and counts nothing twice', async () => {
    const user = await somebody();
    const other = await person(world);
    const projects: { id: string }[] = [];
    for (let n = 0; n < 12; n += 1) projects.push(await directory.live(other));
    for (const { id } of projects) {
      await vote(user, id);
      await vote(other, id);
      await rate(user, id, 5);
      await rate(other, id, 1);
    }
    const own = await directory.live(user);
    // What the request itself would do dies as well: only the record is erased.
    const begin = remainsPorts.withdrawVote;
    const beginRating = remainsPorts.withdrawRating;
    const beginPurge = remainsPorts.purgeOwn;
    const dies = async (): Promise<boolean> => await Promise.reject(new Error('The process died.'));
    Object.assign(remainsPorts, { withdrawVote: dies, withdrawRating: dies, purgeOwn: dies });
    piecesUntilDeath = 0;
    deaths = 0;
    try {
      expect(await forget(user, '?projects=delete')).toMatchObject({ status: 200 });
    } finally {
      Object.assign(remainsPorts, { withdrawVote: begin, withdrawRating: beginRating, purgeOwn: beginPurge });
    }
    await world.until(() => Promise.resolve(deaths > 0));
    expect(await directory.get('/api/user/profile', user)).toMatchObject(UNAUTHORIZED);

    // Each run gets a little further.
    for (let run = 1; run <= 3; run += 1) {
      const before = deaths;
      piecesUntilDeath = 5;
      await world.until(() => Promise.resolve(deaths > before));
      const exact = await Promise.all(projects.map(async ({ id }) => await stateOf(id)));
      for (const one of exact) expect(one.counted).toEqual(one.stored);
      expect(exact.some(({ stored }) => stored.votes === 2 || stored.ratings === 2)).toBe(true);
    }
    piecesUntilDeath = Number.POSITIVE_INFINITY;
    await world.until(async () => {
      const all = await Promise.all(projects.map(({ id }) => counts(id)));
      return all.every(({ upvote_count, ratings_count }) => upvote_count === 1 && ratings_count === 1);
    }, 20_000);
    await world.until(async () => (await directory.get(`/api/projects/${own.id}`, admin)).status === 404, 20_000);
    for (const { id } of projects) {
      expect(await counts(id)).toMatchObject({ upvote_count: 1, ratings_count: 1, average_rating: 1 });
    }
    expect((await wholeTable(world)).filter((item) => item.user_id === user.id)).toEqual([]);
  }, 60_000);

  it('leaves nothing behind of what is written at the same moment', async () => {
    const other = await person(world);
    const projects = await Promise.all(Array.from({ length: 6 }, () => directory.live(other)));
    const user = await somebody();
    await directory.get('/api/user/profile', user);
    const answers = await Promise.all([
      ...projects.map(({ id }) => directory.as(user, 'POST', `/api/projects/${id}/upvote`)),
      ...projects.map(({ id }) => directory.as(user, 'POST', `/api/projects/${id}/ratings`, { rating: 3 })),
      ...projects.map(({ id }) => directory.as(user, 'POST', `/api/projects/${id}/comments`, { content: 'Now.' })),
      directory.as(user, 'PUT', '/api/user/profile', { name: 'Too late' }),
      forget(user),
    ]);
    for (const { status } of answers) expect([200, 201, 401]).toContain(status);
    expect(answers.at(-1)?.status).toBe(200);
    await world.until(async () =>
      (await wholeTable(world)).every(({ user_id, type }) => user_id !== user.id || type === 'comment'),
    );
    for (const { id } of projects) {
      const { counted, stored } = await stateOf(id);
      expect(counted).toEqual(stored);
      expect(await counts(id)).toMatchObject({ upvote_count: 0, ratings_count: 0 });
    }
    expect(JSON.stringify(await wholeTable(world))).not.toContain('Too late');
  });

  it('happens once when it is asked for twice at once', async () => {
    const user = await somebody();
    await directory.get('/api/user/profile', user);
    const answers = await Promise.all([forget(user), forget(user), forget(user)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  });
});

/** What is counted of a project beside what is stored. */
const stateOf = async (projectId: string) => {
  const items = (await wholeTable(world)).filter(({ pk }) => String(pk).includes(projectId));
  const of = (type: string) => items.filter((item) => item.type === type);
  const counted = of('counts')[0] ?? {};
  return {
    counted: {
      votes: Number(counted.upvote_count ?? 0),
      ratings: Number(counted.ratings_count ?? 0),
      sum: Number(counted.ratings_sum ?? 0),
      comments: Number(counted.comments_count ?? 0),
    },
    stored: {
      votes: of('vote').length,
      ratings: of('rating').length,
      sum: of('rating').reduce((sum, { rating }) => sum + Number(rating), 0),
      comments: of('comment').length,
    },
  };
};
