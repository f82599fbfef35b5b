import {
  DeleteMessageCommand,
  type DeleteMessageCommandInput,
  ReceiveMessageCommand,
  RequestThrottled,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AuditEntry } from '#contract/audit.ts';
import type { DeadLetter } from '#contract/dead-letters.ts';
import * as store from '#data/dead-letters.ts';
import { deadLetterKey } from '#data/keys.ts';
import { newMessage } from '#events/catalogue.ts';
import { type ImportHandler, importHandler } from '#local/handlers.ts';
import { now } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { derivedId, newId } from '#platform/ids.ts';
import { collectDeadLetters } from '#services/dead-letters.ts';
import { mailsTo } from '#test/support/events.ts';
import { dataOf, NOT_FOUND, type Person, person, success, TIME, unique } from '#test/support/fixtures.ts';
import { callJob, runJob } from '#test/support/jobs.ts';
import { longTest } from '#test/support/long-test.ts';
import { interceptTable, textOfKey } from '#test/support/table-calls.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const LETTERS = '/api/admin/dead-letters';
const SUBSCRIBER = 'mail.notifySubmitter';

const failing = new Set<string>();
/** The events that subscribers received, as subscriber and id. */
const received: string[] = [];
/** The event that each of these received last. */
const details = new Map<string, unknown>();

const observedHandler: ImportHandler = async (id) => {
  const handler = await importHandler(id);
  return async (event, context) => {
    const { detail } = event as { detail?: { id?: string } };
    if (detail?.id !== undefined) {
      received.push(`${id} ${detail.id}`);
      details.set(`${id} ${detail.id}`, detail);
    }
    if (failing.has(id)) throw new Error('The subscriber fails.');
    return await handler(event, context);
  };
};

const { server, directory } = await ownDirectory({
  importHandler: observedHandler,
  retries: { firstPauseMs: 1, triesMax: 2 },
  env: { FEATURE_PROMOTIONS: 'off' },
});

const letters = async (query = ''): Promise<DeadLetter[]> =>
  dataOf(await directory.adminOk('GET', `${LETTERS}${query}`));

const replay = (id: string) => directory.asAdmin('POST', `${LETTERS}/${id}/replay`);

/** A dead letter of a submission whose mail failed in every attempt. */
const deadSubmission = async (): Promise<{ owner: Person; letter: DeadLetter }> => {
  const owner = await person(server);
  failing.add(SUBSCRIBER);
  const project = await directory.submit(owner);
  const isHers = ({ event }: DeadLetter) => (event.data as { project_id?: string }).project_id === project.id;
  let found: DeadLetter | undefined;
  await server.until(async () => {
    await runJob(server, 'collect-dead-letters');
    found = (await letters()).find(isHers);
    return found;
  });
  expect(await mailsTo(server, owner)).toEqual([]);
  failing.delete(SUBSCRIBER);
  return { owner, letter: found as DeadLetter };
};

const letterOf = (fields: Partial<DeadLetter> = {}): DeadLetter => ({
  id: newId('ltr'),
  subscriber: SUBSCRIBER,
  kind: 'projectSubmitted',
  event_id: null,
  failed_at: now(),
  error: null,
  event: {},
  ...fields,
});

afterEach(async () => {
  failing.clear();
  for (let left = await letters(); left.length > 0; left = await letters()) {
    for (const { id } of left) await directory.adminOk('DELETE', `${LETTERS}/${id}`);
  }
  expect(await store.countDeadLetters()).toBe(0);
});

it('an event that a subscriber fails to process is moved to the dead letters, and replayed to that subscriber alone', async () => {
  const { owner, letter } = await deadSubmission();
  expect(letter).toEqual({
    id: expect.stringMatching(/^ltr_/),
    subscriber: SUBSCRIBER,
    kind: 'projectSubmitted',
    event_id: letter.event.id,
    failed_at: TIME,
    error: 'The subscriber fails.',
    event: expect.objectContaining({ kind: 'projectSubmitted' }),
  });
  expect((await directory.adminOk('GET', '/api/admin/summary')).body).toMatchObject({ data: { dead_letters: 1 } });
  const isOfLetter = (one: string) => one.endsWith(` ${letter.event_id}`);
  await server.until(async () =>
    server.server.bus
      .events({ includeTasks: true, limit: 50 })
      .every(({ deliveries }) => deliveries.every(({ state }) => state !== 'pending')),
  );
  const before = received.filter(isOfLetter);

  expect(await replay(letter.id)).toMatchObject(success({ id: letter.id, subscriber: SUBSCRIBER }, 202));
  await server.until(async () => (await mailsTo(server, owner)).length === 1);
  expect(received.filter(isOfLetter).slice(before.length)).toEqual([`${SUBSCRIBER} ${letter.event_id}`]);
  expect(await letters()).toEqual([]);
  expect(await replay(letter.id)).toMatchObject(NOT_FOUND);
  const audit = await directory.adminOk('GET', `/api/admin/audit?subject=letter:${letter.id}`);
  expect(dataOf<AuditEntry[]>(audit)).toMatchObject([{ action: 'deadLetters.replay', actor_id: directory.admin.id }]);
});

it('an event that a subscriber fails to process becomes another dead letter when it fails again', async () => {
  const { letter } = await deadSubmission();
  failing.add(SUBSCRIBER);
  expect(await replay(letter.id)).toMatchObject({ status: 202 });
  await server.until(async () => {
    await runJob(server, 'collect-dead-letters');
    return (await letters()).length === 1;
  });
  const [next] = await letters();
  expect(next?.id).not.toBe(letter.id);
  expect(next).toMatchObject({ event_id: letter.event_id, subscriber: SUBSCRIBER });
});

it('an event that a subscriber fails to process stays a dead letter when the process dies during a replay, and is processed once however often it is replayed', async () => {
  const { owner, letter } = await deadSubmission();
  const recover = interceptTable(({ written }, send) =>
    written.includes(textOfKey(deadLetterKey(letter.id))) ? Promise.reject(new Error('The process dies.')) : send(),
  );
  expect(await replay(letter.id)).toMatchObject({ status: 500 });
  recover();
  expect(await letters()).toEqual([letter]);
  await server.until(async () => (await mailsTo(server, owner)).length === 1);

  const receptions = () => received.filter((one) => one === `${SUBSCRIBER} ${letter.event_id}`).length;
  const before = receptions();
  const both = await Promise.all([replay(letter.id), replay(letter.id)]);
  const accepted = both.filter(({ status }) => status === 202).length;
  expect(accepted).toBeGreaterThan(0);
  await server.until(async () => receptions() >= before + accepted);
  expect(await mailsTo(server, owner)).toHaveLength(1);
  expect(await letters()).toEqual([]);
});

it('an event that a subscriber fails to process can be mail feedback', async () => {
  const bounce = { bounceType: 'Transient', bouncedRecipients: [] };
  const detail = { id: unique('bounce'), eventType: 'Bounce', mail: {}, bounce };
  const letter = letterOf({ subscriber: 'mail.recordFeedback', kind: 'Email Bounced', event: detail });
  await store.insertDeadLetter(letter);
  expect(await replay(letter.id)).toMatchObject({ status: 202 });
  await server.until(async () => received.includes(`mail.recordFeedback ${detail.id}`));
});

it('a replay of a dead letter is refused for subscribers that would not process the event', async () => {
  for (const subscriber of ['mail.gone', 'promotions.revokeForProject']) {
    const letter = letterOf({ subscriber });
    await store.insertDeadLetter(letter);
    expect(await replay(letter.id)).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
  }
  expect(await letters()).toHaveLength(2);
});

describe('a dead letter about an erased user', () => {
  const commentBy = (userId: string): DeadLetter => {
    const data = { comment_id: newId('cmt'), project_id: newId('prj'), user_id: userId, content: 'What I think.' };
    const event = newMessage('commentCreated', userId, data);
    return letterOf({ subscriber: 'webhooks.enqueue', kind: event.kind, event_id: event.id, event: { ...event } });
  };
  const isErased = ({ id }: Person): boolean =>
    server.server.bus
      .events({ includeTasks: true, kind: 'userErased', limit: 50 })
      .filter(({ detail }) => (detail.data as { user_id?: string }).user_id === id)
      .some(({ deliveries }) => deliveries.every(({ state }) => state === 'done'));
  const WITHOUT_USER = { kind: 'commentCreated', actor_id: null, data: { user_id: 'erased', content: '' } };

  it('a dead letter about an erased user loses the user and the words, but a task keeps the user', async () => {
    const [user, other] = [await person(server), await person(server)];
    const [own, foreign] = [commentBy(user.id), commentBy(other.id)];
    const task = newMessage('userErased', user.id, { user_id: user.id, projects: 'keep' });
    const erasure = letterOf({ subscriber: 'users.finishErasure', kind: task.kind, event: { ...task } });
    for (const letter of [own, foreign, erasure]) await store.insertDeadLetter(letter);
    await directory.ok(user, 'DELETE', '/api/user');
    await server.until(() => Promise.resolve(isErased(user)));
    expect(await store.findDeadLetter(own.id)).toMatchObject({ ...own, event: WITHOUT_USER });
    expect(await store.findDeadLetter(foreign.id)).toEqual(foreign);
    expect(await store.findDeadLetter(erasure.id)).toEqual(erasure);
  });

  it('a dead letter about an erased user is replayed without the user, also when it was stored after the erasure', async () => {
    const user = await person(server);
    const letter = commentBy(user.id);
    await directory.ok(user, 'DELETE', '/api/user');
    await server.until(() => Promise.resolve(isErased(user)));
    await store.insertDeadLetter(letter);
    expect(await replay(letter.id)).toMatchObject({ status: 202 });
    const reception = `${letter.subscriber} ${letter.event_id}`;
    await server.until(async () => received.includes(reception));
    expect(details.get(reception)).toMatchObject({ ...WITHOUT_USER, id: letter.event_id });
  });
});

longTest('the list of dead letters begins with the latest failure, and has short pages of large events', async () => {
  const large = Array.from({ length: 10 }, () => letterOf({ event: { text: 'x'.repeat(350_000) } }));
  await Promise.all(large.map(store.insertDeadLetter));
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const response = await directory.adminOk('GET', `${LETTERS}?limit=10${after === null ? '' : `&after=${after}`}`);
    const { data, meta } = response.body as { data: DeadLetter[]; meta: { nextAfter: string | null } };
    expect(data.length).toBeLessThan(10);
    seen.push(...data.map(({ id }) => id));
    after = meta.nextAfter;
  } while (after !== null);
  expect(seen).toEqual(large.map(({ id }) => id).toReversed());
});

it('the list of dead letters does not contain a deleted dead letter, which cannot be deleted again', async () => {
  const letter = letterOf();
  await store.insertDeadLetter(letter);
  const response = await directory.adminOk('DELETE', `${LETTERS}/${letter.id}`);
  expect(response.body).toEqual({ data: { id: letter.id, deleted: true } });
  expect(await directory.asAdmin('DELETE', `${LETTERS}/${letter.id}`)).toMatchObject(NOT_FOUND);
});

describe('the job that collects dead letters', () => {
  const url = (): string =>
    environment().deadLetterQueues.find(({ subscriber }) => subscriber === SUBSCRIBER)?.url ?? '';
  let queues: ReturnType<typeof mockQueues>;
  const mockQueues = () => mockClient(SQSClient);

  beforeAll(() => {
    queues = mockQueues();
  });
  afterAll(() => queues.restore());

  /** Mocks the queues. @param receptions the messages of each reception from the queue of the subscriber, or null. */
  const receives = (
    receptions: (object | object[] | null)[],
    failingUrl = '',
    error = new Error('No queue.'),
  ): void => {
    queues.on(ReceiveMessageCommand).callsFake(({ QueueUrl }: { readonly QueueUrl: string }) => {
      if (QueueUrl === failingUrl) throw error;
      const messages = QueueUrl === url() ? receptions.shift() : null;
      const envelope = { MessageId: 'message', ReceiptHandle: 'receipt' };
      return messages ? { Messages: [messages].flat().map((message) => ({ ...envelope, ...message })) } : {};
    });
  };

  /** Mocks the deletion of messages. @returns its inputs. */
  const deletions = (failures: number): DeleteMessageCommandInput[] => {
    const inputs: DeleteMessageCommandInput[] = [];
    queues.on(DeleteMessageCommand).callsFake((input: DeleteMessageCommandInput) => {
      inputs.push(input);
      if (inputs.length <= failures) throw new Error('The process dies.');
      return {};
    });
    return inputs;
  };

  const event = { 'detail-type': 'projectSubmitted', detail: { id: 'evt_1', kind: 'projectSubmitted' } };
  const messageAt = (sentMs: number) => ({
    Body: JSON.stringify(event),
    Attributes: { SentTimestamp: String(sentMs) },
    MessageAttributes: { ERROR_MESSAGE: { DataType: 'String', StringValue: 'No permission.' } },
  });

  afterEach(() => queues.reset());

  it('the job that collects dead letters stores a message once and deletes it from the queue afterwards, also when the process dies in between', async () => {
    const message = messageAt(Date.now());
    receives([message, message, null, message]);
    const deleted = deletions(1);
    expect(await callJob(server, 'collect-dead-letters')).toMatchObject({ status: 500 });
    const [letter] = await letters();
    expect(letter).toMatchObject({ event_id: 'evt_1', error: 'No permission.', event: event.detail });
    expect(await runJob(server, 'collect-dead-letters')).toMatchObject({ processed: 0 });
    expect(await letters()).toEqual([letter]);
    const deletion = { QueueUrl: url(), ReceiptHandle: 'receipt' };
    expect(deleted).toEqual([deletion, deletion]);

    // Received again after an administrator has removed the letter.
    await directory.adminOk('DELETE', `${LETTERS}/${letter?.id}`);
    expect(await runJob(server, 'collect-dead-letters')).toMatchObject({ processed: 0 });
    expect(await letters()).toEqual([]);
  });

  it('the job that collects dead letters stores an event without a user who has been erased since', async () => {
    const user = await person(server);
    const data = { comment_id: newId('cmt'), project_id: newId('prj'), user_id: user.id, content: 'What I think.' };
    const detail = newMessage('commentCreated', user.id, data);
    await directory.ok(user, 'DELETE', '/api/user');
    const body = JSON.stringify({ 'detail-type': detail.kind, detail });
    receives([{ ...messageAt(Date.now()), Body: body }]);
    deletions(0);
    expect(await runJob(server, 'collect-dead-letters')).toMatchObject({ processed: 1 });
    expect(await letters()).toMatchObject([
      { event: { ...detail, actor_id: null, data: { ...data, user_id: 'erased', content: '' } } },
    ]);
  });

  it('the job that collects dead letters stops between messages when its time is up', async () => {
    const messages = ['one', 'two'].map((MessageId) => ({ ...messageAt(Date.now()), MessageId }));
    receives([messages, messages.slice(1)]);
    const actual = performance.now.bind(performance);
    const deleted = deletions(0);
    // The deletion of a message takes a minute.
    vi.spyOn(performance, 'now').mockImplementation(() => actual() + deleted.length * 60_000);
    expect(await collectDeadLetters(50_000)).toMatchObject({ processed: 1, unfinished: true });
    expect(await letters()).toHaveLength(1);
    expect(await collectDeadLetters(50_000)).toMatchObject({ processed: 1 });
    expect(await letters()).toHaveLength(2);
    vi.mocked(performance.now).mockRestore();
  });

  it('the job that collects dead letters is unavailable while a queue is throttled', async () => {
    const throttled = new RequestThrottled({ message: 'Slow down.', $metadata: { httpStatusCode: 400 } });
    receives([], environment().deadLetterQueues.at(-1)?.url, throttled);
    deletions(0);
    expect(await callJob(server, 'collect-dead-letters')).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
  });

  it('the job that collects dead letters leaves messages that are no events in the queue', async () => {
    receives([{ ...messageAt(Date.now()), Body: 'text' }]);
    const deleted = deletions(0);
    expect(await runJob(server, 'collect-dead-letters')).toMatchObject({ processed: 0 });
    expect(deleted).toEqual([]);
  });

  it('the job that collects dead letters deletes dead letters after 14 days, and reads the other queues when one fails', async () => {
    const old = Date.now() - 15 * 86_400_000;
    await store.insertDeadLetter(
      letterOf({ id: derivedId('ltr', old, 'old'), failed_at: new Date(old).toISOString() }),
    );
    receives([messageAt(Date.now())], environment().deadLetterQueues.at(-1)?.url);
    deletions(0);
    expect(await callJob(server, 'collect-dead-letters')).toMatchObject({ status: 500 });
    expect(await letters()).toMatchObject([{ event_id: 'evt_1' }]);
  });
});
