import { expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import { routes } from '#contract/table.ts';
import { ban, dataOf, FORBIDDEN, type Person, person, type Submitted, success } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { freshAddress, pathOf } from '#test/support/requests.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

/** What moderators may do besides users. `test/invariants/features-over-http.test.ts` covers the disabled feature. */

const { directory } = await sharedDirectory();

const moderator = async (): Promise<Person> => {
  const user = await person(directory.server);
  await directory.get('/api/user/profile', user);
  await directory.adminOk('PUT', `/api/admin/users/${user.id}`, { role: 'moderator' });
  return user;
};

const pending = async (): Promise<Submitted> => directory.submit(await person(directory.server));

const reportOf = async (project: string): Promise<string> =>
  dataOf<{ id: string }>(
    await directory.ok(
      await person(directory.server),
      'POST',
      `/api/projects/${project}/report`,
      { reason: 'Spam' },
      201,
    ),
  ).id;

it('moderators are 403 on every route of administrators that does not name them', async () => {
  const user = await moderator();
  const closed = routes.filter(({ auth, moderators }) => auth === 'admin' && !moderators);
  expect(closed.length).toBeGreaterThan(30);
  for (const route of closed) {
    const headers = { 'x-forwarded-for': freshAddress() };
    const response = await directory.as(user, route.method, pathOf(route), undefined, headers);
    expect({ id: route.id, ...response }).toMatchObject({ id: route.id, ...FORBIDDEN });
  }
});

it('moderators list, approve, reject and edit the content of listings, and see no mail address', async () => {
  const user = await moderator();
  const [first, second] = [await pending(), await pending()];
  const path = `/api/admin/projects/${first.id}`;
  const edited = await directory.as(user, 'PUT', path, { description: 'Edited.', status: 'pending', deleted_at: null });
  expect(edited).toMatchObject(success({ description: 'Edited.', possible_duplicates: [] }));
  for (const edit of [
    { status: 'live' },
    { plan: 'premium' },
    { owner_id: user.id },
    { deleted_at: new Date().toISOString() },
  ])
    expect(await directory.as(user, 'PUT', path, edit)).toMatchObject(FORBIDDEN);
  expect(await directory.as(user, 'PUT', `${path}/approve`)).toMatchObject(success({ status: 'live' }));
  expect(
    await directory.as(user, 'PUT', `/api/admin/projects/${second.id}/reject`, { reason: 'Not yet.' }),
  ).toMatchObject(success({ status: 'rejected', rejection_reason: 'Not yet.' }));
  await directory.server.until(async () => {
    const listed = await directory.ok(user, 'GET', '/api/admin/projects?status=rejected&limit=100');
    expect(JSON.stringify(listed.body)).not.toContain('@example.com');
    return dataOf<Project[]>(listed).some(
      ({ id, rejection_reason }) => id === second.id && rejection_reason !== undefined,
    );
  });
  expect(await directory.get(`/api/projects/${first.id}/revisions`, user)).toMatchObject(
    success(expect.arrayContaining([expect.objectContaining({ actor: { id: user.id, name: user.name } })])),
  );
  // Only the listed routes: elsewhere moderators are users. The dossier has the listing, and the tag to decide about it.
  const { id } = await pending();
  expect((await directory.get(`/api/projects/${id}`, user)).status).toBe(404);
  const { body, headers } = await directory.ok(user, 'GET', `/api/admin/projects/${id}/dossier`);
  expect(body).toMatchObject({ data: { project: { id, status: 'pending', possible_duplicates: [] } } });
  const ifMatch = { 'if-match': headers.get('etag') ?? '' };
  expect((await directory.as(user, 'PUT', `/api/admin/projects/${id}`, { tags: ['seen'] }, ifMatch)).status).toBe(200);
  const stale = await directory.as(user, 'PUT', `/api/admin/projects/${id}/approve`, undefined, ifMatch);
  expect(stale).toMatchObject({ status: 412, body: { code: 'STALE' } });
  expect(await directory.as(user, 'PUT', `/api/projects/${first.id}`, { name: 'Mine' })).toMatchObject(FORBIDDEN);
});

it('moderators approve and reject in bulk, and change nothing else in bulk', async () => {
  const user = await moderator();
  const ids = [(await pending()).id, (await pending()).id];
  const bulk = (action: string, more = {}) =>
    directory.as(user, 'POST', '/api/admin/projects/bulk', { action, ids, ...more });
  for (const action of ['delete', 'restore', 'set_categories'])
    expect(await bulk(action, { categories: [directory.category] })).toMatchObject(FORBIDDEN);
  expect(await bulk('approve')).toMatchObject(success({ succeeded: 2 }));
  expect(await bulk('reject')).toMatchObject(success({ failed: 2 }));
});

longTest('moderators settle reports and reject their listings, but do not delete them', async () => {
  const user = await moderator();
  const { id } = await directory.live(await person(directory.server));
  const report = await reportOf(id);
  const settle = (action: string) =>
    directory.as(user, 'POST', '/api/admin/reports/settle', { ids: [report], status: 'resolved', action });
  expect(await settle('delete')).toMatchObject(FORBIDDEN);
  await directory.ok(user, 'GET', '/api/admin/reports');
  await directory.ok(user, 'PUT', `/api/admin/reports/${report}`, { status: 'open' });
  expect(await settle('reject')).toMatchObject(success({ succeeded: 1 }));
  expect(dataOf(await directory.get(`/api/projects/${id}`, directory.admin))).toMatchObject({ status: 'rejected' });
  await directory.ok(user, 'GET', '/api/admin/replies');
});

longTest('moderators neither edit nor decide on their own listings; administrators may', async () => {
  const user = await moderator();
  const { id } = await directory.submit(user);
  const path = `/api/admin/projects/${id}`;
  for (const [method, action, body] of [
    ['PUT', '', { description: 'Mine.' }],
    ['PUT', '', { description: 7 }],
    ['PUT', '/approve', undefined],
    ['PUT', '/reject', {}],
    ['PUT', '/reject', { reason: 7 }],
  ] as const)
    expect(await directory.as(user, method, `${path}${action}`, body)).toMatchObject(FORBIDDEN);
  const bulk = await directory.as(user, 'POST', '/api/admin/projects/bulk', { action: 'approve', ids: [id] });
  expect(bulk).toMatchObject(success({ results: [{ id, ok: false, code: 'FORBIDDEN' }] }));
  await directory.adminOk('PUT', `${path}/approve`);
  const report = await reportOf(id);
  const settled = await directory.as(user, 'POST', '/api/admin/reports/settle', {
    ids: [report],
    status: 'resolved',
    action: 'reject',
  });
  expect(settled).toMatchObject(success({ results: [{ id: report, ok: false, code: 'FORBIDDEN' }] }));
  const own = await directory.submit(directory.admin);
  await directory.adminOk('PUT', `/api/admin/projects/${own.id}/approve`);
});

longTest(
  'moderators neither judge reports and comments about their own listings, nor see who reported them',
  async () => {
    const user = await moderator();
    const [reporter, other] = [await person(directory.server), await person(directory.server)];
    const { id } = await directory.live(user);
    const elsewhere = await directory.live(other);
    const details = 'Only a customer can know.';
    const filed = await directory.ok(reporter, 'POST', `/api/projects/${id}/report`, { reason: 'spam', details }, 201);
    const report = dataOf<{ id: string }>(filed).id;
    const about = dataOf<{ id: string }>(
      await directory.ok(other, 'POST', `/api/projects/${id}/comments`, { content: 'A scam.' }, 201),
    ).id;
    const own = dataOf<{ id: string }>(
      await directory.ok(user, 'POST', `/api/projects/${elsewhere.id}/comments`, { content: 'Mine.' }, 201),
    ).id;
    const dismiss = { status: 'dismissed' };
    expect(await directory.as(user, 'PUT', `/api/admin/reports/${report}`, dismiss)).toMatchObject(FORBIDDEN);
    const settled = { ids: [report], ...dismiss, action: 'none' };
    expect(await directory.as(user, 'POST', '/api/admin/reports/settle', settled)).toMatchObject(
      success({ failed: 1 }),
    );
    for (const [comment, is_hidden] of [
      [about, true],
      [own, true],
      [own, false],
    ] as const)
      expect(await directory.as(user, 'PUT', `/api/admin/comments/${comment}`, { is_hidden })).toMatchObject(FORBIDDEN);
    for (const query of ['limit=100', 'limit=100&group=project']) {
      const { body } = await directory.ok(user, 'GET', `/api/admin/reports?${query}`);
      expect(JSON.stringify(body)).toContain(report);
      expect(JSON.stringify(body)).not.toContain(reporter.id);
      expect(JSON.stringify(body)).not.toContain(details);
    }
    await directory.adminOk('PUT', `/api/admin/projects/${id}`, { description: 'Changed by staff.' });
    const revisions = await directory.ok(user, 'GET', `/api/admin/revisions?project=${id}&state=applied`);
    expect(JSON.stringify(revisions.body)).not.toContain(directory.admin.id);
    await directory.adminOk('PUT', `/api/admin/reports/${report}`, dismiss);
  },
);

it('a banned moderator, and one whose role was revoked, have no rights', async () => {
  const user = await moderator();
  await directory.ok(user, 'GET', '/api/admin/projects');
  await directory.adminOk('PUT', `/api/admin/users/${user.id}`, { role: 'user' });
  expect(await directory.get('/api/admin/projects', user)).toMatchObject(FORBIDDEN);
  await directory.adminOk('PUT', `/api/admin/users/${user.id}`, { role: 'moderator' });
  await ban(user);
  expect(await directory.get('/api/admin/projects', user)).toMatchObject(FORBIDDEN);
});
