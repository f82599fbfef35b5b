import { inspect } from 'node:util';
import { EventBridgeClient, PutEventsCommand, type PutEventsCommandInput } from '@aws-sdk/client-eventbridge';
import type { Context, DynamoDBRecord, EventBridgeEvent } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { inOutbox } from '#data/event-log.ts';
import type { Message } from '#events/catalogue.ts';
import { ruleOf, type Subscription } from '#events/subscriptions.ts';
import { handler } from '#functions/events/publish.ts';
import { subscribe } from '#http/subscribe.ts';
import { log } from '#platform/log.ts';
import { captureMetrics } from '#test/support/metrics.ts';

log.setLogLevel('SILENT');
// Settings are read once, on first use.
Object.assign(process.env, {
  AWS_REGION: 'us-east-1',
  TABLE_NAME: 'table',
  BUS_NAME: 'bus',
  OIDC_ISSUER: 'https://issuer.example',
  OIDC_AUDIENCES: 'web',
  OIDC_JWKS_URI: 'https://issuer.example/keys',
});

const context = {} as Context;
const project = { slug: 's', name: 'n', url: 'https://u.example', plan: 'standard', status: 'live', owner_id: 'u' };

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
                ...Object.fromEntries(Object.entries(project).map(([name, value]) => [name, { S: value }])),
              },
      },
    },
  },
});

const bus = mockClient(EventBridgeClient);
afterAll(() => bus.restore());
beforeEach(() => {
  bus.reset();
  bus.on(PutEventsCommand).callsFake(({ Entries = [] }: PutEventsCommandInput) => ({
    Entries: Entries.map(({ Detail = '' }) =>
      /evt_(13|17)"/.test(Detail) ? { ErrorCode: 'ThrottlingException' } : { EventId: 'x' },
    ),
  }));
});

/** The entries of each request. */
const requests = () => bus.commandCalls(PutEventsCommand).map(({ args: [{ input }] }) => input.Entries ?? []);

const sent = () => requests().flat();

it('the publisher publishes events and tasks with their own sources', async () => {
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

it('the publisher reports a batch failure at the first message that the bus rejected', async () => {
  const Records = Array.from({ length: 25 }, (_, n) => record(n));
  expect(await handler({ Records }, context)).toEqual({ batchItemFailures: [{ itemIdentifier: '13' }] });
});

it('the publisher sends requests of at most 256 KB, in the order of the events', async () => {
  const large = (n: number): DynamoDBRecord => {
    const one = record(n);
    Object.assign(one.dynamodb?.NewImage?.['data']?.M ?? {}, { name: { S: 'ü'.repeat(40_000) } });
    return one;
  };
  await handler({ Records: Array.from({ length: 8 }, (_, n) => large(n)) }, context);
  expect(requests().map(({ length }) => length)).toEqual([3, 3, 2]);
  for (const entries of requests()) {
    expect(Buffer.byteLength(entries.map(({ Detail }) => Detail).join(''))).toBeLessThan(256 * 1024);
  }
  expect(sent().map(({ Detail }) => (JSON.parse(Detail ?? '') as Message).id)).toEqual(
    Array.from({ length: 8 }, (_, n) => `evt_${n}`),
  );
});

it('the publisher skips and counts invalid items, which would block the stream otherwise', async () => {
  const broken = record(1);
  delete broken.dynamodb?.NewImage?.['kind'];
  const metrics = captureMetrics();
  expect(await handler({ Records: [broken, record(2, 'somethingElse'), record(3)] }, context)).toEqual({
    batchItemFailures: [],
  });
  expect(sent()).toHaveLength(1);
  expect(metrics('OutboxItemSkipped')).toBe(2);
});

it('the publisher fails when the bus is unavailable', async () => {
  bus.on(PutEventsCommand).rejects(new Error('no bus'));
  await expect(handler({ Records: [record(1)] }, context)).rejects.toThrow(/^events\.publish failed: Error\.$/);
});

it('the outbox rejects messages that do not match their schema', () => {
  const valid = {
    id: 'evt_1',
    occurred_at: '2026-11-20T09:30:00.000Z',
    actor_id: null,
    data: { project_id: 'p', slugs: [] },
  };
  expect(inOutbox({ ...valid, kind: 'projectPurged' })).toMatchObject({ put: { type: 'task' } });
  expect(() => inOutbox({ ...valid, kind: 'projectApproved' } as unknown as Message)).toThrow(/slug/);
  expect(() => inOutbox({ ...valid, kind: 'somethingElse' } as unknown as Message)).toThrow(/kind/);
});

describe('a subscription', () => {
  const subscription = {
    id: 'test.subscriber',
    summary: 'x',
    kinds: ['projectApproved', 'projectPurged'],
    permissions: [],
  } as const satisfies Subscription;
  const delivery = (detail: unknown) =>
    ({ 'detail-type': 'projectApproved', detail }) as EventBridgeEvent<string, unknown>;
  const message = {
    id: 'evt_1',
    kind: 'projectApproved',
    occurred_at: '2026-11-20T09:30:00.000Z',
    actor_id: null,
    data: { project_id: 'prj_1', ...project },
  };

  it('a subscription has an event pattern with its kinds and their sources, and with replays to itself', () => {
    expect(ruleOf(subscription)).toEqual({
      source: ['directory', 'directory.tasks', 'directory.replays'],
      'detail-type': ['projectApproved', 'projectPurged', 'test.subscriber'],
    });
  });

  it('a subscription receives validated messages without unknown members', async () => {
    const run = vi.fn<(message: Message) => Promise<void>>(async () => undefined);
    await subscribe(subscription, run)(delivery({ ...message, data: { ...message.data, secret: 'x' } }), context);
    expect(run).toHaveBeenCalledWith(message);
  });

  it('a subscription fails on an error of its work and on an invalid message, so that the bus delivers it again', async () => {
    const failing = subscribe(subscription, () => Promise.reject(new Error('not now')));
    await expect(failing(delivery(message), context)).rejects.toThrow('test.subscriber failed: Error.');
    const never = vi.fn();
    await expect(subscribe(subscription, never)(delivery({ ...message, kind: 'x' }), context)).rejects.toThrow();
    expect(never).not.toHaveBeenCalled();
  });

  it('a failing subscription logs the name and code of an error, but not its message, which may contain personal data', async () => {
    const lines = vi.spyOn(log, 'error').mockReturnValue(undefined);
    const rejection = Object.assign(new Error('Address is not verified: ada@private.example'), {
      code: 'MessageRejected',
    });
    const thrown: unknown = await subscribe(subscription, () => Promise.reject(rejection))(
      delivery(message),
      context,
    ).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ message: 'test.subscriber failed: Error MessageRejected.' });
    // The Lambda runtime logs all properties of a thrown error.
    expect(inspect(thrown, { showHidden: true })).not.toContain('ada@private.example');
    expect(lines.mock.calls).toEqual([
      [
        'delivery failed',
        {
          subscription: 'test.subscriber',
          request_id: context.awsRequestId,
          kind: 'projectApproved',
          message_id: 'evt_1',
          error: {
            name: 'Error',
            code: 'MessageRejected',
            stack: expect.arrayContaining([expect.stringMatching(/^at /)]) as string[],
          },
        },
      ],
    ]);
  });
});
