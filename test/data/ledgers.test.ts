import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EventData, eventKinds } from '#contract/events.ts';
import { isAudited } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { TimeUp } from '#data/erasure.ts';
import { auditKey, earlierEventKey, eventKey, mentionsPartition } from '#data/keys.ts';
import { removeUserFromLedgers } from '#data/ledger-erasure.ts';
import { indexLedgers } from '#data/ledger-index.ts';
import { hasUnindexedEntries } from '#data/ledgers.ts';
import { mentionedUsers } from '#data/mentions.ts';
import { inOutbox } from '#data/outbox.ts';
import { findItem } from '#data/read.ts';
import { deleteItems, putItem, transact } from '#data/write.ts';
import { newMessage } from '#events/catalogue.ts';
import { inAuditedRequest } from '#platform/audit-context.ts';
import { now } from '#platform/clock.ts';
import { dynamo } from '#platform/dynamo.ts';
import { type BareTable, startBareTable } from '#test/support/bare-table.ts';

/** The event ledger and the audit log by the users whom their entries name. */

vi.mock(import('#platform/clock.ts'), { spy: true });

let table: BareTable;

beforeAll(async () => {
  table = await startBareTable();
});

afterAll(async () => {
  await table.stop();
});

beforeEach(async () => {
  vi.mocked(now).mockReturnValue('2026-11-22T00:00:00.000Z');
  await deleteItems((await table.scan()).map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })));
});

afterEach(() => {
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

/** An entry as a version without mentions wrote it. */
const insertedBefore = async (
  id: string,
  members: Readonly<Record<string, unknown>>,
  at = '2026-11-01T00:00:00.000Z',
) =>
  await putItem({
    ...(members.type === 'audit' ? auditKey(2026, id) : earlierEventKey(at.slice(0, 7), id)),
    ...members,
    id,
    ttl: Date.parse(at) / 1000 + 90 * 86_400,
  });

const oldEvent = (id: string, userId: string) =>
  insertedBefore(id, {
    type: 'event',
    kind: 'commentCreated',
    occurred_at: '2026-11-01T00:00:00.000Z',
    actor_id: userId,
    data: comment(userId),
  });

const oldAuditEntry = (id: string, userId: string) =>
  insertedBefore(id, {
    type: 'audit',
    actor_id: userId,
    action: 'projects.update',
    subjects: [],
    input: { name: 'x' },
  });

const beforeEachTransaction = (work: () => Promise<void> | void): void => {
  const client = dynamo();
  const send = client.send.bind(client) as (command: object, ...more: unknown[]) => Promise<unknown>;
  const intercepted = async (command: object, ...more: unknown[]) => {
    if (command.constructor.name === 'TransactWriteCommand') await work();
    return await send(command, ...more);
  };
  vi.spyOn(client, 'send').mockImplementation(intercepted as never);
};

describe('a mention', () => {
  it('is written with an entry, once per user and transaction, and expires with the last of its entries', async () => {
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

  it('is not written by a transaction that fails', async () => {
    const message = newMessage('commentCreated', 'usr_a', comment('usr_a'));
    const check = { pk: 'PROJECT#absent', sk: 'CARD' };
    await expect(
      transact([inOutbox(message), { check, when: (p) => `attribute_exists(${p.name('pk')})` }]),
    ).rejects.toThrow('A condition did not hold.');
    expect(await table.scan()).toEqual([]);
  });

  it.each([
    ['its actor', { actor_id: 'usr_a' }],
    ['the owner in its data', { actor_id: null, data: { owner_id: 'usr_a' } }],
    ['the user in its data', { actor_id: null, data: { user_id: 'usr_a' } }],
    ['the owner in its input', { actor_id: 'erased', input: { owner_id: 'usr_a' } }],
    ['a user as its subject', { subjects: ['project:prj_1', 'user:usr_a'] }],
    ['the author of a report as its subject', { subjects: ['report:usr_a'] }],
  ])('names %s', (_, entry) => {
    expect(mentionedUsers(entry)).toEqual(['usr_a']);
  });

  it('names no one in entries of the service and of erased users', () => {
    for (const entry of [{ actor_id: null, data: null }, { actor_id: 'erased' }, { actor_id: '', input: [1] }]) {
      expect(mentionedUsers(entry)).toEqual([]);
    }
  });

  it('covers every member of events and of audited inputs that can hold the id of a user', () => {
    const membersOf = (schema: unknown): string[] =>
      Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
    const members = [
      ...Object.values(eventKinds).flatMap(membersOf),
      ...routes.filter(isAudited).flatMap((route) => membersOf('body' in route ? route.body : undefined)),
    ].filter((name) => name.endsWith('_id'));
    // A new member with the id of a user must be added to `mentionedUsers`.
    expect([...new Set(members)].sort()).toEqual([
      'batch_id',
      'checkout_id',
      'comment_id',
      'key_id',
      'owner_id',
      'project_id',
      'promotion_id',
      'revert_id',
      'revision_id',
      'rule_id',
      'user_id',
      'webhook_id',
    ]);
  });

  it('finds the owner in an input that is too long to be stored', async () => {
    const input = { owner_id: 'usr_new', long_description: 'x'.repeat(5000) };
    const request = {
      actorId: 'usr_boss',
      actorName: null,
      action: 'projects.edit',
      requestId: 'r1',
      address: null,
      input,
    };
    await inAuditedRequest(request, () => transact([{ put: { pk: 'PROJECT#p', sk: 'CARD', type: 'project' } }]));
    expect((await ofType('mention')).map(({ pk }) => pk).sort()).toEqual([
      mentionsPartition('usr_boss'),
      mentionsPartition('usr_new'),
    ]);
    await removeUserFromLedgers('usr_new', true, FOREVER);
    expect(await traces('usr_new')).toEqual([]);
  });
});

describe('the removal of a user from the ledgers', () => {
  it('reads the entries of that user only', async () => {
    for (let n = 0; n < 30; n += 1) await commented('usr_other');
    const own = await commented('usr_a');
    const approval = await approved('usr_boss', 'usr_a');
    const before = await traces('usr_other');
    const sent = vi.spyOn(dynamo(), 'send');
    await removeUserFromLedgers('usr_a', true, FOREVER);
    // The first entry of each ledger, the mentions, and for each mention its entries, their updates and its deletion.
    const commands = sent.mock.calls.map(([command]) => command.constructor.name);
    const queries = commands.filter((name) => name === 'QueryCommand').length;
    expect(commands.length - queries).toBeLessThanOrEqual(6);
    // At most 5 months of 4 partitions and 3 years of audit log, for the oldest entry, and the mentions.
    expect(queries).toBeLessThanOrEqual(24);
    expect(await traces('usr_a')).toEqual([]);
    expect(await traces('usr_other')).toEqual(before);
    expect(await findItem(own)).toMatchObject({ actor_id: null, data: { user_id: 'erased', content: '' } });
    expect(await findItem(approval)).toMatchObject({
      actor_id: 'usr_boss',
      data: { owner_id: 'erased', name: 'Tea' },
    });
    expect(await ofType('audit')).toMatchObject([{ actor_id: 'usr_boss', address: '203.0.113.7' }]);
  });

  it('removes the names of projects that were deleted on request', async () => {
    const approval = await approved('usr_boss', 'usr_a');
    await removeUserFromLedgers('usr_a', false, FOREVER);
    expect(await findItem(approval)).toMatchObject({ data: { owner_id: 'erased', name: '', slug: '', url: '' } });
  });

  it('removes the id, address and input of an administrator from their entries', async () => {
    await approved('usr_boss', 'usr_a');
    await removeUserFromLedgers('usr_boss', true, FOREVER);
    expect(await traces('usr_boss')).toEqual([]);
    expect(await ofType('audit')).toMatchObject([{ actor_id: 'erased', address: null, input: null }]);
  });

  it('continues where an interrupted run ended', async () => {
    for (let n = 0; n < 20; n += 1) await commented('usr_a');
    // The time is up after the first eight mentions.
    let checks = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => checks++);
    await expect(removeUserFromLedgers('usr_a', true, 0)).rejects.toThrow(TimeUp);
    vi.restoreAllMocks();
    const left = await ofType('mention');
    expect(left).toHaveLength(12);
    expect((await ofType('event')).filter(({ actor_id }) => actor_id === 'usr_a')).toHaveLength(12);
    const sent = vi.spyOn(dynamo(), 'send');
    await removeUserFromLedgers('usr_a', true, FOREVER);
    expect(sent.mock.calls.filter(([command]) => command.constructor.name === 'UpdateCommand')).toHaveLength(12);
    expect(await traces('usr_a')).toEqual([]);
  });

  it('does not create an expired entry again', async () => {
    const event = await commented('usr_a');
    await deleteItems([event]);
    await removeUserFromLedgers('usr_a', true, FOREVER);
    expect(await table.scan()).toEqual([]);
  });
});

describe('entries of a version without mentions', () => {
  it('are reported while there are any', async () => {
    expect(await hasUnindexedEntries()).toBe(false);
    await commented('usr_b');
    expect(await hasUnindexedEntries()).toBe(false);
    await oldAuditEntry('aud_01JAAAAAAAAAAAAAAAAAAAAAAC', 'usr_a');
    expect(await hasUnindexedEntries()).toBe(true);
  });

  it('are reported beside newer entries in the other partitions of their month', async () => {
    for (let n = 0; n < 20; n += 1) await commented('usr_a');
    expect(new Set((await ofType('event')).map(({ pk }) => pk)).size).toBe(4);
    expect(await hasUnindexedEntries()).toBe(false);
    await oldEvent('evt_01JAAAAAAAAAAAAAAAAAAAAAAA', 'usr_a');
    expect(await hasUnindexedEntries()).toBe(true);
  });

  it('lose the user too, although no mention finds them', async () => {
    await oldEvent('evt_01JAAAAAAAAAAAAAAAAAAAAAAA', 'usr_a');
    await oldAuditEntry('aud_01JAAAAAAAAAAAAAAAAAAAAAAC', 'usr_a');
    await commented('usr_a');
    await removeUserFromLedgers('usr_a', true, FOREVER);
    expect(await traces('usr_a')).toEqual([]);
    expect(await ofType('event')).toHaveLength(2);
  });

  it('get their mentions from `indexLedgers`, which can be repeated', async () => {
    await oldEvent('evt_01JAAAAAAAAAAAAAAAAAAAAAAA', 'usr_a');
    await oldEvent('evt_01JBBBBBBBBBBBBBBBBBBBBBBB', 'usr_b');
    await oldAuditEntry('aud_01JAAAAAAAAAAAAAAAAAAAAAAC', 'usr_a');
    const recent = await commented('usr_a');
    expect(await indexLedgers()).toEqual({ indexed: 3, changed: 0 });
    expect(await hasUnindexedEntries()).toBe(false);
    const indexed = await table.scan();
    expect(indexed.filter(({ type }) => type === 'mention').map(({ pk, entries }) => [pk, entries])).toEqual(
      expect.arrayContaining([
        [mentionsPartition('usr_a'), [{ pk: 'EVENTS#2026-11', sk: 'evt_01JAAAAAAAAAAAAAAAAAAAAAAA' }]],
        [mentionsPartition('usr_a'), [{ pk: 'AUDIT#2026', sk: 'aud_01JAAAAAAAAAAAAAAAAAAAAAAC' }]],
        [mentionsPartition('usr_a'), [recent]],
        [mentionsPartition('usr_b'), [{ pk: 'EVENTS#2026-11', sk: 'evt_01JBBBBBBBBBBBBBBBBBBBBBBB' }]],
      ]),
    );
    expect(await indexLedgers()).toEqual({ indexed: 0, changed: 0 });
    expect(await table.scan()).toEqual(indexed);
    await removeUserFromLedgers('usr_a', true, FOREVER);
    expect(await traces('usr_a')).toEqual([]);
  });

  it('are indexed from the newest to the oldest, so that an interrupted run leaves them reported', async () => {
    await oldEvent('evt_01JAAAAAAAAAAAAAAAAAAAAAAA', 'usr_a');
    for (let n = 10; n < 30; n += 1) await oldEvent(`evt_01JBBBBBBBBBBBBBBBBBBBBB${n}`, 'usr_b');
    let transactions = 0;
    beforeEachTransaction(() => {
      transactions += 1;
      if (transactions > 16) throw new Error('interrupted');
    });
    await expect(indexLedgers()).rejects.toThrow('interrupted');
    vi.restoreAllMocks();
    expect(await hasUnindexedEntries()).toBe(true);
    expect((await ofType('mention')).map(({ sk }) => sk)).not.toContain('01JAAAAAAAAAAAAAAAAAAAAAAA');
    expect(await indexLedgers()).toEqual({ indexed: 5, changed: 0 });
    expect(await ofType('mention')).toHaveLength(21);
  });

  it('are left alone when an erasure changes them at the same time', async () => {
    await oldEvent('evt_01JAAAAAAAAAAAAAAAAAAAAAAA', 'usr_a');
    let isFirst = true;
    beforeEachTransaction(async () => {
      if (isFirst) await removeUserFromLedgers('usr_a', true, FOREVER);
      isFirst = false;
    });
    expect(await indexLedgers()).toEqual({ indexed: 0, changed: 1 });
    vi.restoreAllMocks();
    expect(await traces('usr_a')).toEqual([]);
    expect(await indexLedgers()).toEqual({ indexed: 1, changed: 0 });
    expect(await ofType('mention')).toEqual([]);
  });
});
