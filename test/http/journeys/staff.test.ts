import { expect, it } from 'vitest';
import type { AuditEntry } from '#contract/audit.ts';
import type { ApiKey } from '#contract/keys.ts';
import type { Project } from '#contract/projects.ts';
import type { AdminReport } from '#contract/reports.ts';
import { type Directory, dataOf, FORBIDDEN, person, unique } from '#test/support/fixtures.ts';
import { asPerson, createKey } from '#test/support/keys.ts';
import { withDirectory } from '#test/support/with-directory.ts';

/** The work of administrators that others share. */

let directory: Directory;

withDirectory((opened) => {
  ({ directory } = opened);
});

it('a leaked key that is revoked', async () => {
  const { admin, server } = directory;
  const name = unique('Importer');
  const key = asPerson(await createKey(server, admin, ['categories:write', 'projects:read'], { name }));
  const made = await directory.as(key, 'POST', '/api/admin/categories', { name: unique('Category') });
  expect(made.status).toBe(201);

  // The key is leaked. The administrator recognizes it by its beginning, sees that it is in use, and revokes it.
  const leaked = key.token;
  const listed = dataOf<ApiKey[]>(await directory.get('/api/admin/keys', admin));
  const found = listed.find(({ prefix }) => leaked.startsWith(prefix));
  expect(found).toMatchObject({ id: key.id, name, revoked_at: null, last_used_on: expect.any(String) as string });
  const running = await directory.get('/api/admin/projects', key);
  expect(running.status).toBe(200);
  await directory.adminOk('DELETE', `/api/admin/keys/${key.id}`);

  // From then on it opens nothing, on routes of any kind; public ones ignore it.
  expect(await directory.get('/api/admin/projects', key)).toMatchObject(FORBIDDEN);
  expect(await directory.as(key, 'POST', '/api/admin/categories', { name: unique('Category') })).toMatchObject(
    FORBIDDEN,
  );
  expect((await directory.get('/api/keys/current', key)).status).toBe(401);
  expect((await directory.get('/api/projects', key)).status).toBe(200);

  // The audit log says what was done with it, and from where.
  const entries = dataOf<AuditEntry[]>(await directory.get('/api/admin/audit?limit=100', admin));
  expect(entries.filter(({ actor_id }) => actor_id === key.id)).toMatchObject([
    { actor_name: name, action: 'categories.create', address: expect.any(String) as string },
  ]);
  expect(entries.some(({ action, actor_id }) => action === 'keys.revoke' && actor_id === admin.id)).toBe(true);

  // Its successor works, under another service user.
  const next = asPerson(await createKey(server, admin, ['categories:write'], { name }));
  expect(next.id).not.toBe(key.id);
  expect((await directory.as(next, 'POST', '/api/admin/categories', { name: unique('Category') })).status).toBe(201);
});

it("a moderator's day", async () => {
  const { admin, server } = directory;
  const moderator = await person(server);
  await directory.get('/api/user/profile', moderator);
  const [good, bad] = [await directory.submit(await person(server)), await directory.submit(await person(server))];
  const spam = await directory.live(await person(server));
  const reporter = await person(server);
  await directory.ok(reporter, 'POST', `/api/projects/${spam.id}/report`, { reason: 'Spam' }, 201);
  await directory.adminOk('POST', '/api/admin/replies', { name: unique('Reply'), text: 'Sorry, {{name}}.' }, 201);

  expect(await directory.get('/api/admin/projects?status=pending', moderator)).toMatchObject(FORBIDDEN);
  await directory.adminOk('PUT', `/api/admin/users/${moderator.id}`, { role: 'moderator' });

  // The queue: one listing is corrected and approved, one rejected with a saved reply.
  await server.until(async () => {
    const queue = dataOf<Project[]>(await directory.get('/api/admin/projects?status=pending&limit=100', moderator));
    return [good.id, bad.id].every((id) => queue.some((project) => project.id === id));
  });
  await directory.ok(moderator, 'PUT', `/api/admin/projects/${good.id}`, { description: 'Corrected.' });
  await directory.ok(moderator, 'PUT', `/api/admin/projects/${good.id}/approve`);
  const [reply] = dataOf<{ text: string }[]>(await directory.get('/api/admin/replies', moderator));
  await directory.ok(moderator, 'PUT', `/api/admin/projects/${bad.id}/reject`, { reason: reply?.text });

  // The reports: spam goes.
  const reports = dataOf<AdminReport[]>(await directory.get('/api/admin/reports?limit=100', moderator));
  const report = reports.find(({ project_id }) => project_id === spam.id);
  const settlement = { ids: [report?.id], status: 'resolved', action: 'reject', note: 'Spam.' };
  await directory.ok(moderator, 'POST', '/api/admin/reports/settle', settlement);
  expect((await directory.get(`/api/projects/${spam.slug}`)).status).toBe(404);
  expect((await directory.get(`/api/projects/${good.slug}`)).status).toBe(200);

  // What belongs to administrators stays with them, and they see what was done.
  for (const path of ['users', 'audit', 'keys', 'layout', 'projects/export'])
    expect(await directory.get(`/api/admin/${path}`, moderator)).toMatchObject(FORBIDDEN);
  const entries = dataOf<AuditEntry[]>(await directory.get('/api/admin/audit?limit=100', admin));
  const actions = entries.filter(({ actor_id }) => actor_id === moderator.id).map(({ action }) => action);
  expect(new Set(actions)).toEqual(
    new Set(['projects.edit', 'projects.approve', 'projects.reject', 'reports.settleMany']),
  );
});
