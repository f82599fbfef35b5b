import { inspect } from 'node:util';
import type { Context, DynamoDBRecord, EventBridgeEvent } from 'aws-lambda';
import { beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { inOutbox, outboxFilter } from '#data/outbox.ts';
import type { Message } from '#events/catalogue.ts';
import { ruleOf, type Subscription } from '#events/subscriptions.ts';
import { handler } from '#functions/events/publish.ts';
import { subscribe } from '#http/subscribe.ts';
import { matches } from '#local/pattern.ts';
import { JsonClient } from '#platform/aws-json.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';

vi.mock(import('#platform/metrics.ts'), { spy: true });

log.setLogLevel('SILENT');
// Settings are read once, on first use.
Object.assign(process.env, {
  AWS_REGION: 'us-east-1',
  TABLE_NAME: 'table',
  BUS_NAME: 'bus',
  OIDC_ISSUER: 'https://issuer.example',
  OIDC_AUDIENCES: 'web',
  OIDC_JWKS_URI: 'https://issuer.example/keys',
  FEATURE_EMAIL: 'off',
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

let bus: MockInstance<JsonClient['request']>;
beforeEach(() => {
  bus = vi.spyOn(JsonClient.prototype, 'request').mockImplementation(async (operation, input) => {
    if (operation !== 'PutEvents') throw new Error(`Unexpected operation ${operation}.`);
    const { Entries } = JSON.parse(input) as PutEvents;
    const results = Entries.map(({ Detail }) =>
      /evt_(13|17)"/.test(Detail) ? { ErrorCode: 'ThrottlingException' } : { EventId: 'x' },
    );
    return JSON.stringify({ Entries: results });
  });
});

interface PutEvents {
  readonly Entries: readonly { readonly Detail: string }[];
}

/** The entries of each request. */
const requests = () => bus.mock.calls.map(([, input]) => (JSON.parse(input) as PutEvents).Entries);

const sent = () => requests().flat();

describe('the publisher', () => {
  it('publishes events and tasks with their own sources', async () => {
    expect(await handler({ Records: [record(1), record(2, 'projectPurged')] }, context)).toEqual({
      batchItemFailures: [],
    });
    expect(sent()).toMatchObject([
      {
        EventBusName: 'bus',
        Source: 'directory',
        DetailType: 'projectApproved',
        Time: Date.parse('2026-11-20T09:30:00.000Z') / 1000,
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

  it('reports a batch failure at the first message that the bus rejected', async () => {
    const Records = Array.from({ length: 25 }, (_, n) => record(n));
    expect(await handler({ Records }, context)).toEqual({ batchItemFailures: [{ itemIdentifier: '13' }] });
  });

  it('sends requests of at most 256 KB, in the order of the events', async () => {
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

  it('skips and counts invalid items, which would block the stream otherwise', async () => {
    const broken = record(1);
    delete broken.dynamodb?.NewImage?.['kind'];
    expect(await handler({ Records: [broken, record(2, 'somethingElse'), record(3)] }, context)).toEqual({
      batchItemFailures: [],
    });
    expect(sent()).toHaveLength(1);
    expect(vi.mocked(count).mock.calls).toEqual([['OutboxItemSkipped'], ['OutboxItemSkipped']]);
  });

  it('fails when the bus is unavailable', async () => {
    bus.mockRejectedValue(new Error('no bus'));
    await expect(handler({ Records: [record(1)] }, context)).rejects.toThrow(/^events\.publish failed: Error\.$/);
  });
});

describe('the outbox', () => {
  it('rejects messages that do not match their schema', () => {
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
});

describe('the event filter of the stream', () => {
  it.each([
    ['an inserted outbox item', record(1), true],
    ['a modified outbox item', { ...record(1), eventName: 'MODIFY' }, false],
    ['a removed outbox item', { ...record(1), eventName: 'REMOVE' }, false],
    ['another item', { eventName: 'INSERT', dynamodb: { Keys: { pk: { S: 'PROJECT#1' } } } }, false],
    ['an item with a numeric key', { eventName: 'INSERT', dynamodb: { Keys: { pk: { N: '1' } } } }, false],
    ['an empty record', {}, false],
    ['null', null, false],
  ])('given %s: %#', (_, streamRecord, expected) => {
    expect(matches(outboxFilter, streamRecord)).toBe(expected);
  });
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

  it('has an event pattern with its kinds and their sources, and with replays to itself', () => {
    expect(ruleOf(subscription)).toEqual({
      source: ['directory', 'directory.tasks', 'directory.replays'],
      'detail-type': ['projectApproved', 'projectPurged', 'test.subscriber'],
    });
  });

  it('receives validated messages without unknown members', async () => {
    const run = vi.fn<(message: Message) => Promise<void>>(async () => undefined);
    await subscribe(subscription, run)(delivery({ ...message, data: { ...message.data, secret: 'x' } }), context);
    expect(run).toHaveBeenCalledWith(message);
  });

  it('fails on an error of its work and on an invalid message, so that the bus delivers it again', async () => {
    const failing = subscribe(subscription, () => Promise.reject(new Error('not now')));
    await expect(failing(delivery(message), context)).rejects.toThrow('test.subscriber failed: Error.');
    const never = vi.fn();
    await expect(subscribe(subscription, never)(delivery({ ...message, kind: 'x' }), context)).rejects.toThrow();
    expect(never).not.toHaveBeenCalled();
  });

  it('logs the name and code of an error, but not its message, which may contain personal data', async () => {
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

  it('is skipped while its feature is off', async () => {
    const run = vi.fn();
    await subscribe({ ...subscription, feature: 'email' }, run)(delivery(message), context);
    expect(run).not.toHaveBeenCalled();
    await subscribe({ ...subscription, feature: 'comments' }, run)(delivery(message), context);
    expect(run).toHaveBeenCalledOnce();
  });
});
