import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { eventKindNames } from '#contract/events.ts';
import type { AdminUser } from '#contract/users.ts';
import { userKey } from '#data/keys.ts';
import { findItem } from '#data/read.ts';
import { makeAdmin } from '#data/users.ts';
import { newMessage, sourceOf } from '#events/catalogue.ts';
import { untilEventsDelivered } from '#test/support/events.ts';
import {
  dataOf,
  FORBIDDEN,
  idsOf,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  submission,
  success,
  TIME,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { countersAndItems } from '#test/support/reaction-counts.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { ownDirectory, ownReceiver } from '#test/support/with-directory.ts';

/** A user pool that answers like Cognito. */
const pool = { requests: [] as { UserPoolId: string; Username: string }[], failuresLeft: 0 };

const poolServer = createServer((request, response) => {
  void (async () => {
    expect(request.headers['x-amz-target']).toBe('AWSCognitoIdentityProviderService.AdminDeleteUser');
    pool.requests.push((await json(request)) as (typeof pool.requests)[number]);
    const fails = pool.failuresLeft > 0;
    if (fails) pool.failuresLeft -= 1;
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(
      JSON.stringify({ __type: fails ? 'NotAuthorizedException' : 'UserNotFoundException', message: 'No.' }),
    );
  })();
});
poolServer.listen(0, '127.0.0.1');
await once(poolServer, 'listening');
afterAll(() => poolServer.close());

const { server, directory } = await ownDirectory({
  env: {
    WEBHOOK_ALLOW_PRIVATE: 'on',
    USER_POOL_ID: 'us-east-1_Test',
    AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: `http://127.0.0.1:${(poolServer.address() as AddressInfo).port}`,
  },
});
const { admin } = directory;
const receiver = await ownReceiver();

const vote = (user: Person, id: string) => directory.ok(user, 'POST', `/api/projects/${id}/upvote`);
const rate = (user: Person, id: string, rating: number) =>
  directory.ok(user, 'POST', `/api/projects/${id}/ratings`, { rating });
const comment = (user: Person, id: string, content: string) =>
  directory.ok(user, 'POST', `/api/projects/${id}/comments`, { content }, 201);

const counts = async (id: string) => {
  const { upvote_count, ratings_count, average_rating, comments_count } = await directory.read(id, admin);
  return { upvote_count, ratings_count, average_rating, comments_count };
};

const erase = (user: Person, query = '') => directory.as(user, 'DELETE', `/api/user${query}`);

const eventsInTable = async () => (await scanTable(server)).filter(({ type }) => type === 'event' || type === 'task');

/** A user whose name and addresses occur nowhere else. */
const newUser = async (): Promise<Person> => {
  const user = await person(server, { name: unique('Distinctive Name') });
  await directory.ok(user, 'PUT', '/api/user/profile', {
    bio: `Bio of ${user.name}`,
    website: `https://${user.email.split('@')[0]}.example.org`,
    avatar_url: `https://${user.email.split('@')[0]}.example.net/face.png`,
  });
  return user;
};

describe('the erasure of a user', () => {
  longTest.each([
    ['by the user', (user: Person) => erase(user)],
    ['by an administrator', (user: Person) => directory.adminOk('DELETE', `/api/admin/users/${user.id}`)],
    [
      'by the task when the process of the request died',
      async ({ id }: Person) => {
        const detail = newMessage('userErased', id, { user_id: id, projects: 'keep' });
        return server.server.bus.publish({ source: sourceOf('userErased'), kind: 'userErased', detail });
      },
    ],
  ])('removes an administrator from batches, reports, drafts, follows and checkouts %s', async (_, eraseUser) => {
    const user = await person(server, { admin: true });
    const { id } = await directory.live(await person(server));
    await directory.ok(user, 'POST', '/api/admin/projects/bulk', { action: 'delete', ids: [id] });
    await directory.ok(user, 'POST', '/api/admin/projects/bulk', { action: 'restore', ids: [id] });
    await directory.ok(user, 'POST', `/api/projects/${id}/report`, { reason: 'spam' }, 201);
    const premium = submission({ plan: 'premium', categories: [directory.category], name: unique('premium') });
    await directory.ok(user, 'POST', '/api/projects', premium);
    await directory.ok(user, 'POST', '/api/me/drafts', { content: premium }, 201);
    await directory.ok(user, 'POST', '/api/me/follows', { query: { q: 'tea' }, frequency: 'daily' }, 201);
    const left = async () =>
      (await scanTable(server)).filter(
        (item) =>
          (item.type === 'batch' && item.actor_id === user.id) ||
          (item.type === 'report' && item.user_id === user.id) ||
          (['draft', 'follow', 'follower'].includes(String(item.type)) && item.user_id === user.id) ||
          (item.sk === 'SUBMISSION' && JSON.stringify(item).includes(String(premium.name))),
      );
    expect(await left()).toHaveLength(7);
    await eraseUser(user);
    await server.until(async () => (await left()).length === 0);
  });

  it('exports everything, then erases the user', async () => {
    const user = await newUser();
    const other = await person(server);
    const liked = await directory.live(other);
    const rated = await directory.live(other);
    const discussed = await directory.live(other);
    const own = await directory.live(user, { name: unique('own') });
    const pending = await directory.submit(user);
    await vote(user, liked.id);
    await vote(other, liked.id);
    await rate(user, rated.id, 1);
    await rate(other, rated.id, 4);
    await comment(user, discussed.id, 'What I think.');
    await comment(other, discussed.id, 'What another thinks.');
    const report = { reason: 'spam', details: 'Look closer.' };
    await directory.ok(user, 'POST', `/api/projects/${rated.id}/report`, report, 201);
    const upgrade = { kind: 'upgrade', project_id: own.id };
    const checkout = await directory.ok(user, 'POST', '/api/payments/checkout', upgrade);
    await directory.ok(user, 'PUT', `/api/projects/${own.id}`, { description: 'Mine.' });
    await directory.adminOk('PUT', `/api/admin/users/${user.id}`, { is_banned: true, ban_reason: 'A mistake.' });
    await directory.adminOk('PUT', `/api/admin/users/${user.id}`, { is_banned: false });

    const exported = await directory.ok(user, 'GET', '/api/user/export');
    expect(exported.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(exported.headers.get('content-disposition')).toMatch(
      /^attachment; filename="my-data-\d{4}-\d\d-\d\d\.json"$/,
    );
    expect(Object.keys(exported.body as object)).toEqual(['data']);
    const data = dataOf<Record<string, Record<string, unknown>[]>>(exported);
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
    expect(data.projects?.map(({ id }) => id).toSorted()).toEqual([own.id, pending.id].toSorted());
    // What others caused is without their id and address.
    expect(data.events?.map(({ kind, actor_id }) => [kind, actor_id])).toEqual([
      ['projectSubmitted', user.id],
      ['projectApproved', null],
      ['projectSubmitted', user.id],
      ['commentCreated', user.id],
      ['projectUpdated', user.id],
      ['userBanned', null],
    ]);
    expect(data.events?.[3]).toEqual({
      id: expect.stringMatching(/^evt_/) as string,
      kind: 'commentCreated',
      occurred_at: TIME,
      actor_id: user.id,
      data: expect.objectContaining({ user_id: user.id, content: 'What I think.' }) as unknown,
    });
    expect(data.audit_log).toEqual([
      expect.objectContaining({ action: 'projects.update', actor_id: user.id, input: { description: 'Mine.' } }),
      {
        id: expect.stringMatching(/^aud_/) as string,
        at: TIME,
        actor_id: null,
        actor_name: null,
        action: 'users.update',
        subjects: [`user:${user.id}`],
        request_id: expect.any(String) as string,
        address: null,
        input: { is_banned: true, ban_reason: 'A mistake.' },
      },
      expect.objectContaining({ action: 'users.update', actor_id: null, input: { is_banned: false } }),
    ]);
    expect(JSON.stringify(exported.body)).not.toContain(admin.id);
    // An administrator has the same entries by their own actions.
    const ofAdmin = dataOf<typeof data>(await directory.get('/api/user/export', admin));
    expect(ofAdmin.events?.at(-1)).toMatchObject({ kind: 'userBanned', actor_id: admin.id });
    expect(ofAdmin.audit_log?.at(-1)).toMatchObject({ action: 'users.update', actor_id: admin.id });
    expect(ofAdmin.audit_log?.at(-1)?.address).toEqual(expect.any(String));
    expect(data).not.toHaveProperty('profile.pk');
    expect(JSON.stringify(exported.body)).not.toContain('What another thinks.');

    const erased = await erase(user);
    expect(erased.body).toEqual({ data: { id: user.id, erased_at: TIME } });
    expect(erased.status).toBe(200);

    // The table contains nothing of the profile as soon as the request returns.
    const stored = JSON.stringify(await scanTable(server));
    for (const trace of [user.email, user.name, user.email.split('@')[0] ?? '']) expect(stored).not.toContain(trace);
    const remaining = ['pk', 'sk', 'type', 'id', 'erased_at', 'comment_count', 'version', 'feed_pk', 'feed_sk'];
    expect(Object.keys((await findItem(userKey(user.id))) ?? {}).toSorted()).toEqual(remaining.toSorted());

    // Unexpired tokens are rejected.
    expect(await directory.get('/api/user/profile', user)).toMatchObject(UNAUTHORIZED);
    expect(await directory.as(user, 'POST', `/api/projects/${liked.id}/upvote`)).toMatchObject(UNAUTHORIZED);
    expect(await erase(user)).toMatchObject(UNAUTHORIZED);
    expect(await directory.get('/api/me/submissions', user)).toMatchObject(UNAUTHORIZED);
    expect(await directory.get('/api/admin/users', user)).toMatchObject(FORBIDDEN);
    expect(await directory.get(`/api/projects/${pending.id}`, user)).toMatchObject(NOT_FOUND);
    await directory.ok(user, 'GET', `/api/projects/${liked.id}`);
    expect(await directory.read(liked.id, user)).not.toHaveProperty('viewer');

    // Votes and ratings are deleted and subtracted; comments and projects remain without a name.
    await server.until(async () => (await counts(liked.id)).upvote_count === 1);
    await server.until(async () => (await counts(rated.id)).ratings_count === 1);
    expect(await counts(rated.id)).toMatchObject({ average_rating: 4 });
    expect(await counts(discussed.id)).toMatchObject({ comments_count: 2 });
    expect(await directory.get(`/api/projects/${discussed.id}/comments`)).toMatchObject(
      success([
        { content: 'What another thinks.' },
        { content: 'What I think.', user: { name: null, avatar_url: null, role: 'user' } },
      ]),
    );
    expect(await directory.read(own.id)).toMatchObject({ id: own.id, status: 'live' });
    expect(await directory.read(pending.id, admin)).toMatchObject({ status: 'pending' });

    // Administrators cannot list or change the user.
    expect(idsOf(await directory.get(`/api/admin/users?q=${encodeURIComponent(user.email)}`, admin))).toEqual([]);
    const all = dataOf<AdminUser[]>(await directory.get('/api/admin/users?limit=100', admin));
    expect(all.map(({ id }) => id)).not.toContain(user.id);
    expect(metaOf(await directory.get('/api/admin/users', admin)).total).toBe(all.length);
    expect(await directory.as(admin, 'PUT', `/api/admin/users/${user.id}`, { role: 'admin' })).toMatchObject(NOT_FOUND);
    expect(await makeAdmin(user.id)).toBe(false);
  });

  longTest('purges the projects on request, soft-deleted ones too', async () => {
    const user = await newUser();
    const other = await person(server);
    const [live, rejected, deleted] = [
      await directory.live(user),
      await directory.project('rejected', user),
      await directory.project('deleted', user),
    ];
    const foreign = await directory.live(other);
    await vote(other, live.id);
    await comment(other, live.id, 'Too bad.');
    expect(await erase(user, '?projects=delete')).toMatchObject({ status: 200 });
    for (const { id, slug } of [live, rejected, deleted]) {
      await server.until(async () => (await directory.get(`/api/projects/${id}`, admin)).status === 404);
      expect(await directory.get(`/api/projects/${slug}`, admin)).toMatchObject(NOT_FOUND);
    }
    expect(await directory.read(foreign.id)).toMatchObject({ id: foreign.id });
    // Comments on them are deleted, and the counters of their authors decremented.
    await server.until(async () => {
      const [row] = dataOf<AdminUser[]>(
        await directory.get(`/api/admin/users?q=${encodeURIComponent(other.email)}`, admin),
      );
      return row?.comment_count === 0;
    });
    // The task deletes the figures of the days after the comments.
    const remaining = async () =>
      (await scanTable(server)).filter(({ pk, type }) => String(pk).includes(live.id) && type !== 'projectRemoved');
    await server.until(async () => (await remaining()).length === 0);
  });

  longTest('leaves the id only in the items that docs/privacy.md lists, and no words of the user', async () => {
    const user = await newUser();
    const other = await person(server);
    const WORDS = 'unmistakable words';
    const webhook = { url: receiver.url, kinds: eventKindNames };
    await directory.adminOk('POST', '/api/admin/webhooks', webhook, 201);
    const own = await directory.live(user, { name: unique('own') });
    const foreign = await directory.live(other);
    const as = (method: string, path: string, body?: object) => directory.as(user, method, path, body);
    const report = { reason: `Spam, ${WORDS}`, details: `Look closer, ${WORDS}` };
    const reported = dataOf<{ id: string }>(await as('POST', `/api/projects/${foreign.id}/report`, report));
    expect(await as('PUT', `/api/projects/${own.id}`, { video_url: 'https://video.example.com/1' })).toMatchObject({
      status: 200,
    });
    const commented = await as('POST', `/api/projects/${foreign.id}/comments`, { content: 'Gone later.' });
    expect(commented.status).toBe(201);
    await directory.adminOk('PUT', `/api/admin/reports/${reported.id}`, { status: 'resolved' });
    await directory.adminOk('PUT', `/api/admin/users/${user.id}`, { is_banned: true, ban_reason: `Banned, ${WORDS}` });
    await directory.adminOk('PUT', `/api/admin/users/${user.id}`, { is_banned: false });
    await directory.adminOk('PUT', `/api/admin/users/${user.id}`, { role: 'admin' });
    const rejected = await directory.submit(other);
    const verdict = await as('PUT', `/api/admin/projects/${rejected.id}/reject`, { reason: 'Said by the user.' });
    expect(verdict.status).toBe(200);
    const ledger = async () => JSON.stringify((await directory.adminOk('GET', '/api/admin/events?limit=100')).body);
    const audit = async () => JSON.stringify((await directory.adminOk('GET', '/api/admin/audit?limit=100')).body);
    for (const text of [await ledger(), await audit()]) {
      expect(text).toContain(user.id);
      expect(text).toContain(WORDS);
    }
    await untilEventsDelivered(server, directory);
    expect(JSON.stringify((await scanTable(server)).filter(({ type }) => type === 'delivery'))).toContain(WORDS);

    expect(await erase(user)).toMatchObject({ status: 200 });
    const listed =
      readFileSync('docs/privacy.md', 'utf8').split('## What an erasure leaves')[1]?.split('\n## ')[0] ?? '';
    const types = new Set([...listed.matchAll(/^\| [^|]+ \| `(\w+)` \|/gm)].map(([, type]) => type));
    expect(types.size).toBeGreaterThan(5);
    // No webhook was deleted.
    expect(types.delete('delivery')).toBe(true);
    const unexpected = async () =>
      (await scanTable(server)).filter(
        (item) =>
          JSON.stringify(item).includes(user.id) && (!types.has(String(item.type)) || item.actor_id === user.id),
      );
    const traces = [user.email, user.email.split('@')[0] ?? '', user.name, WORDS];
    const found = async () => {
      const stored = JSON.stringify(await scanTable(server));
      return traces.filter((trace) => stored.includes(trace));
    };
    // A subscriber completes the erasure in several steps.
    await server.until(async () => (await unexpected()).length === 0 && (await found()).length === 0);

    // The report stays for the administrators, who can still resolve it, without an author.
    const reports = dataOf<{ id: string }[]>(await directory.adminOk('GET', '/api/admin/reports?status=all&limit=100'));
    expect(reports.find(({ id }) => id === reported.id)).toMatchObject({
      user_id: null,
      reason: '',
      details: null,
      status: 'resolved',
    });
    await directory.adminOk('PUT', `/api/admin/reports/${reported.id}`, { status: 'dismissed' });
    // The ledger and the audit log are still readable, with neither the id nor the words.
    for (const text of [await ledger(), await audit()]) {
      for (const trace of [user.id, WORDS, 'Gone later.', 'Said by the user.']) expect(text).not.toContain(trace);
      expect(text).toContain('"erased"');
    }
    const events = dataOf<{ kind: string; actor_id: string | null; data: Record<string, unknown> }[]>(
      await directory.adminOk('GET', '/api/admin/events?kind=commentCreated&limit=1'),
    );
    expect(events).toMatchObject([{ actor_id: null, data: { user_id: 'erased', content: '' } }]);
    // The listing stays; a purge of the other one finds the report without an author.
    expect(await directory.read(own.id)).toMatchObject({ id: own.id, status: 'live' });
    await directory.adminOk('DELETE', `/api/admin/projects/${foreign.id}`);
    await server.until(async () =>
      (await scanTable(server)).every(
        ({ type, id }) => id !== reported.id || (type !== 'report' && type !== 'reportId'),
      ),
    );
  });

  longTest('deletes the account in the user pool, and tries again after a failure', async () => {
    const user = await newUser();
    pool.failuresLeft = 1;
    expect(await erase(user)).toMatchObject({ status: 200 });
    await server.until(() =>
      Promise.resolve(pool.requests.filter(({ Username }) => Username === user.id).length === 2),
    );
    expect(pool.requests.at(-1)).toEqual({ UserPoolId: 'us-east-1_Test', Username: user.id });
    // An account that does not exist any more, like that of a service, is no failure: the erasure ends.
    await server.until(async () => !JSON.stringify(await eventsInTable()).includes(user.id));
  });

  it('leaves a banned user banned, who could export the data before', async () => {
    const user = await newUser();
    await directory.get('/api/user/profile', user);
    await directory.adminOk('PUT', `/api/admin/users/${user.id}`, { is_banned: true });
    expect(await directory.get('/api/user/export', user)).toMatchObject(
      success({ profile: { id: user.id, is_banned: true } }),
    );
    expect(await erase(user)).toMatchObject({ status: 200 });
    const token = await server.token({ email: user.email });
    for (const [method, path] of [
      ['GET', '/api/user/profile'],
      ['GET', '/api/user/export'],
      ['POST', '/api/projects'],
      ['DELETE', '/api/user'],
    ] as const) {
      expect(await server.call(method, path, { token })).toMatchObject(UNAUTHORIZED);
    }
    expect(await findItem(userKey(user.id))).toMatchObject({ id: user.id, is_banned: true, erased_at: TIME });
  });

  it('is possible for an administrator while another one remains', async () => {
    expect(await erase(await person(server, { admin: true }))).toMatchObject({ status: 200 });
  });
});

describe('the erasure of a user with reactions', () => {
  longTest('keeps counters exact on projects that are not live', async () => {
    const user = await newUser();
    const other = await person(server);
    const [deleted, rejected] = [await directory.live(other), await directory.live(other)];
    for (const { id } of [deleted, rejected]) {
      await vote(user, id);
      await rate(user, id, 5);
      await rate(other, id, 2);
    }
    await directory.ok(other, 'DELETE', `/api/projects/${deleted.id}`);
    await directory.adminOk('PUT', `/api/admin/projects/${rejected.id}`, { status: 'rejected' });
    expect((await erase(user)).status).toBe(200);
    await directory.adminOk('PUT', `/api/admin/projects/${deleted.id}`, { deleted_at: null });
    await directory.adminOk('PUT', `/api/admin/projects/${rejected.id}`, { status: 'live' });
    for (const { id } of [deleted, rejected]) {
      await server.until(async () => (await counts(id)).ratings_count === 1);
      expect(await counts(id)).toMatchObject({ upvote_count: 0, ratings_count: 1, average_rating: 2 });
    }
  });

  longTest('does not recreate the counters of a purged project', async () => {
    const user = await newUser();
    const project = await directory.live(await person(server));
    await vote(user, project.id);
    await directory.adminOk('DELETE', `/api/admin/projects/${project.id}`);
    expect((await erase(user)).status).toBe(200);
    await server.until(async () =>
      (await scanTable(server)).every(({ pk, type }) => !String(pk).includes(project.id) || type === 'projectRemoved'),
    );
  });

  longTest('leaves nothing behind of concurrent writes', async () => {
    const other = await person(server);
    const projects = await Promise.all(Array.from({ length: 6 }, () => directory.live(other)));
    const user = await newUser();
    await directory.get('/api/user/profile', user);
    const responses = await Promise.all([
      ...projects.map(({ id }) => directory.as(user, 'POST', `/api/projects/${id}/upvote`)),
      ...projects.map(({ id }) => directory.as(user, 'POST', `/api/projects/${id}/ratings`, { rating: 3 })),
      ...projects.map(({ id }) => directory.as(user, 'POST', `/api/projects/${id}/comments`, { content: 'Now.' })),
      directory.as(user, 'PUT', '/api/user/profile', { name: 'Too late' }),
      erase(user),
    ]);
    for (const { status } of responses) expect([200, 201, 401]).toContain(status);
    expect(responses.at(-1)?.status).toBe(200);
    await server.until(async () =>
      (await scanTable(server)).every(({ user_id, type }) => user_id !== user.id || type === 'comment'),
    );
    for (const { id } of projects) {
      const { counted, stored } = await countersAndItems(server, id);
      expect(counted).toEqual(stored);
      expect(await counts(id)).toMatchObject({ upvote_count: 0, ratings_count: 0 });
    }
    expect(JSON.stringify(await scanTable(server))).not.toContain('Too late');
  });

  it('succeeds for one of several concurrent requests and returns 401 to the others', async () => {
    const user = await newUser();
    await directory.get('/api/user/profile', user);
    const responses = await Promise.all([erase(user), erase(user), erase(user)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  });
});
