import { beforeEach, expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import type { Revision } from '#contract/revisions.ts';
import { revisionKey } from '#data/keys.ts';
import { deleteItem } from '#data/write.ts';
import {
  type Directory,
  dataOf,
  FORBIDDEN,
  fullSubmission,
  idOf,
  NOT_FOUND,
  type Person,
  person,
  TIME,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import {
  checkoutOf,
  chooseOutcome,
  refundedCharge,
  sendStripeEvent,
  startPremium,
  stripeEvent,
} from '#test/support/payments.ts';
import { recordedAndStored, revisionsOf } from '#test/support/revisions.ts';
import type { TestServer } from '#test/support/server.ts';
import { csv, importFile } from '#test/support/uploads.ts';
import { withDirectory } from '#test/support/with-directory.ts';

let server: TestServer;
let directory: Directory;
let owner: Person;

withDirectory((opened) => {
  ({ server, directory } = opened);
});

beforeEach(async () => {
  owner = await person(server);
});

const stored = async (id: string): Promise<Project> =>
  dataOf(await directory.ok(directory.admin, 'GET', `/api/projects/${id}`));

/** Fails unless the project has exactly one revision more, and the revisions explain its whole content. */
const expectRevision = async (id: string, before: number, expected: Partial<Revision>): Promise<Revision> => {
  const revisions = await revisionsOf(directory, id);
  expect(revisions).toHaveLength(before + 1);
  const { recorded, stored: now } = recordedAndStored(revisions, await stored(id));
  expect(recorded).toEqual(now);
  expect(revisions[0]).toMatchObject(expected);
  return revisions[0] as Revision;
};

it('every change of the content of a listing writes one revision', async () => {
  const { admin } = directory;
  const { id } = await directory.submit(owner, fullSubmission());
  const path = `/api/projects/${id}`;
  const adminPath = `/api/admin/projects/${id}`;
  const first = await expectRevision(id, 0, {
    project_id: id,
    actor: { id: owner.id, name: owner.name },
    cause: 'submitted',
    state: 'applied',
    base_version: 0,
    note: null,
  });
  expect(first).toMatchObject({ id: idOf('rev'), at: TIME, etag: expect.stringMatching(/^1\./) as string });
  expect(first.applied).toEqual(first.changes.map(({ field }) => field));

  const byAdmin = { actor: { id: admin.id, name: admin.name } };
  const bulk = (action: object) => ['POST', '/api/admin/projects/bulk', { ids: [id], ...action }] as const;
  const settle = async (action: string) => {
    const reporter = await person(server);
    const report = dataOf<{ id: string }>(await directory.ok(reporter, 'POST', `${path}/report`, { reason: 'x' }, 201));
    return ['POST', '/api/admin/reports/settle', { ids: [report.id], status: 'resolved', action }] as const;
  };
  const category = await directory.addCategory();
  const renamed = unique('renamed');
  const status = (before: string, after: string) => [{ field: 'status' as const, before, after }];
  const steps: readonly [
    who: Person,
    request: () => Promise<readonly [string, string, unknown?]> | readonly [string, string, unknown?],
    expected: Partial<Revision>,
  ][] = [
    [
      owner,
      () => ['PUT', path, { name: 'Second', tags: [] }],
      { cause: 'edited', actor: { id: owner.id, name: owner.name } },
    ],
    [
      admin,
      () => ['PUT', path, { name: 'Third' }],
      { cause: 'moderated', ...byAdmin, changes: [{ field: 'name', before: 'Second', after: 'Third' }] },
    ],
    [
      admin,
      () => ['PUT', `${adminPath}/approve`],
      { cause: 'moderated', ...byAdmin, changes: status('pending', 'live') },
    ],
    [admin, () => settle('reject'), { cause: 'moderated', changes: status('live', 'rejected') }],
    [owner, () => ['POST', `${path}/resubmit`], { cause: 'edited', changes: status('rejected', 'pending') }],
    [admin, () => ['PUT', `${adminPath}/reject`, { reason: 'No.' }], { cause: 'moderated' }],
    [admin, () => ['PUT', adminPath, { status: 'pending' }], { cause: 'moderated' }],
    [admin, () => bulk({ action: 'reject' }), { cause: 'bulk', ...byAdmin }],
    [admin, () => ['PUT', adminPath, { status: 'pending', owner_id: 'someone' }], { cause: 'moderated' }],
    [admin, () => bulk({ action: 'approve' }), { cause: 'bulk' }],
    [admin, () => bulk({ action: 'set_categories', categories: [category.slug] }), { cause: 'bulk' }],
    [
      admin,
      () => ['PUT', `/api/admin/categories/${category.id}`, { slug: renamed }],
      { cause: 'category', actor: null, changes: [{ field: 'categories', before: [category.slug], after: [renamed] }] },
    ],
    [admin, () => ['DELETE', `/api/admin/categories/${category.id}`], { cause: 'category', actor: null }],
    [admin, () => bulk({ action: 'delete' }), { cause: 'bulk', applied: ['deleted_at'] }],
    [admin, () => bulk({ action: 'restore' }), { cause: 'bulk', applied: ['deleted_at'] }],
    [admin, () => settle('delete'), { cause: 'moderated', applied: ['deleted_at'] }],
    [
      admin,
      () => ['PUT', adminPath, { deleted_at: null, owner_id: owner.id, latitude: null, longitude: null }],
      { cause: 'moderated' },
    ],
    [owner, () => ['DELETE', path], { cause: 'edited', applied: ['deleted_at'] }],
  ];
  for (const [position, [who, request, expected]] of steps.entries()) {
    const [method, target, body] = await request();
    await directory.ok(who, method, target, body);
    await expectRevision(id, position + 1, expected);
  }
});

it('imports and payments write one revision per listing', async () => {
  const { admin } = directory;
  const name = unique('imported');
  const mapping = { columns: { name: 'name', url: 'url', description: 'description' }, on_conflict: 'update' };
  const rows = (description: string) =>
    csv(['name', 'url', 'description'], [name, `https://${name}.example/`, description]);
  await importFile(server, admin.token, rows('First.'), mapping);
  const { id } = await stored(name);
  await expectRevision(id, 0, { cause: 'imported', actor: { id: admin.id, name: admin.name }, base_version: 0 });
  await importFile(server, admin.token, rows('Second.'), mapping);
  await expectRevision(id, 1, { changes: [{ field: 'description', before: 'First.', after: 'Second.' }] });
  // The same again changes nothing.
  await importFile(server, admin.token, rows('Second.'), mapping);
  expect(await revisionsOf(directory, id)).toHaveLength(2);

  const { checkout_id } = await startPremium(directory, owner);
  await chooseOutcome(directory, checkout_id, 'paid');
  const projectId = String((await checkoutOf(directory, owner, checkout_id)).project?.id);
  await expectRevision(projectId, 0, { cause: 'submitted', actor: { id: owner.id, name: owner.name } });
  const { id: upgraded } = await directory.live(owner);
  const upgrade = dataOf<{ checkout_id: string }>(
    await directory.ok(owner, 'POST', '/api/payments/checkout', { kind: 'upgrade', project_id: upgraded }),
  );
  await chooseOutcome(directory, upgrade.checkout_id, 'paid');
  const plan = (before: string, after: string) => [{ field: 'plan' as const, before, after }];
  await expectRevision(upgraded, 2, {
    cause: 'payment',
    actor: { id: owner.id, name: owner.name },
    changes: plan('standard', 'premium'),
  });
  const { amount } = await checkoutOf(directory, owner, upgrade.checkout_id);
  const charge = { ...refundedCharge(upgrade.checkout_id, amount, amount) };
  await sendStripeEvent(server, stripeEvent('charge.refunded', charge));
  await expectRevision(upgraded, 3, { cause: 'payment', actor: null, changes: plan('premium', 'standard') });
});

it('a change that has no revision is noticed', async () => {
  const { id } = await directory.live(owner);
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { name: 'Other' });
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { description: 'Other.' });
  const check = async () => recordedAndStored(await revisionsOf(directory, id), await stored(id));
  for (const { id: revisionId } of await revisionsOf(directory, id)) {
    await deleteItem(revisionKey(id, revisionId));
    const { recorded, stored: now } = await check();
    expect(recorded).not.toEqual(now);
  }
});

it('a change of other fields, or of none, writes no revision', async () => {
  const { id } = await directory.project('rejected', owner);
  const count = async () => (await revisionsOf(directory, id)).length;
  const before = await count();
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, { rejection_reason: 'Another one.' });
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { name: (await stored(id)).name });
  expect(await count()).toBe(before);
});

it('a history is paged from the newest revision on, and shows owners no administrators', async () => {
  const { id, slug } = await directory.live(owner);
  for (const name of ['A', 'B', 'C']) await directory.ok(owner, 'PUT', `/api/projects/${id}`, { name });
  const path = `/api/projects/${slug}/revisions`;
  const own = await revisionsOf(directory, id, owner);
  expect(own.map(({ cause, actor }) => [cause, actor?.id ?? null])).toEqual([
    ['edited', owner.id],
    ['edited', owner.id],
    ['edited', owner.id],
    ['moderated', null],
    ['submitted', owner.id],
  ]);
  for (const revision of own) expect(revision).not.toHaveProperty('note');
  const first = await directory.ok(owner, 'GET', `${path}?limit=2`);
  const { meta } = first.body as { meta: { nextAfter: string } };
  expect(first.body).toEqual({ data: own.slice(0, 2), meta: { pageSize: 2, hasMore: true, nextAfter: own[1]?.id } });
  expect((await directory.ok(owner, 'GET', `${path}?limit=3&after=${meta.nextAfter}`)).body).toEqual({
    data: own.slice(2),
    meta: { pageSize: 3, hasMore: false, nextAfter: null },
  });
  const stranger = await person(server);
  expect(await directory.get(path, stranger)).toMatchObject(FORBIDDEN);
  expect(await directory.get(path)).toMatchObject(UNAUTHORIZED);
  expect(await directory.get(`${path}?page=1`, owner)).toMatchObject({ status: 400 });
  const hidden = await directory.submit(owner);
  expect(await directory.get(`/api/projects/${hidden.id}/revisions`, stranger)).toMatchObject(NOT_FOUND);
});

it('an erased user leaves the revisions, and a purge removes those of the listing', async () => {
  const { id } = await directory.live(owner);
  const { id: gone } = await directory.live(owner);
  const exported = dataOf<{ revisions: object[] }>(await directory.ok(owner, 'GET', '/api/user/export'));
  expect(exported.revisions).toHaveLength(2);
  for (const revision of exported.revisions) expect(revision).not.toHaveProperty('note');
  await directory.ok(owner, 'DELETE', '/api/user');
  expect((await revisionsOf(directory, id)).map(({ actor }) => actor?.id ?? null)).toEqual([directory.admin.id, null]);
  await directory.adminOk('DELETE', `/api/admin/projects/${gone}`);
  expect(await directory.get(`/api/projects/${gone}/revisions`, directory.admin)).toMatchObject(NOT_FOUND);
});
