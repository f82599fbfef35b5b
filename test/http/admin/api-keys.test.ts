import { expect, it } from 'vitest';
import type { ApiKey, ListedApiKey } from '#contract/api-keys.ts';
import type { AuditEntry } from '#contract/audit.ts';
import type { Project } from '#contract/projects.ts';
import type { AdminUser } from '#contract/users.ts';
import { apiKeyKey } from '#data/keys.ts';
import { findItem } from '#data/read.ts';
import { exists, updateItem } from '#data/write.ts';
import { finishErasure } from '#services/users/erase.ts';
import { runAsHandler } from '#test/support/aws-calls.ts';
import { untilEventsDelivered } from '#test/support/events.ts';
import {
  BANNED,
  dataOf,
  FORBIDDEN,
  idOf,
  invalidAt,
  NOT_FOUND,
  type Person,
  person,
  submission,
  success,
  TIME,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import { asPerson, createKey } from '#test/support/keys.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();

const KEYS = '/api/admin/keys';
const OUT_OF_SCOPE = { status: 403, body: { error: 'Forbidden', code: 'SCOPE' } };

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const create = (...wanted: Parameters<typeof createKey>[2]) => createKey(directory.server, directory.admin, wanted);
const listed = async (id: string): Promise<ListedApiKey | undefined> =>
  dataOf<ListedApiKey[]>(await directory.get(KEYS, directory.admin)).find((one) => one.id === id);

it('an API key is shown once, stored as a digest, and describes itself', async () => {
  const name = unique('Program');
  const expires_at = inAnHour();
  const { key, ...created } = await createKey(directory.server, directory.admin, ['events:read', 'projects:read'], {
    name,
    expires_at,
  });
  expect(created).toEqual({
    id: idOf('key'),
    name,
    prefix: key.slice(0, 15),
    scopes: ['projects:read', 'events:read'],
    created_at: TIME,
    expires_at,
    last_used_on: null,
    revoked_at: null,
  });
  expect(key).toMatch(/^dk_[0-9A-Za-z]{40}$/);
  const { id, name: creator } = dataOf<AdminUser>(await directory.get('/api/user/profile', directory.admin));
  const created_by = { id, name: creator, is_admin: true };
  expect(await listed(created.id)).toEqual({ ...created, created_by });
  expect(JSON.stringify(await findItem(apiKeyKey(created.prefix)))).not.toContain(key.slice(15));

  const used = { ...created, last_used_on: new Date().toISOString().slice(0, 10) };
  expect(await directory.get('/api/keys/current', asPerson({ ...created, key }))).toMatchObject(success(used));
  expect(await listed(created.id)).toEqual({ ...used, created_by });
  expect(await directory.get('/api/keys/current', directory.admin)).toMatchObject(FORBIDDEN);
  expect(await directory.get('/api/keys/current')).toMatchObject(UNAUTHORIZED);
  const cookie = { cookie: `directory_token=${key}` };
  expect(await directory.get('/api/keys/current', undefined, cookie)).toMatchObject(UNAUTHORIZED);
});

it('the day of the last use of an API key is written once a day', async () => {
  const key = await create('projects:read');
  const today = new Date().toISOString().slice(0, 10);
  for (const [before, after] of [
    ['2026-01-31', today],
    ['9999-12-31', '9999-12-31'],
  ] as const) {
    await updateItem(apiKeyKey(key.prefix), { set: { last_used_on: before } }, exists);
    expect(dataOf(await directory.get('/api/keys/current', asPerson(key)))).toMatchObject({ last_used_on: after });
  }
});

it('API keys are listed newest first, and revoking one twice equals revoking it once', async () => {
  const [first, second] = [await create('projects:read'), await create('projects:read')];
  const ids = dataOf<ListedApiKey[]>(await directory.get(KEYS, directory.admin)).map(({ id }) => id);
  expect(ids.indexOf(second.id)).toBeLessThan(ids.indexOf(first.id));
  const revoke = () => directory.asAdmin('DELETE', `${KEYS}/${first.id}`);
  const revoked = await revoke();
  expect(revoked).toMatchObject(success({ id: first.id, revoked_at: TIME }));
  expect((await revoke()).body).toEqual(revoked.body);
  expect(await listed(first.id)).toMatchObject({ revoked_at: dataOf<ApiKey>(revoked).revoked_at });
  expect(await directory.asAdmin('DELETE', `${KEYS}/key_01JAAAAAAAAAAAAAAAAAAAAAAA`)).toMatchObject(NOT_FOUND);
  const foreign = `key_01JAAAAAAAAAAA${second.id.slice(-12)}`;
  expect(await directory.asAdmin('DELETE', `${KEYS}/${foreign}`)).toMatchObject(NOT_FOUND);
  await directory.server.until(async () => {
    const kinds = (await directory.server.events())
      .filter(({ data }) => (data as { key_id?: string }).key_id === first.id)
      .map(({ kind, actor_id, data }) => ({ kind, actor_id, data }));
    expect(kinds).toEqual([
      { kind: 'keyRevoked', actor_id: directory.admin.id, data: { key_id: first.id, name: first.name } },
      {
        kind: 'keyCreated',
        actor_id: directory.admin.id,
        data: { key_id: first.id, name: first.name, scopes: ['projects:read'], expires_at: null },
      },
    ]);
    return true;
  });
});

it('an API key that expires in the past is rejected', async () => {
  const body = { name: 'Program', scopes: ['projects:read'], expires_at: '2026-01-01T00:00:00Z' };
  expect(await directory.asAdmin('POST', KEYS, body)).toMatchObject(invalidAt('expires_at'));
});

it('an API key submits as a service user of its own, which is no administrator', async () => {
  const key = asPerson(await create('projects:write'));
  const body = submission({ categories: [directory.category] });
  const { id } = dataOf<Project>(await directory.ok(key, 'POST', '/api/projects', body, 201));
  // Its own pending listing, and no other.
  expect(dataOf(await directory.get(`/api/projects/${id}`, key))).toMatchObject({
    owner_id: key.id,
    status: 'pending',
  });
  const { id: other } = await directory.submit(await person(directory.server));
  expect(await directory.get(`/api/projects/${other}`, key)).toMatchObject(NOT_FOUND);
  const users = dataOf<AdminUser[]>(await directory.get(`/api/admin/users?q=${key.name}`, directory.admin));
  expect(users).toMatchObject([{ id: key.id, name: key.name, email: null, role: 'user', project_count: 1 }]);

  // Neither a role nor a ban of the service user gives it more rights.
  await directory.adminOk('PUT', `/api/admin/users/${key.id}`, { is_admin: true });
  expect(await directory.get('/api/admin/users', key)).toMatchObject(OUT_OF_SCOPE);
  expect(await directory.get(`/api/projects/${other}`, key)).toMatchObject(NOT_FOUND);
  await directory.adminOk('PUT', `/api/admin/users/${key.id}`, { is_admin: false, is_banned: true });
  expect(await directory.as(key, 'POST', '/api/projects', body)).toMatchObject(BANNED);
});

longTest('an API key with projects:write edits content, and one with projects:read reads every listing', async () => {
  const [writer, reader] = [asPerson(await create('projects:write')), asPerson(await create('projects:read'))];
  const { id } = await directory.submit(await person(directory.server));
  const path = `/api/admin/projects/${id}`;
  expect(await directory.as(writer, 'PUT', path, { description: 'Edited.', plan: 'standard' })).toMatchObject(
    success({ description: 'Edited.', status: 'pending', possible_duplicates: [] }),
  );
  for (const edit of [{ status: 'live' }, { plan: 'premium' }, { owner_id: writer.id }])
    expect(await directory.as(writer, 'PUT', path, edit)).toMatchObject(OUT_OF_SCOPE);
  const bulk = (action: string, more = {}) =>
    directory.as(writer, 'POST', '/api/admin/projects/bulk', { action, ids: [id], ...more });
  for (const action of ['approve', 'reject']) expect(await bulk(action)).toMatchObject(OUT_OF_SCOPE);
  for (const action of ['set_categories', 'delete', 'restore'])
    expect(await bulk(action, { categories: [directory.category] })).toMatchObject(success({ succeeded: 1 }));
  await directory.server.until(async () => {
    await directory.ok(reader, 'GET', `/api/admin/projects?status=pending&owner=${id}`);
    const all = dataOf<Project[]>(await directory.get('/api/admin/projects?status=pending&limit=100', reader));
    return all.some((project) => project.id === id && project.possible_duplicates !== undefined);
  });
  await directory.ok(reader, 'GET', '/api/admin/projects/export');
});

longTest('an API key with moderation decides, reports included, and deletes only with projects:write', async () => {
  const key = asPerson(await create('moderation'));
  const [first, second] = [
    await directory.submit(await person(directory.server)),
    await directory.submit(await person(directory.server)),
  ];
  expect(await directory.as(key, 'PUT', `/api/admin/projects/${first.id}/approve`)).toMatchObject(
    success({ status: 'live' }),
  );
  const reject = { action: 'reject', ids: [second.id] };
  const bulk = await directory.as(key, 'POST', '/api/admin/projects/bulk', reject);
  expect(bulk).toMatchObject(success({ succeeded: 1 }));
  const { batch_id } = dataOf<{ batch_id: string }>(bulk);
  // The service user of the key is the actor of its batches and revisions.
  const actor = { id: key.id, name: key.name };
  expect((await directory.adminOk('GET', `/api/admin/batches/${batch_id}`)).body).toMatchObject({ data: { actor } });
  const revisions = await directory.adminOk('GET', `/api/projects/${second.id}/revisions`);
  expect(dataOf<unknown[]>(revisions)[0]).toMatchObject({ cause: 'bulk', actor });
  expect(
    await directory.as(key, 'POST', '/api/admin/projects/bulk', { action: 'delete', ids: [first.id] }),
  ).toMatchObject(OUT_OF_SCOPE);
  const report = await directory.asAdmin('POST', `/api/projects/${first.id}/report`, { reason: 'Spam' });
  const settle = (who: typeof key, action: string) =>
    directory.as(who, 'POST', '/api/admin/reports/settle', {
      ids: [dataOf<{ id: string }>(report).id],
      status: 'resolved',
      action,
    });
  expect(await settle(key, 'delete')).toMatchObject(OUT_OF_SCOPE);
  const both = asPerson(await create('moderation', 'projects:write'));
  expect(await settle(both, 'delete')).toMatchObject(success({ succeeded: 1 }));
  await directory.ok(key, 'GET', '/api/admin/replies');
});

it('what an API key writes is audited under its name', async () => {
  const key = asPerson(await create('categories:write'));
  const created = await directory.ok(key, 'POST', '/api/admin/categories', { name: unique('Category') }, 201);
  const subject = `category:${dataOf<{ id: string }>(created).id}`;
  expect(
    dataOf<AuditEntry[]>(await directory.get(`/api/admin/audit?subject=${subject}`, directory.admin)),
  ).toMatchObject([
    { actor_id: key.id, actor_name: key.name, action: 'categories.create', address: expect.any(String) as string },
  ]);
  await directory.adminOk('DELETE', `${KEYS}/${key.id}`);
  const ofKey = await directory.get(`/api/admin/audit?subject=key:${key.id}`, directory.admin);
  expect(dataOf<AuditEntry[]>(ofKey)).toMatchObject([
    { actor_id: directory.admin.id, action: 'apiKeys.revoke', subjects: [`key:${key.id}`] },
    { actor_id: directory.admin.id, action: 'apiKeys.create', subjects: [`key:${key.id}`] },
  ]);
});

it.each([
  ['requested by the user', (maker: Person) => directory.ok(maker, 'DELETE', '/api/user')],
  ['requested by an administrator', (maker: Person) => directory.adminOk('DELETE', `/api/admin/users/${maker.id}`)],
])(
  'an API key names who made it, also without the role, and ends with the erasure of that user, %s',
  async (_, erase) => {
    const maker = await person(directory.server);
    await directory.get('/api/user/profile', maker);
    const asUser = (method: string, body?: object) => directory.adminOk(method, `/api/admin/users/${maker.id}`, body);
    await asUser('PUT', { role: 'admin' });
    const [first, second] = [
      await createKey(directory.server, maker, ['events:read']),
      await createKey(directory.server, maker, ['events:read']),
    ];
    await directory.adminOk('DELETE', `${KEYS}/${second.id}`);
    const { revoked_at } = (await listed(second.id)) ?? {};
    await asUser('PUT', { role: 'user' });
    expect(await listed(first.id)).toMatchObject({ created_by: { id: maker.id, is_admin: false }, revoked_at: null });
    expect(await directory.get('/api/keys/current', asPerson(first))).toMatchObject({ status: 200 });

    await erase(maker);
    expect(await directory.get('/api/keys/current', asPerson(first))).toMatchObject(UNAUTHORIZED);
    expect(await listed(first.id)).toMatchObject({ created_by: null, revoked_at: TIME });
    // One that had ended keeps its end.
    expect(await listed(second.id)).toMatchObject({ created_by: null, revoked_at });
    const revocations = dataOf<{ data: { key_id: string } }[]>(
      await directory.adminOk('GET', '/api/admin/events?kind=keyRevoked&limit=100'),
    ).filter(({ data }) => [first.id, second.id].includes(data.key_id));
    expect(revocations).toHaveLength(2);
  },
);

it('an API key that the request of an erasure left is ended by its task', async () => {
  const maker = await person(directory.server);
  await directory.get('/api/user/profile', maker);
  await directory.adminOk('PUT', `/api/admin/users/${maker.id}`, { role: 'admin' });
  const key = await createKey(directory.server, maker, ['events:read']);
  await directory.ok(maker, 'DELETE', '/api/user');
  // The task of this erasure would end the key too.
  await untilEventsDelivered(server, directory);
  // As if the process had died after the record of the user was erased.
  await updateItem(apiKeyKey(key.prefix), { set: { created_by: maker.id, revoked_at: null } }, exists);
  expect(await directory.get('/api/keys/current', asPerson(key))).toMatchObject({ status: 200 });
  await runAsHandler('users.finishErasure', () => finishErasure({ user_id: maker.id, projects: 'keep' }));
  expect(await directory.get('/api/keys/current', asPerson(key))).toMatchObject(UNAUTHORIZED);
  expect(await listed(key.id)).toMatchObject({ created_by: null, revoked_at: TIME });
});
