import { describe, expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import type { Summary } from '#contract/summary.ts';
import { projectKey, publicationKey } from '#data/keys.ts';
import { findItem } from '#data/read.ts';
import { updateItem } from '#data/write.ts';
import { mailsTo } from '#test/support/events.ts';
import {
  conflict,
  dataOf,
  idsOf,
  invalidAt,
  type Person,
  person,
  type Submitted,
  submission,
  TIME,
  unique,
} from '#test/support/fixtures.ts';
import { runJob } from '#test/support/jobs.ts';
import { chooseOutcome, startPremium } from '#test/support/payments.ts';
import { revisionsOf } from '#test/support/revisions.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory({ env: { LIVE_EDITS: 'review' } });

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

const approve = (id: string) => directory.asAdmin('PUT', `/api/admin/projects/${id}/approve`);
const read = async (id: string): Promise<Project> => dataOf(await directory.adminOk('GET', `/api/projects/${id}`));
const summary = async (): Promise<Summary> => dataOf(await directory.adminOk('GET', '/api/admin/summary'));

const kindsOf = async (id: string): Promise<string[]> =>
  dataOf<{ kind: string }[]>(await directory.adminOk('GET', `/api/admin/events?subject=project:${id}`))
    .map(({ kind }) => kind)
    .toReversed();

const scheduled = async (owner: Person, fields: object = {}): Promise<Submitted> => {
  const project = await directory.submit(owner, { publish_at: inDays(9), ...fields });
  expect(await approve(project.id)).toMatchObject({ status: 200 });
  return project;
};

/** Moves the time of publication of a scheduled project into the past, as if it had come. */
const becomeDue = async (id: string): Promise<string> => {
  const publish_at = new Date(Date.now() - 1).toISOString();
  await updateItem(projectKey(id), { set: { publish_at } });
  await updateItem(publicationKey(id), { set: { collection_sk: `${publish_at}#${id}` } });
  return publish_at;
};

it('an approved project with a time of publication ahead waits for it outside the queue', async () => {
  const owner = await person(server);
  const before = await summary();
  const publish_at = inDays(2);
  const { id } = await directory.submit(owner, { publish_at });
  expect(await summary()).toMatchObject({ pending: before.pending + 1, scheduled: before.scheduled });
  const approved = await approve(id);
  expect(approved).toMatchObject({
    status: 200,
    body: { data: { status: 'pending', publish_at, approved_at: TIME, published_at: null } },
  });
  expect(await summary()).toMatchObject({ pending: before.pending, scheduled: before.scheduled + 1 });
  const [own] = dataOf<Project[]>(await directory.get('/api/me/submissions', owner));
  expect(own).toMatchObject({ id, approved_at: TIME });
  expect(own).not.toHaveProperty('queue_position');
  const pending = async (query: string) =>
    idsOf(await directory.adminOk('GET', `/api/admin/projects?status=pending${query}`)).includes(id);
  expect([await pending(''), await pending('&scheduled=true'), await pending('&scheduled=false')]).toEqual([
    true,
    true,
    false,
  ]);
  expect(await kindsOf(id)).toEqual(['projectSubmitted', 'projectScheduled']);
  expect(await approve(id)).toMatchObject(conflict('INVALID_TRANSITION'));
  expect(await runJob(server, 'publish-scheduled')).toMatchObject({ processed: 0 });
  const mail = async () =>
    (await mailsTo(server, owner)).find(({ subject }) => /will be public on .* UTC$/.test(subject));
  await server.until(async () => (await mail()) !== undefined);
});

it('a due project is published once, at its time, by concurrent and repeated runs', async () => {
  const owner = await person(server);
  const { id, slug } = await scheduled(owner);
  const publish_at = await becomeDue(id);
  const runs = await Promise.all([1, 2, 3].map(() => runJob(server, 'publish-scheduled')));
  expect(runs.reduce((sum, { processed }) => sum + processed, 0)).toBe(1);
  expect(await runJob(server, 'publish-scheduled')).toMatchObject({ processed: 0 });
  expect(await directory.read(slug)).toMatchObject({ status: 'live', published_at: publish_at });
  expect(await directory.read(slug)).not.toHaveProperty('publish_at');
  expect(await kindsOf(id)).toEqual(['projectSubmitted', 'projectScheduled', 'projectApproved']);
  expect(await findItem(publicationKey(id))).toBeUndefined();
  expect((await revisionsOf(directory, id))[0]).toMatchObject({ cause: 'moderated', actor: null });
  await directory.react(await person(server), id);
});

it.each([
  ['now', () => inDays(0)],
  ['a day ago', () => inDays(-1)],
  ['more than a year ahead', () => inDays(367)],
  ['no time', () => 'soon'],
])('a time of publication that is %s is rejected', async (_, time) => {
  const owner = await person(server);
  const publish_at = time();
  const body = submission({ categories: [directory.category], publish_at });
  expect(await directory.as(owner, 'POST', '/api/projects', body)).toMatchObject(invalidAt('publish_at'));
  const { id } = await directory.submit(owner);
  expect(await directory.as(owner, 'PUT', `/api/projects/${id}`, { publish_at })).toMatchObject(
    invalidAt('publish_at'),
  );
  expect(await directory.asAdmin('PUT', `/api/admin/projects/${id}`, { publish_at })).toMatchObject(
    invalidAt('publish_at'),
  );
});

it('an unchanged time of publication is accepted, and it is recorded as a change of the content', async () => {
  const owner = await person(server);
  const publish_at = inDays(3);
  const { id } = await directory.submit(owner);
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { publish_at });
  expect((await revisionsOf(directory, id))[0]?.changes).toEqual([
    { field: 'publish_at', before: null, after: publish_at },
  ]);
  const passed = inDays(-1);
  await updateItem(projectKey(id), { set: { publish_at: passed } });
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { publish_at: passed, description: 'Changed.' });
  expect(await approve(id)).toMatchObject({ body: { data: { status: 'live', published_at: TIME } } });
});

it('a time of publication is ignored once the project was published', async () => {
  const owner = await person(server);
  const { id } = await directory.live(owner);
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { publish_at: inDays(1) });
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, { publish_at: inDays(-1), status: 'pending' });
  expect(await read(id)).toMatchObject({ publish_at: null, pending_revision: null });
  expect(await approve(id)).toMatchObject({ body: { data: { status: 'live' } } });
});

describe('a scheduled project', () => {
  it('keeps its approval when its owner moves the time, and is public at once when they clear it', async () => {
    const owner = await person(server);
    const { id } = await scheduled(owner);
    const publish_at = inDays(20);
    const moved = await directory.ok(owner, 'PUT', `/api/projects/${id}`, { publish_at });
    expect(dataOf(moved)).toMatchObject({ status: 'pending', publish_at, approved_at: TIME });
    expect(await findItem(publicationKey(id))).toMatchObject({ collection_sk: `${publish_at}#${id}` });
    const cleared = await directory.ok(owner, 'PUT', `/api/projects/${id}`, { publish_at: null });
    expect(dataOf(cleared)).toMatchObject({ status: 'live', publish_at: null, published_at: TIME });
    expect(await findItem(publicationKey(id))).toBeUndefined();
    expect(await kindsOf(id)).toEqual(expect.arrayContaining(['projectScheduled', 'projectApproved']));
  });

  it.each([{ status: 'live' }, { publish_at: null }])(
    'is public at once after the edit %o of the staff',
    async (edit) => {
      const { id } = await scheduled(await person(server));
      const response = await directory.adminOk('PUT', `/api/admin/projects/${id}`, edit);
      expect(dataOf(response)).toMatchObject({ status: 'live', published_at: TIME });
      expect(await kindsOf(id)).toContain('projectApproved');
      expect(await findItem(publicationKey(id))).toBeUndefined();
    },
  );

  it.each([
    ['rejected', (id: string) => directory.adminOk('PUT', `/api/admin/projects/${id}/reject`, { reason: 'No.' })],
    ['deleted', (id: string) => directory.adminOk('DELETE', `/api/projects/${id}`)],
    ['purged', (id: string) => directory.adminOk('DELETE', `/api/admin/projects/${id}`)],
  ])('is not published when it was %s', async (_, cancel) => {
    const owner = await person(server);
    const { id } = await scheduled(owner);
    await cancel(id);
    expect(await findItem(publicationKey(id))).toBeUndefined();
    expect((await findItem(projectKey(id)))?.approved_at).toBeUndefined();
    expect(await runJob(server, 'publish-scheduled')).toMatchObject({ processed: 0 });
  });

  it('goes back to the queue when its owner edits its content and edits are reviewed', async () => {
    const owner = await person(server);
    const { id } = await scheduled(owner);
    const edited = await directory.ok(owner, 'PUT', `/api/projects/${id}`, { description: 'Changed.' });
    expect(dataOf(edited)).toMatchObject({ status: 'pending', approved_at: null, description: 'Changed.' });
    expect(await findItem(publicationKey(id))).toBeUndefined();
    expect(dataOf<Project[]>(await directory.get('/api/me/submissions', owner))[0]).toHaveProperty('queue_position');
  });

  it('goes back to the queue when its bulk approval is reverted', async () => {
    const owner = await person(server);
    const { id } = await directory.submit(owner, { publish_at: inDays(1) });
    const bulk = await directory.adminOk('POST', '/api/admin/projects/bulk', { action: 'approve', ids: [id] });
    expect(await read(id)).toMatchObject({ status: 'pending', approved_at: TIME });
    const { batch_id } = dataOf<{ batch_id: string }>(bulk);
    await directory.adminOk('POST', `/api/admin/batches/${batch_id}/revert`);
    expect(await read(id)).toMatchObject({ status: 'pending', approved_at: null });
  });
});

it('a rule approves a project for its time of publication, of the premium plan too', async () => {
  const owner = await person(server);
  const word = unique('approvable');
  const rule = { name: 'Approve', is_active: true, when: { all: [{ text_contains: [word] }] }, action: 'approve' };
  await directory.adminOk('POST', '/api/admin/rules', rule, 201);
  const fields = { description: `It is ${word}.`, publish_at: inDays(1) };
  const { id } = await directory.submit(owner, fields);
  expect(await read(id)).toMatchObject({ status: 'pending', approved_at: TIME });
  expect(await kindsOf(id)).toEqual(expect.arrayContaining(['projectSubmitted', 'projectScheduled', 'ruleApplied']));
  const { checkout_id } = await startPremium(directory, owner, fields);
  await chooseOutcome(directory, checkout_id, 'paid');
  const [paid] = dataOf<Project[]>(await directory.get('/api/me/submissions', owner));
  expect(paid).toMatchObject({ plan: 'premium', status: 'pending', approved_at: TIME, publish_at: fields.publish_at });
});
