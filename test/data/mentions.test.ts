import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type * as z from 'zod';
import { type EventData, type EventKind, eventKindNames, eventKinds } from '#contract/events.ts';
import { isAudited } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { removeUserFromLogs, TimeUp } from '#data/erased-users.ts';
import { inOutbox } from '#data/event-log.ts';
import { eventKey, mentionsPartition } from '#data/keys.ts';
import { mentionedUsers } from '#data/mentions.ts';
import { findItem } from '#data/read.ts';
import { deleteItems, transact } from '#data/write.ts';
import { newMessage, parseMessage } from '#events/catalogue.ts';
import { inAuditedRequest } from '#platform/audit-context.ts';
import { recordTableCalls } from '#test/support/table-calls.ts';
import { withBareTable } from '#test/support/with-bare-table.ts';

/** The event log and the audit log by the users whom their entries name. */

const table = withBareTable();

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-22T00:00:00.000Z') });
  await deleteItems((await table.scan()).map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })));
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const FOREVER = Number.POSITIVE_INFINITY;

const comment = (userId: string): EventData<'commentCreated'> => ({
  comment_id: 'cmt_1',
  project_id: 'prj_1',
  user_id: userId,
  content: 'What I think.',
});

const submitted = (ownerId: string): EventData<'projectApproved'> => ({
  project_id: 'prj_1',
  slug: 'tea',
  name: 'Tea',
  url: 'https://tea.example',
  plan: 'standard',
  status: 'live',
  owner_id: ownerId,
});

const commented = async (userId: string) => {
  const message = newMessage('commentCreated', userId, comment(userId));
  await transact([inOutbox(message)]);
  return eventKey(message.occurred_at, message.id);
};

/** An approval by an administrator: an event of the owner, and an audit log entry. */
const approved = async (adminId: string, ownerId: string) => {
  const request = {
    actorId: adminId,
    actorName: null,
    action: 'projects.approve',
    requestId: 'r1',
    address: '203.0.113.7',
    input: null,
  };
  const message = newMessage('projectApproved', adminId, submitted(ownerId));
  await inAuditedRequest(request, () => transact([inOutbox(message)]));
  return eventKey(message.occurred_at, message.id);
};

const ofType = async (type: string) => (await table.scan()).filter((item) => item.type === type);
const traces = async (userId: string) => (await table.scan()).filter((item) => JSON.stringify(item).includes(userId));

it('a mention is written with an entry, once per user and transaction, and expires with the last of its entries', async () => {
  const event = await approved('usr_boss', 'usr_maker');
  const [audit] = await ofType('audit');
  const auditEntry = { pk: audit?.pk, sk: audit?.sk };
  const mentions = await ofType('mention');
  expect(mentions.toSorted((a, b) => (String(a.pk) < String(b.pk) ? -1 : 1))).toEqual([
    {
      pk: mentionsPartition('usr_boss'),
      sk: event.sk.slice('evt_'.length),
      type: 'mention',
      ttl: audit?.ttl,
      entries: [event, auditEntry],
    },
    {
      pk: mentionsPartition('usr_maker'),
      sk: event.sk.slice('evt_'.length),
      type: 'mention',
      ttl: (await findItem(event))?.ttl,
      entries: [event],
    },
  ]);
});

it('a mention is not written by a transaction that fails', async () => {
  const message = newMessage('commentCreated', 'usr_a', comment('usr_a'));
  const check = { pk: 'PROJECT#absent', sk: 'PROJECT' };
  await expect(
    transact([inOutbox(message), { check, when: (p) => `attribute_exists(${p.name('pk')})` }]),
  ).rejects.toThrow('A condition did not hold.');
  expect(await table.scan()).toEqual([]);
});

it.each([
  ['its actor', { actor_id: 'usr_a' }],
  ['the owner in its data', { actor_id: null, data: { owner_id: 'usr_a' } }],
  ['the former owner in its data', { actor_id: null, data: { previous_owner_id: 'usr_a' } }],
  ['the user in its data', { actor_id: null, data: { user_id: 'usr_a' } }],
  ['the owner in its input', { actor_id: 'erased', input: { owner_id: 'usr_a' } }],
  ['a user as its subject', { subjects: ['project:prj_1', 'user:usr_a'] }],
  ['the author of a report as its subject', { subjects: ['report:usr_a'] }],
])('a mention names %s', (_, entry) => {
  expect(mentionedUsers(entry)).toEqual(['usr_a']);
});

it('a mention names no one in entries of the service and of erased users', () => {
  for (const entry of [{ actor_id: null, data: null }, { actor_id: 'erased' }, { actor_id: '', input: [1] }]) {
    expect(mentionedUsers(entry)).toEqual([]);
  }
});

it('a mention covers every member of events and of audited inputs that can hold the id of a user', () => {
  const membersOf = (schema: unknown): string[] => Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
  const members = [
    ...Object.values(eventKinds).flatMap(membersOf),
    ...routes.filter(isAudited).flatMap((route) => membersOf('body' in route ? route.body : undefined)),
  ].filter((name) => name.endsWith('_id'));
  // A new member with the id of a user must be added to `mentionedUsers`.
  expect([...new Set(members)].sort()).toEqual([
    'batch_id',
    'case_id',
    'checkout_id',
    'claim_id',
    'comment_id',
    'key_id',
    'owner_id',
    'previous_owner_id',
    'project_id',
    'promotion_id',
    'revert_id',
    'revision_id',
    'rule_id',
    'user_id',
    'webhook_id',
  ]);
});

it('a mention finds the owner in an input that is too long to be stored', async () => {
  const input = { owner_id: 'usr_new', long_description: 'x'.repeat(5000) };
  const request = {
    actorId: 'usr_boss',
    actorName: null,
    action: 'projects.edit',
    requestId: 'r1',
    address: null,
    input,
  };
  await inAuditedRequest(request, () => transact([{ put: { pk: 'PROJECT#p', sk: 'PROJECT', type: 'project' } }]));
  expect((await ofType('mention')).map(({ pk }) => pk).sort()).toEqual([
    mentionsPartition('usr_boss'),
    mentionsPartition('usr_new'),
  ]);
  await removeUserFromLogs('usr_new', true, FOREVER);
  expect(await traces('usr_new')).toEqual([]);
});

it('the removal of a user from the logs reads the entries of that user only', async () => {
  for (let n = 0; n < 30; n += 1) await commented('usr_other');
  const own = await commented('usr_a');
  const approval = await approved('usr_boss', 'usr_a');
  const before = await traces('usr_other');
  const calls = recordTableCalls();
  await removeUserFromLogs('usr_a', true, FOREVER);
  // The webhooks, the mentions and the dead letters; for each mention its entries, their updates and its deletion.
  const made = calls.map(({ operation }) => operation);
  const queries = made.filter((operation) => operation === 'Query').length;
  expect(made.length - queries).toBeLessThanOrEqual(6);
  expect(queries).toBe(3);
  expect(await traces('usr_a')).toEqual([]);
  expect(await traces('usr_other')).toEqual(before);
  expect(await findItem(own)).toMatchObject({ actor_id: null, data: { user_id: 'erased', content: '' } });
  expect(await findItem(approval)).toMatchObject({
    actor_id: 'usr_boss',
    data: { owner_id: 'erased', name: 'Tea' },
  });
  expect(await ofType('audit')).toMatchObject([{ actor_id: 'usr_boss', address: '203.0.113.7' }]);
});

it('the removal of a user from the logs removes the names of projects that were deleted on request', async () => {
  const approval = await approved('usr_boss', 'usr_a');
  await removeUserFromLogs('usr_a', false, FOREVER);
  expect(await findItem(approval)).toMatchObject({ data: { owner_id: 'erased', name: '', slug: '', url: '' } });
});

/** A valid value of a member of an event. */
const validValue = (schema: z.ZodType): unknown => {
  const options = (schema as { readonly options?: readonly unknown[] }).options ?? [];
  return ['Words of the user.', 1, new Date().toISOString(), true, ['name'], ...options, options.slice(0, 1)].find(
    (value) => schema.safeParse(value).success,
  );
};

/** The members of the events of a kind that may name a user. */
const namingMembers = (kind: EventKind): string[] =>
  ['actor_id', 'user_id', 'owner_id', 'previous_owner_id'].filter(
    (name) => name === 'actor_id' || name in eventKinds[kind].shape,
  );

it.each(eventKindNames.flatMap((kind) => namingMembers(kind).map((naming) => [kind, naming] as const)))(
  'the removal of a user from the logs keeps an event of the kind %s valid whose %s was the user',
  async (kind, naming) => {
    const shape: Readonly<Record<string, z.ZodType>> = eventKinds[kind].shape;
    const data = Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, validValue(schema)]));
    const actorId = naming === 'actor_id' ? 'usr_a' : 'usr_b';
    const message = newMessage(kind, actorId, {
      ...data,
      ...(naming !== 'actor_id' && { [naming]: 'usr_a' }),
    } as never);
    await transact([inOutbox(message)]);
    await removeUserFromLogs('usr_a', true, FOREVER);
    const [stored] = await ofType('event');
    const event = parseMessage(stored);
    expect(JSON.stringify(stored)).not.toContain('usr_a');
    expect(event).toMatchObject({ id: message.id, kind, actor_id: naming === 'actor_id' ? null : 'usr_b' });
    // The other texts of events by or about a user are not the words of a user.
    const { content, reason, name } = event.data as Readonly<Record<string, unknown>>;
    const texts = [content, reason, ...('key_id' in data ? [name] : [])];
    const isOfUser = naming === 'actor_id' || naming === 'user_id';
    expect(texts.includes('Words of the user.')).toBe(
      !isOfUser && ['content', 'reason', 'key_id'].some((member) => member in data),
    );
  },
);

it('the removal of a user from the logs that runs together with that of another user removes both', async () => {
  const data = { user_id: 'usr_b', reason: 'Words about a user.' };
  for (let n = 0; n < 20; n += 1) await transact([inOutbox(newMessage('userBanned', 'usr_a', data))]);
  await Promise.all(['usr_a', 'usr_b'].map((userId) => removeUserFromLogs(userId, true, FOREVER)));
  expect([...(await traces('usr_a')), ...(await traces('usr_b'))]).toEqual([]);
  for (const event of await ofType('event')) {
    expect(event).toMatchObject({ actor_id: null, data: { user_id: 'erased', reason: null } });
  }
});

it('the removal of a user from the logs removes the id, address and input of an administrator from their entries', async () => {
  await approved('usr_boss', 'usr_a');
  await removeUserFromLogs('usr_boss', true, FOREVER);
  expect(await traces('usr_boss')).toEqual([]);
  expect(await ofType('audit')).toMatchObject([{ actor_id: 'erased', address: null, input: null }]);
});

it('the removal of a user from the logs continues where an interrupted run ended', async () => {
  for (let n = 0; n < 20; n += 1) await commented('usr_a');
  // The time is up after the first eight mentions.
  let checks = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => checks++);
  await expect(removeUserFromLogs('usr_a', true, 7)).rejects.toThrow(TimeUp);
  vi.restoreAllMocks();
  const left = await ofType('mention');
  expect(left).toHaveLength(12);
  expect((await ofType('event')).filter(({ actor_id }) => actor_id === 'usr_a')).toHaveLength(12);
  const calls = recordTableCalls();
  await removeUserFromLogs('usr_a', true, FOREVER);
  expect(calls.filter(({ operation }) => operation === 'UpdateItem')).toHaveLength(12);
  expect(await traces('usr_a')).toEqual([]);
});

it('the removal of a user from the logs does not create an expired entry again', async () => {
  const event = await commented('usr_a');
  await deleteItems([event]);
  await removeUserFromLogs('usr_a', true, FOREVER);
  expect(await table.scan()).toEqual([]);
});
