import { beforeEach, expect, it } from 'vitest';
import type { PendingRevision, Project, ProjectUpdate } from '#contract/projects.ts';
import type { QueuedRevision } from '#contract/revisions.ts';
import {
  conflict,
  dataOf,
  FORBIDDEN,
  idOf,
  invalidAt,
  NOT_FOUND,
  type Person,
  person,
  STALE,
  type Submitted,
  success,
  TIME,
  unique,
  versionOf,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { recordedAndStored, revisionsOf } from '#test/support/revisions.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

let owner: Person;
let listing: Submitted;
let path: string;

const { server, directory } = await ownDirectory({ env: { LIVE_EDITS: 'review' } });

beforeEach(async () => {
  owner = await person(server);
  listing = await directory.live(owner);
  path = `/api/projects/${listing.id}`;
});

const edit = async (fields: ProjectUpdate, who = owner): Promise<Project> =>
  dataOf(await directory.ok(who, 'PUT', path, fields));

/** Fails the test unless the revisions explain the record. @returns the revisions. */
const expectConsistent = async (who?: Person) => {
  const revisions = await revisionsOf(directory, listing.id);
  const { recorded, stored } = recordedAndStored(revisions, await directory.read(listing.id, who));
  expect(recorded).toEqual(stored);
  return revisions;
};

const pendingEdit = async (fields: ProjectUpdate): Promise<PendingRevision> =>
  (await edit(fields)).pending_revision as PendingRevision;

const decide = (action: string, id: string, body?: unknown, headers?: Record<string, string>) =>
  directory.asAdmin('POST', `/api/admin/projects/${listing.id}/revisions/${id}/${action}`, body, headers);

const published = () => directory.read(listing.id);
const revision = async (id: string) => (await revisionsOf(directory, listing.id)).find((one) => one.id === id);
const queued = async (query = ''): Promise<QueuedRevision[]> =>
  dataOf(await directory.adminOk('GET', `/api/admin/revisions?project=${listing.id}${query}`));
const change = <F extends string>(field: F, before: unknown, after: unknown) => ({ field, before, after });

const kinds = async (count: number) => {
  const events = dataOf<{ kind: string; data: { project_id?: string } }[]>(
    await directory.adminOk('GET', '/api/admin/events?limit=100'),
  );
  return events
    .filter(({ data }) => data.project_id === listing.id)
    .slice(0, count)
    .map(({ kind }) => kind);
};

longTest('an edit of further fields waits like others, and shows each reader what it may see', async () => {
  const define = async (given: object): Promise<string> => {
    const key = unique('field').toLowerCase().replaceAll('-', '_');
    await directory.adminOk('POST', '/api/admin/fields', { key, label: key, type: 'number', ...given }, 201);
    return key;
  };
  const [open, own] = [await define({}), await define({ access: 'owner' })];
  const { id, changes } = await pendingEdit({ fields: { [open]: 1, [own]: 2 } });
  const both = [change(`fields.${open}`, null, 1), change(`fields.${own}`, null, 2)];
  expect(changes).toEqual(both);
  expect((await published()).fields).toEqual({});
  expect((await directory.read(listing.id, await person(server))).pending_revision).toBeUndefined();
  expect((await queued())[0]?.changes).toEqual(both);
  // Approved in part: the other field stays as it is.
  expect(await decide('approve', id, { fields: [`fields.${open}`] })).toMatchObject({ status: 200 });
  expect((await directory.read(listing.id, owner)).fields).toEqual({ [open]: 1 });
  const next = await pendingEdit({ fields: { [open]: null } });
  expect(next.changes).toEqual([change(`fields.${open}`, 1, null)]);
  expect(await decide('reject', next.id, { reason: 'Keep it.' })).toMatchObject({ status: 200 });
  expect((await published()).fields).toEqual({ [open]: 1 });
});

it('the public settings say when edits are published', async () => {
  expect((await directory.get('/api/settings')).body).toMatchObject({ data: { limits: { live_edits: 'review' } } });
});

longTest('a pending edit is shown in every read to its owner and administrators, and to no other reader', async () => {
  const before = await directory.get(path, owner);
  const name = unique('Renamed');
  const pending = await pendingEdit({ name });
  const { name: oldName } = await published();
  expect(pending).toEqual({ id: idOf('rev'), at: TIME, changes: [change('name', oldName, name)] });
  expect(await published()).not.toHaveProperty('pending_revision');
  expect((await published()).name).toBe(oldName);
  const after = await directory.get(path, owner);
  expect(versionOf(after)).toBe(versionOf(before));
  expect(after.body).toMatchObject({ data: { name: oldName, pending_revision: pending } });
  for (const who of [owner, directory.admin])
    expect((await directory.read(listing.id, who)).pending_revision).toEqual(pending);
  const lists = ['/api/me/submissions', `/api/projects?q=${oldName}`, `/api/admin/projects?q=${oldName}`];
  for (const list of lists) {
    const who = list.includes('admin') ? directory.admin : owner;
    await server.until(async () => {
      const found = dataOf<Project[]>(await directory.ok(who, 'GET', list)).find(({ id }) => id === listing.id);
      return found?.pending_revision?.id === pending.id;
    });
  }
  expect(dataOf<Project[]>(await directory.get(`/api/projects?q=${oldName}`))[0]).not.toHaveProperty(
    'pending_revision',
  );
  expect(await kinds(1)).toEqual(['revisionSubmitted']);
  expect((await revisionsOf(directory, listing.id, owner))[0]).toMatchObject({
    id: pending.id,
    state: 'pending',
    cause: 'edited',
    applied: [],
    actor: { id: owner.id },
  });
});

it('a pending edit includes further edits, and is withdrawn when nothing is left of it', async () => {
  const { name, description } = await published();
  const first = await pendingEdit({ name: 'Second' });
  const etag = (await revision(first.id))?.etag;
  expect(await pendingEdit({ description: 'Another one.', status: 'live' })).toEqual({
    ...first,
    changes: [change('name', name, 'Second'), change('description', description, 'Another one.')],
  });
  expect((await revision(first.id))?.etag).not.toBe(etag);
  // A repeated edit changes nothing.
  const again = await revision(first.id);
  await edit({ description: 'Another one.' });
  expect(await revision(first.id)).toEqual(again);
  expect((await pendingEdit({ name })).changes).toEqual([change('description', description, 'Another one.')]);
  expect((await edit({ description })).pending_revision).toBeNull();
  expect(await revision(first.id)).toMatchObject({ state: 'withdrawn' });
  expect((await published()).name).toBe(name);
  expect(await queued()).toEqual([]);
});

it('a pending edit is refused with invalid fields and with the slug of another listing', async () => {
  for (const [field, fields] of [
    ['name', { name: '' }],
    ['categories', { categories: ['no-such-category'] }],
    ['longitude', { latitude: 5 }],
  ] as const)
    expect(await directory.as(owner, 'PUT', path, fields)).toMatchObject(invalidAt(field));
  const { slug } = await directory.live(owner);
  expect(await directory.as(owner, 'PUT', path, { slug })).toMatchObject(conflict('SLUG_TAKEN'));
  expect((await directory.read(listing.id, owner)).pending_revision).toBeNull();
});

it('a pending edit does not move the version, and honours that of the published record', async () => {
  const { headers } = await directory.get(path, owner);
  const tag = headers.get('etag') ?? '';
  const version = versionOf({ headers }) as number;
  for (const name of ['A', 'B']) {
    const response = await directory.as(owner, 'PUT', path, { name }, { 'if-match': tag });
    expect([response.status, versionOf(response)]).toEqual([200, version]);
  }
  const stale = { 'if-match': `"${version + 1}.x"` };
  expect(await directory.as(owner, 'PUT', path, { name: 'C' }, stale)).toMatchObject(STALE);
  const byAdmin = await directory.adminOk('PUT', `/api/admin/projects/${listing.id}`, { description: 'Theirs.' });
  expect(versionOf(byAdmin)).toBe(version + 1);
  expect(await directory.as(owner, 'PUT', path, { name: 'C' }, { 'if-match': tag })).toMatchObject(STALE);
});

it('a pending edit is withdrawn by its owner', async () => {
  const { id } = await pendingEdit({ name: 'Second' });
  const target = `${path}/revisions/${id}`;
  expect(await directory.asAdmin('DELETE', target)).toMatchObject(FORBIDDEN);
  expect((await directory.ok(owner, 'DELETE', target)).body).toEqual({ data: { id, state: 'withdrawn' } });
  expect(await directory.as(owner, 'DELETE', target)).toMatchObject(conflict('INVALID_TRANSITION'));
  expect((await directory.read(listing.id, owner)).pending_revision).toBeNull();
});

it.each([
  ['is rejected', () => directory.adminOk('PUT', `/api/admin/projects/${listing.id}`, { status: 'rejected' })],
  ['is deleted by its owner', () => directory.ok(owner, 'DELETE', path)],
])('a pending edit is dropped when the listing %s', async (_, leave) => {
  const { id } = await pendingEdit({ name: 'Second' });
  await leave();
  expect(await revision(id)).toMatchObject({ state: 'dropped', applied: [] });
  await expectConsistent(directory.admin);
  expect(await decide('approve', id)).toMatchObject(conflict('INVALID_TRANSITION'));
});

it('edits through the routes of administrators, of others, and of listings that are not live are published at once', async () => {
  const { admin } = directory;
  expect(await edit({ name: 'By an administrator' }, admin)).toMatchObject({
    name: 'By an administrator',
    pending_revision: null,
  });
  const pending = await directory.submit(owner);
  const changed = await directory.ok(owner, 'PUT', `/api/projects/${pending.id}`, { name: 'Not yet public' });
  expect(changed.body).toMatchObject({ data: { name: 'Not yet public', pending_revision: null } });
  const own = await directory.live(admin);
  const waits = await directory.ok(admin, 'PUT', `/api/projects/${own.id}`, { name: 'Of their own' });
  expect(waits.body).toMatchObject({
    data: { pending_revision: { changes: [{ field: 'name', after: 'Of their own' }] } },
  });
  const direct = await directory.adminOk('PUT', `/api/admin/projects/${own.id}`, { name: 'Directly' });
  expect(direct.body).toMatchObject({
    data: { name: 'Directly', pending_revision: { changes: [{ after: 'Of their own' }] } },
  });
});

longTest('the queue of pending edits lists the oldest first, with what is outdated', async () => {
  const { id } = await pendingEdit({ name: 'Second', description: 'New.' });
  const other = await directory.live(owner);
  await directory.ok(owner, 'PUT', `/api/projects/${other.id}`, { name: 'Later' });
  await directory.adminOk('PUT', `/api/admin/projects/${listing.id}`, { name: 'Third' });
  const all = dataOf<QueuedRevision[]>(await directory.adminOk('GET', '/api/admin/revisions?limit=100'));
  expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted());
  expect(all.find((one) => one.id === id)).toMatchObject({
    project: { id: listing.id, slug: listing.slug, name: 'Third' },
    outdated: ['name'],
    state: 'pending',
    actor: { id: owner.id, name: owner.name },
    note: null,
  });
  expect((await queued()).map((one) => one.id)).toEqual([id]);
  expect((await queued('&state=applied')).map(({ cause }) => cause)).toEqual(['submitted', 'moderated', 'moderated']);
  expect(await directory.get('/api/admin/revisions?state=applied', directory.admin)).toMatchObject(invalidAt('state'));
  expect(dataOf(await directory.adminOk('GET', '/api/admin/revisions?state=pending&project=nothing'))).toEqual([]);
});

it('the approval of a pending edit publishes all fields in one change of the version', async () => {
  const slug = unique('moved');
  const category = await directory.addCategory();
  const { id } = await pendingEdit({ name: 'Second', slug, categories: [category.slug], tags: ['new'] });
  const { etag = '' } = (await revision(id)) ?? {};
  expect(await decide('approve', id, {}, { 'if-match': '"1.x"' })).toMatchObject(STALE);
  const version = versionOf(await directory.get(path)) as number;
  const response = await decide('approve', id, { note: 'Fine.' }, { 'if-match': `"${etag}"` });
  expect(response).toMatchObject(
    success({ name: 'Second', slug, categories: [category.slug], tags: ['new'], pending_revision: null }),
  );
  expect(versionOf(response)).toBe(version + 1);
  expect(await revision(id)).toMatchObject({
    state: 'approved',
    applied: ['name', 'slug', 'categories', 'tags'],
    note: 'Fine.',
    actor: { id: owner.id },
  });
  // The earlier slug still answers.
  expect((await directory.read(listing.slug)).id).toBe(listing.id);
  await expectConsistent();
  expect((await kinds(2)).toSorted()).toEqual(['projectUpdated', 'revisionApproved']);
  expect(await decide('approve', id)).toMatchObject(conflict('INVALID_TRANSITION'));
  expect(await decide('reject', id, { reason: 'No.' })).toMatchObject(conflict('INVALID_TRANSITION'));
  expect(await decide('approve', 'rev_x')).toMatchObject(NOT_FOUND);
  expect((await queued('&state=approved')).map((one) => one.id)).toEqual([id]);
});

it('the approval of a pending edit returns CONFLICTING_EDIT unless it is forced to overwrite later changes', async () => {
  const { id } = await pendingEdit({ name: 'Second', description: 'New.' });
  await directory.adminOk('PUT', `/api/admin/projects/${listing.id}`, { name: 'Third' });
  expect(await decide('approve', id)).toMatchObject(conflict('CONFLICTING_EDIT'));
  expect(await decide('approve', id, { fields: ['description', 'slug'] })).toMatchObject(invalidAt('fields'));
  expect(await decide('approve', id, { fields: [] })).toMatchObject(invalidAt('fields'));
  expect(await revision(id)).toMatchObject({ state: 'pending' });
  expect(await decide('approve', id, { force: true })).toMatchObject(success({ name: 'Second', description: 'New.' }));
  // The revision says what it has replaced.
  expect((await revision(id))?.changes[0]).toEqual(change('name', 'Third', 'Second'));
});

longTest('the approval of a pending edit follows the merge of its category without a conflict', async () => {
  const [before, after, into] = await Promise.all([1, 2, 3].map(() => directory.addCategory()));
  if (!before || !after || !into) throw new Error('A category is missing.');
  await directory.adminOk('PUT', `/api/admin${path.slice('/api'.length)}`, { categories: [before.slug] });
  const { id } = await pendingEdit({ categories: [after.slug, directory.category] });
  for (const one of [before, after]) {
    await directory.adminOk('POST', `/api/admin/categories/${one.id}/merge`, { into: into.id });
  }
  await server.until(async () => (await published()).categories.join() === into.slug);
  expect(await queued()).toMatchObject([{ id, outdated: [] }]);
  expect(await decide('approve', id)).toMatchObject(success({ categories: [into.slug, directory.category] }));
  const [first] = (await revision(id))?.changes ?? [];
  expect(first).toEqual({
    field: 'categories',
    before: [into.slug],
    after: [into.slug, directory.category],
  });
  // Restoring what was before brings back the category that replaced it.
  const restore = await directory.adminOk('POST', `/api/admin/projects/${listing.id}/revisions/${id}/restore`, {});
  expect(restore).toMatchObject(success({ categories: [into.slug] }));
});

it('the approval of a pending edit leaves the edit pending when its slug is taken or its category is gone', async () => {
  const slug = unique('wanted');
  const category = await directory.addCategory();
  const { id } = await pendingEdit({ slug, categories: [category.slug] });
  await directory.submit(await person(server), { slug });
  expect(await decide('approve', id)).toMatchObject(conflict('SLUG_TAKEN'));
  await directory.adminOk('DELETE', `/api/admin/categories/${category.id}`);
  expect(await decide('approve', id, { fields: ['categories'] })).toMatchObject(invalidAt('categories'));
  expect(await revision(id)).toMatchObject({ state: 'pending' });
  // An edit of another field is not refused for the category that is gone.
  expect((await pendingEdit({ name: 'Second' })).id).toBe(id);
});

longTest('the approval of a pending edit conflicts with a concurrent rejection: one of both decides', async () => {
  const { id } = await pendingEdit({ name: 'Second' });
  const responses = await Promise.all([decide('approve', id), decide('reject', id, { reason: 'No.' })]);
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  await expectConsistent();
});

it('the rejection of a pending edit needs a reason and publishes nothing', async () => {
  const { id } = await pendingEdit({ name: 'Second' });
  expect(await decide('reject', id, {})).toMatchObject(invalidAt('reason'));
  expect(await decide('reject', id, { reason: 'No.' }, { 'if-match': '"1.x"' })).toMatchObject(STALE);
  const { name } = await published();
  expect(await decide('reject', id, { reason: 'Too loud.', note: 'Third time.' })).toMatchObject(
    success({ name, pending_revision: null }),
  );
  expect(await revision(id)).toMatchObject({ state: 'rejected', applied: [], note: 'Third time.' });
  expect(await kinds(1)).toEqual(['revisionRejected']);
  expect(await decide('restore', id)).toMatchObject(conflict('INVALID_TRANSITION'));
});

longTest('an owner is mailed which part of an edit was accepted, and why the other was not', async () => {
  const before = await published();
  const { id } = await pendingEdit({
    name: 'The Very Best Bakery',
    description: 'Bread.',
    url: 'https://bread.example/',
  });
  expect((await directory.read(listing.id, owner)).pending_revision?.changes).toHaveLength(3);
  expect(await decide('approve', id, { fields: ['description', 'url'] })).toMatchObject({ status: 200 });
  expect(await directory.read(listing.id, owner)).toMatchObject({
    name: before.name,
    description: 'Bread.',
    url: 'https://bread.example/',
    pending_revision: null,
  });
  const mailTo = async () =>
    (await server.mails()).find(
      ({ to, subject }) => to === owner.email && subject === `Your changes to ${before.name} are live`,
    );
  await server.until(async () => (await mailTo()) !== undefined);
  expect((await mailTo())?.text).toMatch(/Now public: web address and description\.[\s\S]*Not accepted: name\./);
  // The owner tries again, and learns why it is not accepted.
  const second = await pendingEdit({ name: 'The Very Best Bakery' });
  expect(second.id).not.toBe(id);
  await decide('reject', second.id, { reason: 'Please use the name on your sign.' });
  const explained = async () =>
    (await server.mails()).find(({ to, text }) => to === owner.email && text.includes('the name on your sign'));
  await server.until(async () => (await explained()) !== undefined);
  const history = await revisionsOf(directory, listing.id, owner);
  expect(history.slice(0, 2).map(({ state, applied, actor }) => [state, applied, actor?.id])).toEqual([
    ['rejected', [], owner.id],
    ['approved', ['url', 'description'], owner.id],
  ]);
  // What was accepted can be taken back.
  expect(await decide('restore', id)).toMatchObject(success({ url: before.url, description: before.description }));
});

longTest('concurrent edits and decisions leave the record and its revisions consistent', async () => {
  await pendingEdit({ name: 'A' });
  for (let round = 0; round < 3; round += 1) {
    const id = (await directory.read(listing.id, owner)).pending_revision?.id ?? 'rev_x';
    await Promise.all([
      directory.as(owner, 'PUT', path, { name: `B${round}` }),
      directory.as(owner, 'PUT', path, { description: `C${round}.` }),
      decide('approve', id),
      directory.asAdmin('PUT', `/api/admin/projects/${listing.id}`, { tags: [`t${round}`] }),
    ]);
  }
  const revisions = await expectConsistent(directory.admin);
  const project = await directory.read(listing.id, directory.admin);
  const pending = revisions.filter(({ state }) => state === 'pending');
  expect(pending.map(({ id, changes }) => ({ id, changes }))).toEqual(
    project.pending_revision ? [{ id: project.pending_revision.id, changes: project.pending_revision.changes }] : [],
  );
});
