import { expect, it } from 'vitest';
import type { BatchCounts, BulkResult } from '#contract/batches.ts';
import type { Project } from '#contract/projects.ts';
import type { CallResponse, ListedEvent } from '#test/support/client.ts';
import {
  conflict,
  dataOf,
  FORBIDDEN,
  fullSubmission,
  INVALID,
  idOf,
  idsOf,
  invalidAt,
  NOT_FOUND,
  person,
  STALE,
  type State,
  success,
  TIME,
  unique,
  versionOf,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();
const [owner, stranger] = await Promise.all([person(server, { name: 'Ada <Lovelace>' }), person(server)]);

type Action = 'approve' | 'reject';

const moderate = (action: Action, id: string, body?: unknown): Promise<CallResponse> =>
  directory.asAdmin('PUT', `/api/admin/projects/${id}/${action}`, body);

const resubmit = (id: string, who = owner) => directory.as(who, 'POST', `/api/projects/${id}/resubmit`);

/** The events about a project, oldest first, once there are this many. */
const eventsOf = async (projectId: string, count: number): Promise<ListedEvent[]> => {
  let events: ListedEvent[] = [];
  await server.until(async () => {
    const all = await server.events();
    events = all.filter((event) => (event.data as { project_id?: string }).project_id === projectId).toReversed();
    return events.length >= count;
  });
  return events;
};

const kindsOf = async (projectId: string, count: number) => (await eventsOf(projectId, count)).map(({ kind }) => kind);

/** The mails about a project by its name, oldest first, once there are this many. */
const mailsAbout = async (name: string, count: number) => {
  const about = async () => (await server.mails()).filter((mail) => mail.text.includes(name)).toReversed();
  await server.until(async () => (await about()).length >= count);
  return await about();
};

const outcomes: Record<State, Record<Action, string | undefined>> = {
  pending: { approve: 'live', reject: 'rejected' },
  live: { approve: undefined, reject: undefined },
  rejected: { approve: undefined, reject: undefined },
  deleted: { approve: undefined, reject: undefined },
};

it.each(
  Object.entries(outcomes).flatMap(([state, actions]) =>
    Object.entries(actions).map(([action, status]) => ({ state: state as State, action: action as Action, status })),
  ),
)('$action of a $state project results in $status', async ({ state, action, status }) => {
  const { id } = await directory.project(state, owner);
  const response = await moderate(action, id);
  if (status) {
    expect(response).toMatchObject(success({ id, status }));
    expect(await moderate(action, id)).toMatchObject(conflict('INVALID_TRANSITION'));
  } else {
    expect(response).toMatchObject(conflict('INVALID_TRANSITION'));
  }
});

it.each(['approve', 'reject'] as const)(
  '%s with If-Match decides only about the version that was read',
  async (action) => {
    const { id } = await directory.submit(owner);
    const path = `/api/admin/projects/${id}/${action}`;
    const { token } = directory.admin;
    const tag = async () => (await directory.get(`/api/projects/${id}`, directory.admin)).headers.get('etag') ?? '';
    const read = await tag();
    await directory.ok(owner, 'PUT', `/api/projects/${id}`, { description: 'Changed after reading.' });
    expect(await server.call('PUT', path, { token, headers: { 'if-match': read } })).toMatchObject(STALE);
    expect(await directory.read(id, owner)).toMatchObject({ status: 'pending' });
    const current = await tag();
    const decided = await server.call('PUT', path, { token, headers: { 'if-match': current } });
    expect(decided).toMatchObject({ status: 200 });
    expect(versionOf(decided)).toBe(versionOf(await directory.get(`/api/projects/${id}`, directory.admin)));
    // A repetition is stale before it is a wrong transition.
    expect(await server.call('PUT', path, { token, headers: { 'if-match': current } })).toMatchObject(STALE);
    expect(await server.call('PUT', path, { token, headers: { 'if-match': '*' } })).toMatchObject(
      conflict('INVALID_TRANSITION'),
    );
  },
);

it('approvals and rejections return the project with the fields for administrators and its version in the ETag', async () => {
  for (const action of ['approve', 'reject'] as const) {
    const { id } = await directory.submit(owner, fullSubmission({ categories: [directory.category] }));
    const response = await moderate(action, id);
    const { viewer: _, ...project } = await directory.read(id, directory.admin);
    expect(response.body).toEqual({ data: project });
    const read = await directory.get(`/api/projects/${id}`, directory.admin);
    expect(versionOf(response)).toBe(versionOf(read));
  }
});

it('the reason of a rejection is visible to the owner and administrators only', async () => {
  const { id } = await directory.submit(owner);
  const reason = 'No <b>screenshots</b>.\nAdd some & try again.';
  expect(await moderate('reject', id, { reason })).toMatchObject(success({ rejection_reason: reason }));
  expect(await directory.read(id, owner)).toMatchObject({ status: 'rejected', rejection_reason: reason });
  expect(await directory.read(id, directory.admin)).toMatchObject({ rejection_reason: reason });
  expect(await directory.get(`/api/projects/${id}`, stranger)).toMatchObject(NOT_FOUND);
  const listed = dataOf<Project[]>(await directory.get('/api/me/submissions?limit=100', owner));
  expect(listed.find((project) => project.id === id)).toMatchObject({ rejection_reason: reason });
});

longTest('the reason of a rejection is optional', async () => {
  for (const body of [undefined, {}, { reason: null }, { reason: '' }, { reason: '   ' }]) {
    const { id } = await directory.submit(owner);
    const rejected = { data: { status: 'rejected', rejection_reason: null } };
    expect(await moderate('reject', id, body)).toMatchObject({ status: 200, body: rejected });
  }
});

it('the reason of a rejection is removed when the project is resubmitted or approved', async () => {
  const { id } = await directory.project('rejected', owner);
  expect(await resubmit(id)).toMatchObject(success({ rejection_reason: null }));
  expect(await moderate('approve', id)).toMatchObject({ status: 200 });
  expect(await directory.read(id, owner)).toMatchObject({ status: 'live', rejection_reason: null });
});

it('a resubmission moves a rejected project back to pending and returns it', async () => {
  const { id } = await directory.project('rejected', owner);
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { description: 'Fixed.' });
  expect(await resubmit(id)).toMatchObject(success({ id, status: 'pending', description: 'Fixed.' }));
  expect(await moderate('approve', id)).toMatchObject({ status: 200 });
});

it('projectSubmitted is published once per submission, with the actor and the project', async () => {
  const { id } = await directory.submit(owner, { name: 'Observed' });
  const [event, ...more] = await eventsOf(id, 1);
  const project = await directory.read(id, owner);
  const { slug, name, url, plan, status, owner_id } = project;
  expect(event).toEqual({
    id: idOf('evt'),
    kind: 'projectSubmitted',
    occurred_at: TIME,
    actor_id: owner.id,
    data: { project_id: id, slug, name, url, plan, status, owner_id },
  });
  expect(more).toEqual([]);
});

it('projectApproved, projectRejected and projectSubmitted are published for decisions and resubmissions', async () => {
  const { id } = await directory.submit(owner);
  expect(await moderate('reject', id, { reason: 'Too plain.' })).toMatchObject({ status: 200 });
  expect(await resubmit(id)).toMatchObject({ status: 200 });
  expect(await moderate('approve', id)).toMatchObject({ status: 200 });
  const [, ...events] = await eventsOf(id, 4);
  const actor_id = directory.admin.id;
  expect(events).toMatchObject([
    { kind: 'projectRejected', actor_id, data: { project_id: id, status: 'rejected', reason: 'Too plain.' } },
    { kind: 'projectSubmitted', actor_id: owner.id, data: { project_id: id, status: 'pending' } },
    { kind: 'projectApproved', actor_id, data: { project_id: id, status: 'live', owner_id: owner.id } },
  ]);
});

longTest(
  'events of a project are published for a transition from pending by a general edit, on both routes',
  async () => {
    for (const path of ['/api/admin/projects', '/api/projects']) {
      const approved = await directory.submit(owner);
      await directory.adminOk('PUT', `${path}/${approved.id}`, { status: 'live' });
      const [, approval] = await eventsOf(approved.id, 2);
      expect(approval).toMatchObject({
        ...{ kind: 'projectApproved', actor_id: directory.admin.id },
        data: { project_id: approved.id, status: 'live', owner_id: owner.id },
      });
      const name = unique('Rejected by edit');
      const rejected = await directory.submit(owner);
      await directory.adminOk('PUT', `/api/admin/projects/${rejected.id}`, {
        ...{ status: 'rejected', rejection_reason: 'Too plain.', name },
      });
      expect(await eventsOf(rejected.id, 3)).toMatchObject([
        { kind: 'projectSubmitted' },
        { kind: 'projectRejected', data: { status: 'rejected', reason: 'Too plain.', name } },
        { kind: 'projectUpdated', data: { changed: ['name'] } },
      ]);
    }
  },
);

it('events of a project are those of an update for other transitions, and none of a moderation for deleted projects', async () => {
  const { id } = await directory.submit(owner);
  await directory.adminOk('DELETE', `/api/projects/${id}`);
  const path = `/api/admin/projects/${id}`;
  await directory.adminOk('PUT', path, { status: 'live' });
  await directory.adminOk('PUT', path, { deleted_at: null });
  await directory.adminOk('PUT', path, { status: 'rejected' });
  await directory.adminOk('PUT', path, { status: 'live' });
  expect((await eventsOf(id, 6)).map(({ kind, data }) => [kind, (data as { changed?: string[] }).changed])).toEqual([
    ['projectSubmitted', undefined],
    ['projectDeleted', undefined],
    ['projectUpdated', ['status']],
    ['projectUpdated', ['deleted_at']],
    ['projectUpdated', ['status']],
    ['projectUpdated', ['status']],
  ]);
});

it('projectUpdated and projectDeleted are published for updates and deletions', async () => {
  const { id } = await directory.live(owner);
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { name: 'Renamed', tags: ['new'] });
  await directory.ok(owner, 'DELETE', `/api/projects/${id}`);
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, { deleted_at: null });
  await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
  const events = (await eventsOf(id, 6)).slice(2);
  expect(events).toMatchObject([
    { kind: 'projectUpdated', actor_id: owner.id, data: { name: 'Renamed', changed: ['name', 'tags'] } },
    { kind: 'projectDeleted', actor_id: owner.id, data: { permanent: false } },
    { kind: 'projectUpdated', actor_id: directory.admin.id, data: { changed: ['deleted_at'] } },
    { kind: 'projectDeleted', actor_id: directory.admin.id, data: { permanent: true } },
  ]);
});

it('events of a project are not published for rejected requests and for changes without effect', async () => {
  const { id } = await directory.live(owner);
  const { name } = await directory.read(id);
  const path = `/api/projects/${id}`;
  for (const action of ['approve', 'reject'] as const)
    expect(await moderate(action, id)).toMatchObject(conflict('INVALID_TRANSITION'));
  expect(await resubmit(id)).toMatchObject(conflict('INVALID_TRANSITION'));
  expect(await directory.as(stranger, 'PUT', path, { name: 'Mine' })).toMatchObject(FORBIDDEN);
  expect(await directory.as(owner, 'PUT', path, { name: '' })).toMatchObject(invalidAt('name'));
  await directory.ok(owner, 'PUT', path, { name });
  await directory.ok(owner, 'DELETE', path);
  expect(await kindsOf(id, 3)).toEqual(['projectSubmitted', 'projectApproved', 'projectDeleted']);
});

it('emails about a project notify the submitter of submission and approval, once each, in text and HTML', async () => {
  const name = unique('Mailed & <Loved>');
  const { id } = await directory.submit(owner, { name });
  await mailsAbout(name, 1);
  expect(await moderate('approve', id)).toMatchObject({ status: 200 });
  const mails = await mailsAbout(name, 2);
  expect(mails.map((mail) => mail.to)).toEqual([owner.email, owner.email]);
  expect(mails.map((mail) => mail.subject)).toEqual([expect.stringContaining(name), expect.stringContaining(name)]);
  for (const mail of mails) {
    expect(mail.text).toContain('Ada <Lovelace>');
    expect(mail.html).toContain('Ada &lt;Lovelace&gt;');
    expect(mail.html).toContain('Mailed &amp; &lt;Loved&gt;');
    expect(mail.html).not.toContain('<Loved>');
  }
  const { slug } = await directory.read(id);
  expect(mails[1]?.text).toContain(`/projects/${slug}`);
});

it('emails about a project notify the submitter of a decision by a general edit', async () => {
  const [good, bad] = [unique('Edited to live'), unique('Edited to rejected')];
  const approved = await directory.submit(owner, { name: good });
  const rejected = await directory.submit(owner, { name: bad });
  await directory.adminOk('PUT', `/api/admin/projects/${approved.id}`, { status: 'live' });
  const body = { status: 'rejected', rejection_reason: 'No pictures.' };
  await directory.adminOk('PUT', `/api/admin/projects/${rejected.id}`, body);
  const [approval, rejection] = [await mailsAbout(good, 2), await mailsAbout(bad, 2)];
  expect(approval.map(({ to, subject }) => ({ to, subject }))).toContainEqual({
    ...{ to: owner.email, subject: `${good} is live` },
  });
  expect(rejection.some(({ to, text }) => to === owner.email && text.includes('No pictures.'))).toBe(true);
});

const bulk = (body: unknown) => directory.asAdmin('POST', '/api/admin/projects/bulk', body);
const resultsOf = (response: CallResponse) =>
  dataOf<{ results: BulkResult[]; succeeded: number; failed: number }>(response);

it('a bulk action approves, rejects, deletes and restores projects independently and returns a result per id in order', async () => {
  const [a, b] = [await directory.submit(owner), await directory.submit(owner)];
  const live = await directory.live(owner);
  const unknown = unique('none');
  const approved = await bulk({ action: 'approve', ids: [a.id, unknown, live.id, b.slug] });
  expect(approved.status).toBe(200);
  const { results, ...counts } = resultsOf(approved);
  expect(results).toMatchObject([
    { id: a.id, ok: true, status: 'live' },
    { id: unknown, ok: false, error: 'Not found', code: 'NOT_FOUND' },
    { id: live.id, ok: false, code: 'INVALID_TRANSITION', message: 'The project is live, not pending.' },
    { id: b.slug, ok: true, status: 'live' },
  ]);
  expect(counts).toEqual({ batch_id: idOf('bat'), succeeded: 2, failed: 2 });

  expect(resultsOf(await bulk({ action: 'delete', ids: [a.id, b.id] })).succeeded).toBe(2);
  expect(await directory.get(`/api/projects/${a.id}`, owner)).toMatchObject(NOT_FOUND);
  expect(resultsOf(await bulk({ action: 'delete', ids: [a.id] })).results).toMatchObject([
    { ok: false, code: 'NOT_FOUND' },
  ]);
  expect(resultsOf(await bulk({ action: 'restore', ids: [a.id, live.id] })).results).toMatchObject([
    { id: a.id, ok: true, status: 'live' },
    { id: live.id, ok: false, code: 'INVALID_TRANSITION' },
  ]);
  expect(await directory.read(a.id)).toMatchObject({ deleted_at: null });
});

it('a bulk action rejects each project with the reason, an event and an email', async () => {
  const names = [unique('Bulk'), unique('Bulk')];
  const ids = [];
  for (const name of names) ids.push((await directory.submit(owner, { name })).id);
  expect(resultsOf(await bulk({ action: 'reject', ids, reason: 'All too plain.' })).succeeded).toBe(2);
  for (const [position, id] of ids.entries()) {
    expect(await directory.read(id, owner)).toMatchObject({ status: 'rejected', rejection_reason: 'All too plain.' });
    expect(await kindsOf(id, 2)).toEqual(['projectSubmitted', 'projectRejected']);
    const mails = await mailsAbout(names[position] ?? '', 2);
    expect(mails.some((mail) => mail.text.includes('All too plain.'))).toBe(true);
  }
});

it.each(['approve', 'delete'])(
  'a bulk action that names a listing several times has the same counts in its dry run: %s',
  async (action) => {
    const [one, other] = [await directory.submit(owner), await directory.submit(owner)];
    const body = { action, ids: [one.id, other.slug, one.slug, unique('none'), other.id] };
    const plan = dataOf<{ counts: BatchCounts; items: { outcome: string }[] }>(
      await directory.asAdmin('POST', '/api/admin/projects/bulk?dry_run=true', body),
    );
    expect(plan.counts).toEqual({ created: 0, updated: 2, skipped: 0, failed: 3 });
    expect(plan.items.map(({ outcome }) => outcome)).toEqual(['updated', 'updated', 'failed', 'failed', 'failed']);
    expect(resultsOf(await bulk(body))).toMatchObject({ succeeded: 2, failed: 3 });
  },
);

it('a bulk action that changes nothing any more is skipped in its dry run as in the run', async () => {
  const { slug } = await directory.addCategory();
  const { id, slug: name } = await directory.live(owner);
  const body = { action: 'set_categories', ids: [id, name], categories: [slug] };
  const plan = await directory.asAdmin('POST', '/api/admin/projects/bulk?dry_run=true', body);
  const { batch_id } = dataOf<{ batch_id: string }>(await bulk(body));
  const batch = await directory.adminOk('GET', `/api/admin/batches/${batch_id}`);
  for (const response of [plan, batch])
    expect(dataOf<{ counts: BatchCounts }>(response).counts).toEqual({ created: 0, updated: 1, skipped: 1, failed: 0 });
});

it('a bulk action sets categories', async () => {
  const { slug } = await directory.addCategory();
  const { id } = await directory.live(owner);
  expect(resultsOf(await bulk({ action: 'set_categories', ids: [id], categories: [slug] })).results).toMatchObject([
    { id, ok: true },
  ]);
  expect(idsOf(await directory.get(`/api/projects?category=${slug}`))).toEqual([id]);
  expect(
    resultsOf(await bulk({ action: 'set_categories', ids: [id], categories: ['no-such-category'] })).results,
  ).toMatchObject([{ id, ok: false, ...invalidAt('categories').body }]);
  expect(await bulk({ action: 'set_categories', ids: [id] })).toMatchObject(INVALID);
  expect((await directory.read(id)).categories).toEqual([slug]);
});
