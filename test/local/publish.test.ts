import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { Context, DynamoDBRecord, EventBridgeEvent } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { inOutbox } from '#data/outbox.ts';
import type { Message } from '#events/catalogue.ts';
import { outboxFilter, ruleOf } from '#events/publish.ts';
import { subscribe } from '#events/subscribe.ts';
import type { Subscription } from '#events/subscriptions.ts';
import { handler } from '#functions/events/publish.ts';
import { matches } from '#local/pattern.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';

vi.mock(import('#platform/metrics.ts'), { spy: true });

log.setLogLevel('SILENT');
// Settings are read once, at the first look.
Object.assign(process.env, {
  TABLE_NAME: 'table',
  BUS_NAME: 'bus',
  OIDC_ISSUER: 'https://issuer.example',
  OIDC_JWKS_URI: 'https://issuer.example/keys',
  FEATURE_EMAIL: 'off',
});

const context = {} as Context;
const bus = mockClient(EventBridgeClient);
const facts = { slug: 's', name: 'n', url: 'https://u.example', plan: 'standard', status: 'live', owner_id: 'u' };

const record = (n: number, kind = 'projectApproved'): DynamoDBRecord => ({
  eventName: 'INSERT',
  dynamodb: {
    SequenceNumber: String(n),
    Keys: { pk: { S: 'EVENTS#2026-11' }, sk: { S: `evt_${n}` } },
    NewImage: {
      pk: { S: 'EVENTS#2026-11' },
      sk: { S: `evt_${n}` },
      type: { S: 'event' },
      ttl: { N: '1800000000' },
      id: { S: `evt_${n}` },
      kind: { S: kind },
      occurred_at: { S: '2026-11-20T09:30:00.000Z' },
      actor_id: { NULL: true },
      data: {
        M:
          kind === 'projectPurged'
            ? { project_id: { S: 'prj_1' }, slugs: { L: [{ S: 'a' }, { S: 'b' }] } }
            : {
                project_id: { S: 'prj_1' },
                ...Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, { S: value }])),
              },
      },
    },
  },
});

beforeEach(() => {
  bus.reset();
  bus.on(PutEventsCommand).callsFake((input: { Entries: { Detail: string }[] }) => ({
    Entries: input.Entries.map(({ Detail }) =>
      /evt_(13|17)"/.test(Detail) ? { ErrorCode: 'ThrottlingException' } : { EventId: 'x' },
    ),
  }));
});

const sent = () => bus.commandCalls(PutEventsCommand).flatMap(({ args }) => args[0].input.Entries ?? []);

describe('the publisher', () => {
  it('puts messages on the bus as they are catalogued, tasks under a source of their own', async () => {
    expect(await handler({ Records: [record(1), record(2, 'projectPurged')] }, context)).toEqual({
      batchItemFailures: [],
    });
    expect(sent()).toMatchObject([
      {
        EventBusName: 'bus',
        Source: 'directory',
        DetailType: 'projectApproved',
        Time: new Date('2026-11-20T09:30:00.000Z'),
      },
      { EventBusName: 'bus', Source: 'directory.tasks', DetailType: 'projectPurged' },
    ]);
    expect(JSON.parse(sent()[1]?.Detail ?? '')).toEqual({
      id: 'evt_2',
      kind: 'projectPurged',
      occurred_at: '2026-11-20T09:30:00.000Z',
      actor_id: null,
      data: { project_id: 'prj_1', slugs: ['a', 'b'] },
    });
  });

  it('asks for everything again from the first message that the bus refused', async () => {
    const Records = Array.from({ length: 25 }, (_, n) => record(n));
    expect(await handler({ Records }, context)).toEqual({ batchItemFailures: [{ itemIdentifier: '13' }] });
  });

  it('passes over an item that is no message, which would otherwise hold up the rest for ever', async () => {
    const broken = record(1);
    delete broken.dynamodb?.NewImage?.['kind'];
    expect(await handler({ Records: [broken, record(2, 'somethingElse'), record(3)] }, context)).toEqual({
      batchItemFailures: [],
    });
    expect(sent()).toHaveLength(1);
    expect(vi.mocked(count).mock.calls).toEqual([['OutboxItemSkipped'], ['OutboxItemSkipped']]);
  });

  it('fails as a whole when the bus is not to be had', async () => {
    bus.on(PutEventsCommand).rejects(new Error('no bus'));
    await expect(handler({ Records: [record(1)] }, context)).rejects.toThrow(/^events\.publish failed: Error\.$/);
  });
});

describe('the outbox', () => {
  it('takes no message that could not be read out of it again', () => {
    const fits = {
      id: 'evt_1',
      occurred_at: '2026-11-20T09:30:00.000Z',
      actor_id: null,
      data: { project_id: 'p', slugs: [] },
    };
    expect(inOutbox({ ...fits, kind: 'projectPurged' })).toMatchObject({ put: { type: 'task' } });
    expect(() => inOutbox({ ...fits, kind: 'projectApproved' } as unknown as Message)).toThrow(/slug/);
    expect(() => inOutbox({ ...fits, kind: 'somethingElse' } as unknown as Message)).toThrow(/kind/);
  });
});

describe('the filter of the stream', () => {
  it.each([
    ['a new item of the outbox', record(1), true],
    ['a changed one', { ...record(1), eventName: 'MODIFY' }, false],
    ['a removed one', { ...record(1), eventName: 'REMOVE' }, false],
    ['another item', { eventName: 'INSERT', dynamodb: { Keys: { pk: { S: 'PROJECT#1' } } } }, false],
    ['an item with another kind of key', { eventName: 'INSERT', dynamodb: { Keys: { pk: { N: '1' } } } }, false],
    ['nothing', {}, false],
    ['no object', null, false],
  ])('takes %s: %#', (_, one, expected) => {
    expect(matches(outboxFilter, one)).toBe(expected);
  });
});

describe('a subscription', () => {
  const subscription = {
    id: 'test.subscriber',
    summary: 'x',
    kinds: ['projectApproved', 'projectPurged'],
    needs: [],
  } as const satisfies Subscription;
  const delivery = (detail: unknown) =>
    ({ 'detail-type': 'projectApproved', detail }) as EventBridgeEvent<string, unknown>;
  const message = {
    id: 'evt_1',
    kind: 'projectApproved',
    occurred_at: '2026-11-20T09:30:00.000Z',
    actor_id: null,
    data: { project_id: 'prj_1', ...facts },
  };

  it('asks for its kinds from the sources that they have', () => {
    expect(ruleOf(subscription)).toEqual({
      source: ['directory', 'directory.tasks'],
      'detail-type': ['projectApproved', 'projectPurged'],
    });
  });

  it('is given a checked message and its ports', async () => {
    const run = vi.fn<(message: Message, ports: { port: number }) => Promise<void>>(async () => undefined);
    await subscribe(
      subscription,
      { port: 1 },
      run,
    )(delivery({ ...message, data: { ...message.data, secret: 'x' } }), context);
    expect(run).toHaveBeenCalledWith(message, { port: 1 });
  });

  it('fails when its work fails or the message is none, so that it comes again', async () => {
    const failing = subscribe(subscription, {}, () => Promise.reject(new Error('not now')));
    await expect(failing(delivery(message), context)).rejects.toThrow('test.subscriber failed: Error.');
    const never = vi.fn();
    await expect(subscribe(subscription, {}, never)(delivery({ ...message, kind: 'x' }), context)).rejects.toThrow();
    expect(never).not.toHaveBeenCalled();
  });

  it('logs the kind of a failure, but not its words, which may name somebody', async () => {
    const lines = vi.spyOn(log, 'error').mockReturnValue(undefined);
    const refusal = Object.assign(new Error('Address is not verified: somebody@example.com'), {
      code: 'MessageRejected',
    });
    await expect(
      subscribe(subscription, {}, () => Promise.reject(refusal))(delivery(message), context),
    ).rejects.toThrow(/^test\.subscriber failed: Error MessageRejected\.$/);
    expect(lines.mock.calls).toEqual([
      [
        'delivery failed',
        {
          subscription: 'test.subscriber',
          request_id: context.awsRequestId,
          kind: 'projectApproved',
          message_id: 'evt_1',
          error_name: 'Error',
          error_code: 'MessageRejected',
          error_stack: expect.arrayContaining([expect.stringMatching(/^at /)]) as string[],
        },
      ],
    ]);
  });

  it('is skipped while its feature is off', async () => {
    const run = vi.fn();
    await subscribe({ ...subscription, feature: 'email' }, {}, run)(delivery(message), context);
    expect(run).not.toHaveBeenCalled();
    await subscribe({ ...subscription, feature: 'comments' }, {}, run)(delivery(message), context);
    expect(run).toHaveBeenCalledOnce();
  });
});
