import { expect, it } from 'vitest';
import type { AuditEntry } from '#contract/audit.ts';
import type { ApiKey } from '#contract/keys.ts';
import type { Project } from '#contract/projects.ts';
import { scopes } from '#contract/route.ts';
import type { AdminUser } from '#contract/users.ts';
import { apiKeyKey } from '#data/keys.ts';
import { findItem } from '#data/read.ts';
import { exists, updateItem } from '#data/write.ts';
import {
  BANNED,
  type Directory,
  dataOf,
  FORBIDDEN,
  idOf,
  invalidAt,
  NOT_FOUND,
  person,
  submission,
  TIME,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import { asPerson, createKey } from '#test/support/keys.ts';
import { longTest } from '#test/support/long-test.ts';
import { withDirectory } from '#test/support/with-directory.ts';

let directory: Directory;

withDirectory((opened) => {
  ({ directory } = opened);
});

const KEYS = '/api/admin/keys';
const OUT_OF_SCOPE = { status: 403, body: { error: 'Forbidden', code: 'SCOPE' } };

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const create = (...wanted: Parameters<typeof createKey>[2]) => createKey(directory.server, directory.admin, wanted);
const listed = async (id: string): Promise<ApiKey | undefined> =>
  dataOf<ApiKey[]>(await directory.get(KEYS, directory.admin)).find((one) => one.id === id);

it('a key is shown once, stored as a digest, and describes itself', async () => {
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
  expect(await listed(created.id)).toEqual(created);
  expect(JSON.stringify(await findItem(apiKeyKey(created.prefix)))).not.toContain(key.slice(15));

  const used = { ...created, last_used_on: new Date().toISOString().slice(0, 10) };
  expect(await directory.get('/api/keys/current', asPerson({ ...created, key }))).toMatchObject({
    status: 200,
    body: { data: used },
  });
  expect(await listed(created.id)).toEqual(used);
  expect(await directory.get('/api/keys/current', directory.admin)).toMatchObject(FORBIDDEN);
  expect(await directory.get('/api/keys/current')).toMatchObject(UNAUTHORIZED);
  const cookie = { cookie: `directory_token=${key}` };
  expect(await directory.get('/api/keys/current', undefined, cookie)).toMatchObject(UNAUTHORIZED);
});

it('the day of the last use is written once a day', async () => {
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

it('keys are listed newest first, and revoking one twice is once', async () => {
  const [first, second] = [await create('projects:read'), await create('projects:read')];
  const ids = dataOf<ApiKey[]>(await directory.get(KEYS, directory.admin)).map(({ id }) => id);
  expect(ids.indexOf(second.id)).toBeLessThan(ids.indexOf(first.id));
  const revoke = () => directory.as(directory.admin, 'DELETE', `${KEYS}/${first.id}`);
  const revoked = await revoke();
  expect(revoked).toMatchObject({ status: 200, body: { data: { id: first.id, revoked_at: TIME } } });
  expect((await revoke()).body).toEqual(revoked.body);
  expect(await listed(first.id)).toMatchObject({ revoked_at: dataOf<ApiKey>(revoked).revoked_at });
  expect(await directory.as(directory.admin, 'DELETE', `${KEYS}/key_01JAAAAAAAAAAAAAAAAAAAAAAA`)).toMatchObject(
    NOT_FOUND,
  );
  const foreign = `key_01JAAAAAAAAAAA${second.id.slice(-12)}`;
  expect(await directory.as(directory.admin, 'DELETE', `${KEYS}/${foreign}`)).toMatchObject(NOT_FOUND);
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

it.each([
  ['name', { name: ' ' }],
  ['name', { name: undefined }],
  ['scopes', { scopes: [] }],
  ['scopes', { scopes: undefined }],
  ['expires_at', { expires_at: '2026-01-01T00:00:00Z' }],
  ['expires_at', { expires_at: 'soon' }],
])('a key with an invalid %s is rejected', async (field, more) => {
  const body = { name: 'Program', scopes: ['projects:read'], ...more };
  expect(await directory.as(directory.admin, 'POST', KEYS, body)).toMatchObject(invalidAt(field));
});

it('an unknown scope is rejected by its position', async () => {
  const body = { name: 'Program', scopes: ['projects:read', 'users:write'] };
  expect(await directory.as(directory.admin, 'POST', KEYS, body)).toMatchObject(invalidAt('scopes', 1));
});

it('keys with all scopes cannot administer users, settings, payments, promotions, keys and the audit log', async () => {
  const key = asPerson(await create(...scopes));
  for (const path of ['users', 'layout', 'promotions', 'keys', 'audit'])
    expect({ path, ...(await directory.get(`/api/admin/${path}`, key)) }).toMatchObject({ path, ...OUT_OF_SCOPE });
  expect(await directory.as(key, 'DELETE', `/api/admin/projects/x`)).toMatchObject(OUT_OF_SCOPE);
  for (const path of ['/api/user/profile', '/api/me/submissions', '/api/payments'])
    expect({ path, ...(await directory.get(path, key)) }).toMatchObject({ path, ...OUT_OF_SCOPE });
});

it('a key submits as a service user of its own, which is no administrator', async () => {
  const key = asPerson(await create('projects:write'));
  const body = submission({ categories: [directory.category] });
  const submitted = await directory.as(key, 'POST', '/api/projects', body);
  expect(submitted.status).toBe(201);
  const { id } = dataOf<Project>(submitted);
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

it('projects:write edits content, and projects:read reads every listing', async () => {
  const [writer, reader] = [asPerson(await create('projects:write')), asPerson(await create('projects:read'))];
  const { id } = await directory.submit(await person(directory.server));
  const path = `/api/admin/projects/${id}`;
  expect(await directory.as(writer, 'PUT', path, { description: 'Edited.', plan: 'standard' })).toMatchObject({
    status: 200,
    body: { data: { description: 'Edited.', status: 'pending', possible_duplicates: [] } },
  });
  for (const edit of [{ status: 'live' }, { plan: 'premium' }, { owner_id: writer.id }])
    expect(await directory.as(writer, 'PUT', path, edit)).toMatchObject(OUT_OF_SCOPE);
  const bulk = (action: string, more = {}) =>
    directory.as(writer, 'POST', '/api/admin/projects/bulk', { action, ids: [id], ...more });
  for (const action of ['approve', 'reject']) expect(await bulk(action)).toMatchObject(OUT_OF_SCOPE);
  for (const action of ['set_categories', 'delete', 'restore'])
    expect(await bulk(action, { categories: [directory.category] })).toMatchObject({
      body: { data: { succeeded: 1 } },
    });
  await directory.server.until(async () => {
    const page = await directory.get(`/api/admin/projects?status=pending&owner=${id}`, reader);
    expect(page.status).toBe(200);
    const all = dataOf<Project[]>(await directory.get('/api/admin/projects?status=pending&limit=100', reader));
    return all.some((project) => project.id === id && project.possible_duplicates !== undefined);
  });
  expect((await directory.get('/api/admin/projects/export', reader)).status).toBe(200);
});

longTest('moderation decides, reports included, but deletes only with projects:write', async () => {
  const key = asPerson(await create('moderation'));
  const [first, second] = [
    await directory.submit(await person(directory.server)),
    await directory.submit(await person(directory.server)),
  ];
  expect(await directory.as(key, 'PUT', `/api/admin/projects/${first.id}/approve`)).toMatchObject({
    body: { data: { status: 'live' } },
  });
  const reject = { action: 'reject', ids: [second.id] };
  const bulk = await directory.as(key, 'POST', '/api/admin/projects/bulk', reject);
  expect(bulk).toMatchObject({ body: { data: { succeeded: 1 } } });
  const { batch_id } = dataOf<{ batch_id: string }>(bulk);
  // The service user of the key is the actor of its batches and revisions.
  const actor = { id: key.id, name: key.name };
  expect((await directory.adminOk('GET', `/api/admin/batches/${batch_id}`)).body).toMatchObject({ data: { actor } });
  const revisions = await directory.adminOk('GET', `/api/projects/${second.id}/revisions`);
  expect(dataOf<unknown[]>(revisions)[0]).toMatchObject({ cause: 'bulk', actor });
  expect(
    await directory.as(key, 'POST', '/api/admin/projects/bulk', { action: 'delete', ids: [first.id] }),
  ).toMatchObject(OUT_OF_SCOPE);
  const report = await directory.as(directory.admin, 'POST', `/api/projects/${first.id}/report`, { reason: 'Spam' });
  const settle = (who: typeof key, action: string) =>
    directory.as(who, 'POST', '/api/admin/reports/settle', {
      ids: [dataOf<{ id: string }>(report).id],
      status: 'resolved',
      action,
    });
  expect(await settle(key, 'delete')).toMatchObject(OUT_OF_SCOPE);
  const both = asPerson(await create('moderation', 'projects:write'));
  expect(await settle(both, 'delete')).toMatchObject({ body: { data: { succeeded: 1 } } });
  expect((await directory.get('/api/admin/replies', key)).status).toBe(200);
});

it('what a key writes is audited under its name', async () => {
  const key = asPerson(await create('categories:write'));
  const created = await directory.as(key, 'POST', '/api/admin/categories', { name: unique('Category') });
  expect(created.status).toBe(201);
  const subject = `category:${dataOf<{ id: string }>(created).id}`;
  expect(
    dataOf<AuditEntry[]>(await directory.get(`/api/admin/audit?subject=${subject}`, directory.admin)),
  ).toMatchObject([
    { actor_id: key.id, actor_name: key.name, action: 'categories.create', address: expect.any(String) as string },
  ]);
  const prefix = (await listed(key.id))?.prefix;
  const creation = await directory.get(`/api/admin/audit?subject=key:${prefix}`, directory.admin);
  expect(dataOf<AuditEntry[]>(creation)).toMatchObject([{ actor_id: directory.admin.id, action: 'keys.create' }]);
});

it('the report of any listing can be read with analytics:read', async () => {
  const key = asPerson(await create('analytics:read'));
  const { id } = await directory.submit(await person(directory.server));
  expect((await directory.get(`/api/analytics/projects/${id}`, key)).status).toBe(200);
  expect(await directory.get('/api/analytics/projects/prj_none', key)).toMatchObject(NOT_FOUND);
});
