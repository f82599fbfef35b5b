import { beforeEach, expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import type { Revision } from '#contract/revisions.ts';
import { revisionKey } from '#data/keys.ts';
import { deleteItem } from '#data/write.ts';
import { untilEventsDelivered } from '#test/support/events.ts';
import {
  conflict,
  dataOf,
  FORBIDDEN,
  fullSubmission,
  idOf,
  invalidAt,
  NOT_FOUND,
  type Person,
  person,
  STALE,
  success,
  TIME,
  UNAUTHORIZED,
  unique,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import {
  checkoutOf,
  chooseOutcome,
  refundedCharge,
  sendStripeEvent,
  startPremium,
  stripeEvent,
} from '#test/support/payments.ts';
import { recordedAndStored, revisionsOf } from '#test/support/revisions.ts';
import { csv, importFile } from '#test/support/uploads.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

let owner: Person;

const { server, directory } = await sharedDirectory();

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

longTest('every change of the content of a listing writes one revision', async () => {
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

longTest('imports and payments write one revision per listing', async () => {
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

longTest('a change that has no revision is noticed', async () => {
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

it('a history begins with the newest revision, and shows owners no administrators', async () => {
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
  const stranger = await person(server);
  expect(await directory.get(path, stranger)).toMatchObject(FORBIDDEN);
  expect(await directory.get(path)).toMatchObject(UNAUTHORIZED);
  const hidden = await directory.submit(owner);
  expect(await directory.get(`/api/projects/${hidden.id}/revisions`, stranger)).toMatchObject(NOT_FOUND);
});

longTest('an erased user leaves the revisions, and a purge removes those of the listing', async () => {
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

const restore = (id: string, revisionId: string, body?: unknown, headers?: Record<string, string>) =>
  directory.asAdmin('POST', `/api/admin/projects/${id}/revisions/${revisionId}/restore`, body, headers);

const latest = async (id: string): Promise<string> => (await revisionsOf(directory, id))[0]?.id ?? '';

it('restoring a revision sets its fields back, those of rights and visibility only when they are named', async () => {
  const { id } = await directory.live(owner);
  const before = await stored(id);
  const slug = unique('moved');
  const adminPath = `/api/admin/projects/${id}`;
  await directory.adminOk('PUT', adminPath, {
    name: 'Other',
    slug,
    plan: 'premium',
    status: 'rejected',
    owner_id: 'someone',
  });
  const revisionId = await latest(id);
  const mails = async () => (await server.mails()).filter(({ to }) => to === owner.email).length;
  await untilEventsDelivered(server, directory);
  const sent = await mails();
  expect(await restore(id, revisionId, { fields: ['tags'] })).toMatchObject(invalidAt('fields'));
  expect(await restore(id, revisionId, {}, { 'if-match': '"1.x"' })).toMatchObject(STALE);
  expect(await restore(id, revisionId)).toMatchObject(
    success({ name: before.name, slug: before.slug, plan: 'premium', status: 'rejected', owner_id: 'someone' }),
  );
  await expectRevision(id, 3, { cause: 'restored', applied: ['name', 'slug'] });
  expect(await restore(id, revisionId, { fields: ['plan', 'status', 'owner_id'] })).toMatchObject(
    success({ plan: 'standard', status: 'live', owner_id: owner.id }),
  );
  await expectRevision(id, 4, { cause: 'restored', actor: { id: directory.admin.id, name: directory.admin.name } });
  await directory.adminOk('DELETE', `/api/projects/${id}`);
  const deletion = await latest(id);
  expect(await restore(id, deletion, { fields: ['deleted_at'] })).toMatchObject(success({ deleted_at: null }));
  // A restoration can be undone, too.
  expect(await restore(id, await latest(id), { fields: ['deleted_at'] })).toMatchObject(success({ deleted_at: TIME }));
  await untilEventsDelivered(server, directory);
  expect(await mails()).toBe(sent);
  const events = await directory.adminOk('GET', '/api/admin/events?kind=projectUpdated&limit=1');
  expect(dataOf(events)).toMatchObject([{ data: { project_id: id, changed: ['deleted_at'] } }]);
  const audit = await directory.adminOk('GET', `/api/admin/audit?subject=project:${id}&limit=1`);
  expect(dataOf(audit)).toMatchObject([{ action: 'revisions.restore', actor_id: directory.admin.id }]);
});

longTest('a field that cannot come back is an error of that field, and nothing changes', async () => {
  const { admin } = directory;
  const category = await directory.addCategory();
  const leaving = await person(server);
  const { id, slug } = await directory.live(leaving, { categories: [category.slug] });
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, {
    name: 'Other',
    slug: unique('moved'),
    categories: [directory.category],
    owner_id: owner.id,
  });
  const revisionId = await latest(id);
  await directory.ok(admin, 'DELETE', `/api/admin/categories/${category.id}`);
  await directory.ok(leaving, 'DELETE', '/api/user');
  const count = (await revisionsOf(directory, id)).length;
  expect(await restore(id, revisionId)).toMatchObject(invalidAt('categories'));
  expect(await restore(id, revisionId, { fields: ['name', 'owner_id'] })).toMatchObject(invalidAt('owner_id'));
  expect(await stored(id)).toMatchObject({ name: 'Other', owner_id: owner.id });
  expect(await revisionsOf(directory, id)).toHaveLength(count);
  expect(await restore(id, revisionId, { fields: ['slug', 'name'] })).toMatchObject(success({ slug }));

  const submitted = (await revisionsOf(directory, id)).at(-1)?.id ?? '';
  expect(await restore(id, submitted)).toMatchObject(conflict('INVALID_TRANSITION'));
  expect(await restore(id, 'rev_x')).toMatchObject(NOT_FOUND);
  const path = `/api/admin/projects/${id}/revisions/${revisionId}/restore`;
  expect(await directory.as(owner, 'POST', path)).toMatchObject(FORBIDDEN);

  const name = unique('imported');
  const mapping = { columns: { name: 'name', url: 'url', description: 'description' } };
  await importFile(
    server,
    admin.token,
    csv(['name', 'url', 'description'], [name, 'https://x.example/', 'X.']),
    mapping,
  );
  const imported = await stored(name);
  const creation = await latest(imported.id);
  expect(await restore(imported.id, creation)).toMatchObject(invalidAt('name'));
  expect(await restore(imported.id, creation, { fields: ['status'] })).toMatchObject(invalidAt('status'));
});

longTest(
  'a moderator undoes content, and of decisions only the own latest one, but not on an own listing',
  async () => {
    const moderator = await person(server);
    await directory.ok(moderator, 'GET', '/api/user/profile');
    await directory.adminOk('PUT', `/api/admin/users/${moderator.id}`, { role: 'moderator' });
    const { id } = await directory.submit(owner);
    const adminPath = `/api/admin/projects/${id}`;
    const undo = (revisionId: string, body?: unknown, who = moderator) =>
      directory.as(who, 'POST', `${adminPath}/revisions/${revisionId}/restore`, body);
    await directory.ok(moderator, 'PUT', `${adminPath}/approve`);
    const approval = await latest(id);
    await directory.ok(moderator, 'PUT', adminPath, { name: 'Other' });
    expect(await undo(await latest(id))).toMatchObject({ status: 200 });
    expect(await undo(approval, { fields: ['status'] })).toMatchObject(success({ status: 'pending' }));
    await directory.adminOk('PUT', adminPath, { status: 'live', plan: 'premium' });
    const byAdmin = await latest(id);
    expect(await undo(approval, { fields: ['status'] })).toMatchObject(FORBIDDEN);
    for (const field of ['status', 'plan']) expect(await undo(byAdmin, { fields: [field] })).toMatchObject(FORBIDDEN);
    const own = await directory.live(moderator);
    const path = `/api/admin/projects/${own.id}/revisions/${await latest(own.id)}/restore`;
    expect(await directory.as(moderator, 'POST', path)).toMatchObject(FORBIDDEN);
  },
);
