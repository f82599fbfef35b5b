import { describe, expect, it } from 'vitest';
import type { BulkResult, Project } from '#contract/projects.ts';
import type { CallAnswer, ListedEvent } from '#test/support/client.ts';
import {
  conflict,
  type Directory,
  dataOf,
  FORBIDDEN,
  fullSubmission,
  idOf,
  idsOf,
  invalidAt,
  NOT_FOUND,
  type Person,
  person,
  type State,
  TIME,
  unique,
} from '#test/support/fixtures.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** Approving, rejecting, resubmitting, alone and in bulk, with the events and mails that follow. */

let world: TestWorld;
let directory: Directory;
let owner: Person;
let stranger: Person;

withDirectory(async (opened) => {
  ({ world, directory } = opened);
  [owner, stranger] = await Promise.all([person(world, { name: 'Ada <Lovelace>' }), person(world)]);
});

const moderate = (verb: 'approve' | 'reject', id: string, body?: unknown, who = directory.admin): Promise<CallAnswer> =>
  directory.as(who, 'PUT', `/api/admin/projects/${id}/${verb}`, body);

const resubmit = (id: string, who = owner) => directory.as(who, 'POST', `/api/projects/${id}/resubmit`);

/** The events about a project, oldest first, once there are this many. */
const eventsOf = async (projectId: string, count: number): Promise<ListedEvent[]> => {
  let events: ListedEvent[] = [];
  await world.until(async () => {
    const all = await world.events();
    events = all.filter((event) => (event.data as { project_id?: string }).project_id === projectId).toReversed();
    return events.length >= count;
  });
  return events;
};

const kindsOf = async (projectId: string, count: number) => (await eventsOf(projectId, count)).map(({ kind }) => kind);

/** The mails about a project by its name, oldest first, once there are this many. */
const mailsAbout = async (name: string, count: number) => {
  const about = async () => (await world.mails()).filter((mail) => mail.text.includes(name)).toReversed();
  await world.until(async () => (await about()).length >= count);
  return await about();
};

describe('moving', () => {
  const outcomes: Record<State, Record<'approve' | 'reject', string | undefined>> = {
    pending: { approve: 'live', reject: 'rejected' },
    live: { approve: undefined, reject: undefined },
    rejected: { approve: undefined, reject: undefined },
    deleted: { approve: undefined, reject: undefined },
  };

  it.each(
    Object.entries(outcomes).flatMap(([state, verbs]) =>
      Object.entries(verbs).map(([verb, status]) => ({ state: state as State, verb: verb as 'approve', status })),
    ),
  )('to $verb a $state project makes it $status', async ({ state, verb, status }) => {
    const { id } = await directory.project(state, owner);
    const answer = await moderate(verb, id);
    if (status) {
      expect(answer).toMatchObject({ status: 200, body: { data: { id, status } } });
      expect(await moderate(verb, id)).toMatchObject(conflict('INVALID_TRANSITION'));
    } else {
      expect(answer).toMatchObject(conflict('INVALID_TRANSITION'));
    }
  });

  it.each(['approve', 'reject'] as const)('to %s a deleted pending project is 409', async (verb) => {
    const { id } = await directory.submit(owner);
    await directory.as(owner, 'DELETE', `/api/projects/${id}`);
    expect(await moderate(verb, id)).toMatchObject(conflict('INVALID_TRANSITION'));
  });

  it('is 404 for a project that does not exist', async () => {
    for (const verb of ['approve', 'reject'] as const)
      expect(await moderate(verb, unique('none'))).toMatchObject(NOT_FOUND);
    expect(await resubmit(unique('none'))).toMatchObject(NOT_FOUND);
  });

  it('is for administrators only', async () => {
    const { id } = await directory.submit(owner);
    for (const verb of ['approve', 'reject'] as const) {
      for (const who of [owner, stranger]) expect(await moderate(verb, id, undefined, who)).toMatchObject(FORBIDDEN);
      expect(await world.call('PUT', `/api/admin/projects/${id}/${verb}`)).toMatchObject(FORBIDDEN);
    }
    expect(await directory.read(id, owner)).toMatchObject({ status: 'pending' });
  });

  it('answers the whole project as the administrator sees it, with its tag', async () => {
    for (const verb of ['approve', 'reject'] as const) {
      const { id } = await directory.submit(owner, fullSubmission({ categories: [directory.category] }));
      const answer = await moderate(verb, id);
      const { viewer: _, ...project } = await directory.read(id, directory.admin);
      expect(answer.body).toEqual({ data: project });
      expect(answer.headers.get('etag')).toBe(
        (await directory.get(`/api/projects/${id}`, directory.admin)).headers.get('etag'),
      );
    }
  });

  it('publishes at the approval', async () => {
    const { id } = await directory.submit(owner);
    expect(await directory.get(`/api/projects/${id}`)).toMatchObject(NOT_FOUND);
    await moderate('approve', id);
    expect(await directory.read(id)).toMatchObject({ status: 'live', published_at: TIME });
  });
});

describe('the reason of a rejection', () => {
  it('is told to the owner and administrators, and to nobody else', async () => {
    const { id } = await directory.submit(owner);
    const reason = 'No <b>screenshots</b>.\nAdd some & try again.';
    expect(await moderate('reject', id, { reason })).toMatchObject({ body: { data: { rejection_reason: reason } } });
    expect(await directory.read(id, owner)).toMatchObject({ status: 'rejected', rejection_reason: reason });
    expect(await directory.read(id, directory.admin)).toMatchObject({ rejection_reason: reason });
    expect(await directory.get(`/api/projects/${id}`, stranger)).toMatchObject(NOT_FOUND);
    const listed = dataOf<Project[]>(await directory.get('/api/me/submissions?limit=100', owner));
    expect(listed.find((project) => project.id === id)).toMatchObject({ rejection_reason: reason });
  });

  it.each([undefined, {}, { reason: null }, { reason: '' }, { reason: '   ' }])('may be left out: %j', async (body) => {
    const { id } = await directory.submit(owner);
    expect(await moderate('reject', id, body)).toMatchObject({
      status: 200,
      body: { data: { status: 'rejected', rejection_reason: null } },
    });
  });

  it('has at most 1000 characters', async () => {
    const { id } = await directory.submit(owner);
    expect(await moderate('reject', id, { reason: '🍺'.repeat(1001) })).toMatchObject(invalidAt('reason'));
    expect(await moderate('reject', id, { reason: 5 })).toMatchObject(invalidAt('reason'));
    const reason = '🍺'.repeat(1000);
    expect(await moderate('reject', id, { reason })).toMatchObject({ body: { data: { rejection_reason: reason } } });
  });

  it('is gone when the project is resubmitted or approved', async () => {
    const { id } = await directory.project('rejected', owner);
    expect(await resubmit(id)).toMatchObject({ status: 200, body: { data: { rejection_reason: null } } });
    await moderate('approve', id);
    expect(await directory.read(id, owner)).toMatchObject({ status: 'live', rejection_reason: null });
  });
});

describe('resubmitting', () => {
  it('moves a rejected project back to pending and answers it', async () => {
    const { id } = await directory.project('rejected', owner);
    await directory.as(owner, 'PUT', `/api/projects/${id}`, { description: 'Mended.' });
    const answer = await resubmit(id);
    expect(answer).toMatchObject({ status: 200, body: { data: { id, status: 'pending', description: 'Mended.' } } });
    expect(await moderate('approve', id)).toMatchObject({ status: 200 });
  });

  it('is 409 from every other status', async () => {
    for (const state of ['live', 'pending'] as const) {
      const { id } = await directory.project(state, owner);
      expect(await resubmit(id)).toMatchObject(conflict('INVALID_TRANSITION'));
    }
  });

  it('does not take the date of a first publication away', async () => {
    const { id } = await directory.live(owner);
    const { published_at } = await directory.read(id);
    await directory.done('PUT', `/api/admin/projects/${id}`, { status: 'rejected' });
    await resubmit(id);
    await moderate('approve', id);
    expect((await directory.read(id)).published_at).toBe(published_at);
  });
});

describe('events', () => {
  it('projectSubmitted fires once for a submission, with who and what', async () => {
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

  it('projectApproved fires for an approval and names the administrator', async () => {
    const { id } = await directory.live(owner);
    const [, approved] = await eventsOf(id, 2);
    expect(approved).toMatchObject({
      ...{ kind: 'projectApproved', actor_id: directory.admin.id },
      data: { project_id: id, status: 'live', owner_id: owner.id },
    });
  });

  it('projectRejected fires for a rejection and carries the reason', async () => {
    const { id } = await directory.submit(owner);
    await moderate('reject', id, { reason: 'Too plain.' });
    const [, rejected] = await eventsOf(id, 2);
    expect(rejected).toMatchObject({
      ...{ kind: 'projectRejected', actor_id: directory.admin.id },
      data: { project_id: id, status: 'rejected', reason: 'Too plain.' },
    });
  });

  it('projectSubmitted fires again for a resubmission', async () => {
    const { id } = await directory.project('rejected', owner);
    await resubmit(id);
    expect(await kindsOf(id, 3)).toEqual(['projectSubmitted', 'projectRejected', 'projectSubmitted']);
  });

  it('projectUpdated and projectDeleted fire for the changes that they are named after', async () => {
    const { id } = await directory.live(owner);
    await directory.as(owner, 'PUT', `/api/projects/${id}`, { name: 'Renamed', tags: ['new'] });
    await directory.as(owner, 'DELETE', `/api/projects/${id}`);
    await directory.done('PUT', `/api/admin/projects/${id}`, { deleted_at: null });
    await directory.done('DELETE', `/api/admin/projects/${id}`);
    const events = (await eventsOf(id, 6)).slice(2);
    expect(events).toMatchObject([
      { kind: 'projectUpdated', actor_id: owner.id, data: { name: 'Renamed', changed: ['name', 'tags'] } },
      { kind: 'projectDeleted', actor_id: owner.id, data: { permanent: false } },
      { kind: 'projectUpdated', actor_id: directory.admin.id, data: { changed: ['deleted_at'] } },
      { kind: 'projectDeleted', actor_id: directory.admin.id, data: { permanent: true } },
    ]);
  });

  it('do not fire for what was refused or changed nothing', async () => {
    const { id } = await directory.live(owner);
    const { name } = await directory.read(id);
    await moderate('approve', id);
    await moderate('reject', id);
    await resubmit(id);
    await directory.as(stranger, 'PUT', `/api/projects/${id}`, { name: 'Mine' });
    await directory.as(owner, 'PUT', `/api/projects/${id}`, { name: '' });
    await directory.as(owner, 'PUT', `/api/projects/${id}`, { name });
    await directory.as(owner, 'DELETE', `/api/projects/${id}`);
    expect(await kindsOf(id, 3)).toEqual(['projectSubmitted', 'projectApproved', 'projectDeleted']);
  });

  it('commentCreated fires for a comment', async () => {
    const { id } = await directory.live(owner);
    const answer = await directory.as(stranger, 'POST', `/api/projects/${id}/comments`, { content: 'Nice.' });
    const [, , event] = await eventsOf(id, 3);
    expect(event).toMatchObject({
      ...{ kind: 'commentCreated', actor_id: stranger.id },
      data: { comment_id: dataOf<{ id: string }>(answer).id, project_id: id, user_id: stranger.id, content: 'Nice.' },
    });
  });
});

describe('mails', () => {
  it('tell the submitter that it was received and approved, once each, in text and HTML', async () => {
    const name = unique('Mailed & <Loved>');
    const { id } = await directory.submit(owner, { name });
    await mailsAbout(name, 1);
    await moderate('approve', id);
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

  it('tell the submitter that it was rejected and why', async () => {
    const name = unique('Declined');
    const { id } = await directory.submit(owner, { name });
    await moderate('reject', id, { reason: 'Too <plain>.\nSee the rules.' });
    const mail = (await mailsAbout(name, 2)).find(({ text }) => text.includes('Too <plain>.'));
    expect(mail).toMatchObject({ to: owner.email });
    expect(mail?.text).toContain('See the rules.');
    expect(mail?.html).toContain('Too &lt;plain&gt;.');
  });

  it('tell of a rejection without a reason too', async () => {
    const name = unique('Unexplained');
    const { id } = await directory.submit(owner, { name });
    await moderate('reject', id);
    const mails = await mailsAbout(name, 2);
    expect(mails.map((mail) => mail.to)).toEqual([owner.email, owner.email]);
    expect(mails[1]?.text).not.toMatch(/null|undefined/);
  });

  it('go to the submitter, not to whoever moderates or edits', async () => {
    const name = unique('Foreign');
    const { id } = await directory.submit(stranger, { name });
    await directory.done('PUT', `/api/admin/projects/${id}`, { tags: ['edited'] });
    await moderate('approve', id);
    expect((await mailsAbout(name, 2)).map((mail) => mail.to)).toEqual([stranger.email, stranger.email]);
  });
});

describe('bulk', () => {
  const bulk = (body: unknown, who = directory.admin) => directory.as(who, 'POST', '/api/admin/projects/bulk', body);
  const resultsOf = (answer: CallAnswer) =>
    dataOf<{ results: BulkResult[]; succeeded: number; failed: number }>(answer);

  it('approves, rejects, deletes and restores each project by itself and answers per id in the order given', async () => {
    const [a, b] = [await directory.submit(owner), await directory.submit(owner)];
    const live = await directory.live(owner);
    const none = unique('none');
    const approved = await bulk({ action: 'approve', ids: [a.id, none, live.id, b.slug] });
    expect(approved.status).toBe(200);
    const { results, ...counts } = resultsOf(approved);
    expect(results).toMatchObject([
      { id: a.id, ok: true, status: 'live' },
      { id: none, ok: false, error: 'Not found', code: 'NOT_FOUND' },
      { id: live.id, ok: false, error: 'Conflict', code: 'INVALID_TRANSITION' },
      { id: b.slug, ok: true, status: 'live' },
    ]);
    expect(counts).toEqual({ succeeded: 2, failed: 2 });

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

  it('rejects with a reason, an event and a mail for each', async () => {
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

  it('sets categories', async () => {
    const { slug } = await directory.addCategory();
    const { id } = await directory.live(owner);
    expect(resultsOf(await bulk({ action: 'set_categories', ids: [id], categories: [slug] })).results).toMatchObject([
      { id, ok: true },
    ]);
    expect(idsOf(await directory.get(`/api/projects?category=${slug}`))).toEqual([id]);
    expect(
      resultsOf(await bulk({ action: 'set_categories', ids: [id], categories: ['there-is-none'] })).results,
    ).toMatchObject([{ id, ok: false, error: 'Invalid input', code: 'INVALID_INPUT' }]);
    expect(await bulk({ action: 'set_categories', ids: [id], categories: [] })).toMatchObject(invalidAt('categories'));
    expect((await directory.read(id)).categories).toEqual([slug]);
  });

  it.each([
    ['no ids', { action: 'approve', ids: [] }],
    ['ids missing', { action: 'approve' }],
    ['ids that are no list', { action: 'approve', ids: 'all' }],
    ['an id that is no text', { action: 'approve', ids: [1] }],
    ['an unknown action', { action: 'promote', ids: ['x'] }],
    ['no action', { ids: ['x'] }],
    ['too long a reason', { action: 'reject', ids: ['x'], reason: 'x'.repeat(1001) }],
    ['no categories to set', { action: 'set_categories', ids: ['x'] }],
  ])('refuses %s with 400', async (_, body) => {
    expect(await bulk(body)).toMatchObject({ status: 400, body: { error: 'Invalid input', code: 'INVALID_INPUT' } });
  });

  it('is for administrators only', async () => {
    const { id } = await directory.submit(owner);
    expect(await bulk({ action: 'approve', ids: [id] }, owner)).toMatchObject(FORBIDDEN);
    expect(await directory.read(id, owner)).toMatchObject({ status: 'pending' });
  });
});
