import { expect, it } from 'vitest';
import type { AuditEntry } from '#contract/audit.ts';
import { isAudited } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { dataOf, idOf, person } from '#test/support/fixtures.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { directory } = await sharedDirectory();
const owner = await person(directory.server);

const log = async (query: string): Promise<AuditEntry[]> =>
  dataOf(await directory.adminOk('GET', `/api/admin/audit?limit=100&${query}`));

const subjectOf = ({ id }: { readonly id: string }) => `subject=project:${id}`;

it("the audit log has actor, action, subject, time, address and input of an administrator's write", async () => {
  const project = await directory.submit(owner);
  const before = new Date().toISOString();
  const path = `/api/admin/projects/${project.id}/reject`;
  const address = { 'x-forwarded-for': '203.0.113.77' };
  const { headers } = await directory.as(directory.admin, 'PUT', path, { reason: 'Not yet.' }, address);
  const [entry] = await log(subjectOf(project));
  expect(entry).toMatchObject({
    id: idOf('aud'),
    actor_id: directory.admin.id,
    action: 'projects.reject',
    subjects: [`project:${project.id}`],
    request_id: headers.get('x-request-id'),
    address: '203.0.113.77',
    input: { reason: 'Not yet.' },
  });
  expect(entry?.at.localeCompare(before)).toBeGreaterThanOrEqual(0);
});

it("the audit log has an owner's edit of their project without their address", async () => {
  const project = await directory.submit(owner);
  await directory.ok(owner, 'PUT', `/api/projects/${project.id}`, { description: 'New text.' });
  expect(await log(subjectOf(project))).toMatchObject([
    { action: 'projects.update', address: null, input: { description: 'New text.' } },
  ]);
});

it('the audit log has no rejected requests, reads and edits without changes', async () => {
  const project = await directory.submit(owner, { name: 'Untouched' });
  const path = `/api/admin/projects/${project.id}`;
  await directory.ok(owner, 'PUT', `${path}/approve`, undefined, 403);
  await directory.ok(directory.admin, 'PUT', path, { name: '' }, 400);
  await directory.adminOk('PUT', path, { name: 'Untouched' });
  await directory.read(project.id, directory.admin);
  expect(await log(subjectOf(project))).toEqual([]);
});

it('the audit log lists a bulk change under each project, and a reordering under each category', async () => {
  const projects = [await directory.submit(owner), await directory.submit(owner)];
  await directory.adminOk('POST', '/api/admin/projects/bulk', { ids: projects.map(({ id }) => id), action: 'approve' });
  for (const project of projects) expect(await log(subjectOf(project))).toMatchObject([{ action: 'projects.bulk' }]);

  const { id } = await directory.addCategory();
  await directory.adminOk('PUT', '/api/admin/categories/reorder', [{ id, sort_order: 3 }]);
  await directory.adminOk('DELETE', `/api/admin/categories/${id}`);
  expect((await log(`subject=category:${id}`)).map(({ action }) => action)).toEqual([
    'categories.remove',
    'categories.reorder',
    'categories.create',
  ]);
});

it('every route of administrators that writes is audited', () => {
  const writes = routes.filter((route) => route.auth === 'admin' && route.method !== 'GET');
  expect(writes.filter((route) => !isAudited(route))).toEqual([]);
});

it('the audit log omits the URL of a webhook, which may contain a secret', async () => {
  const webhook = { url: 'https://discord.com/api/webhooks/1/very-secret', kinds: ['projectApproved'] };
  await directory.adminOk('POST', '/api/admin/webhooks', webhook, 201);
  const [entry] = await log(`actor=${directory.admin.id}`);
  expect(entry).toMatchObject({ action: 'webhooks.create', input: { kinds: ['projectApproved'] } });
  expect(JSON.stringify(entry)).not.toContain('very-secret');
});

it('the audit log is filtered by actor and time', async () => {
  const project = await directory.submit(owner);
  await directory.ok(owner, 'PUT', `/api/projects/${project.id}`, { name: 'Edited once' });
  await directory.adminOk('PUT', `/api/admin/projects/${project.id}`, { name: 'Edited twice' });
  const [byAdmin, byOwner] = await log(subjectOf(project));
  for (const scope of [`actor=${owner.id}`, `${subjectOf(project)}&actor=${owner.id}`]) {
    const ofOwner = await log(scope);
    expect(ofOwner[0]).toEqual(byOwner);
    expect(ofOwner.every(({ actor_id }) => actor_id === owner.id)).toBe(true);
  }
  for (const scope of [`actor=${directory.admin.id}`, subjectOf(project)]) {
    expect((await log(`${scope}&to=${byAdmin?.at}`))[0]).toEqual(byAdmin);
    expect((await log(`${scope}&from=${byAdmin?.at}`)).at(-1)?.at).toBe(byAdmin?.at);
    expect(await log(`${scope}&to=2020-01-01`)).toEqual([]);
    expect(await log(`${scope}&from=2999-01-01`)).toEqual([]);
  }
});
