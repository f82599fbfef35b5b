import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Health } from '#contract/health.ts';
import { FRESH_MS, PART_MS } from '#domain/health/deep-check.ts';
import { dynamo } from '#platform/dynamo.ts';
import type { CallAnswer } from '#test/support/client.ts';
import { dataOf, INVALID, TIME } from '#test/support/fixtures.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';
import manifest from '../../package.json' with { type: 'json' };

/** Whether the service is alive, and what is told when something behind it is not. The bus is a server that can be made to fail. */

type BusAnswer = (response: ServerResponse) => void;

const busIs =
  (status: number, body: unknown): BusAnswer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
  };
const there = busIs(200, { Name: 'directory', Arn: 'arn:aws:events:local:000000000000:event-bus/directory' });
const CAUSE = 'the cause that nobody is told';
const gone = busIs(400, { __type: 'ResourceNotFoundException', message: CAUSE });
const silent: BusAnswer = () => undefined;

let bus: Server;
let busAnswer = there;
let asked: string[] = [];
let world: TestWorld;

beforeAll(async () => {
  bus = createServer((request, response) => {
    asked.push(String(request.headers['x-amz-target']));
    request.resume();
    busAnswer(response);
  });
  bus.listen(0, '127.0.0.1');
  await once(bus, 'listening');
  const { port } = bus.address() as AddressInfo;
  world = await startTestWorld({
    env: {
      AWS_ENDPOINT_URL_EVENTBRIDGE: `http://127.0.0.1:${port}`,
      STAGE: 'rehearsal',
      RATE_LIMIT_GENERAL: '2/900000',
    },
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  busAnswer = there;
  asked = [];
});

afterAll(async () => {
  await world.stop();
  bus.closeAllConnections();
  bus.close();
});

const shallow = (): Promise<CallAnswer> => world.call('GET', '/api/health');

const clock = performance.now.bind(performance);
let later = 0;

/** A deep check that asks anew: what was found before no longer stands. */
const deep = (): Promise<CallAnswer> => {
  later += FRESH_MS;
  vi.spyOn(performance, 'now').mockImplementation(() => clock() + later);
  return world.call('GET', '/api/health?deep=1');
};

const tableReads = (answer: (signal: AbortSignal) => Promise<unknown>): { count: () => number } => {
  const table = dynamo();
  const answered = table.send.bind(table) as (...given: unknown[]) => Promise<unknown>;
  let count = 0;
  vi.spyOn(table as { send: typeof answered }, 'send').mockImplementation((...given: unknown[]) => {
    if (!(given[0] instanceof GetCommand)) return answered(...given);
    count += 1;
    return answer((given[1] as { abortSignal: AbortSignal }).abortSignal);
  });
  return { count: () => count };
};

const ALIVE = { status: 'ok', version: manifest.version, stage: 'rehearsal' };
const unwell = (parts: Record<string, string>) => ({
  error: 'Unavailable',
  code: 'UNHEALTHY',
  parts,
  checked_at: TIME,
});

describe('alive', () => {
  it('says which version of which stage answers, and that nobody may keep it', async () => {
    const answer = await shallow();
    expect([answer.status, answer.body]).toEqual([200, { data: ALIVE }]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await world.call('GET', '/api/health?deep=0')).body).toEqual({ data: ALIVE });
  });

  it('asks neither table nor bus, and says so also when both are away', async () => {
    busAnswer = gone;
    const sent = vi.spyOn(dynamo(), 'send').mockRejectedValue(new Error(CAUSE));
    expect(await shallow()).toMatchObject({ status: 200 });
    expect(sent).not.toHaveBeenCalled();
    expect(asked).toEqual([]);
  });

  it('is never refused for being asked often, and counts on nobody’s quota', async () => {
    for (let times = 0; times < 5; times += 1) {
      const { status, headers } = await shallow();
      expect([status, headers.get('ratelimit')]).toEqual([200, null]);
    }
    expect((await world.call('GET', '/api/projects')).headers.get('ratelimit')).toContain('r=1;');
  });

  it('is 400 for a depth that it does not know', async () => {
    for (const depth of ['', '2', 'true'])
      expect(await world.call('GET', `/api/health?deep=${depth}`)).toMatchObject(INVALID);
  });
});

describe('a deep check', () => {
  it('asks the table for one item and the bus whether it is there, and puts nothing on it', async () => {
    const reads = vi.spyOn(dynamo(), 'send');
    const answer = await deep();
    expect([answer.status, answer.body]).toEqual([
      200,
      { data: { ...ALIVE, parts: { table: 'ok', bus: 'ok' }, checked_at: TIME } },
    ]);
    expect(reads.mock.calls.map(([{ input }]) => input)).toMatchObject([{ Key: { pk: 'HEALTH', sk: 'HEALTH' } }]);
    expect(asked).toEqual(['AWSEvents.DescribeEventBus']);
  });

  it('names the part that answers with an error, and nothing of the error', async () => {
    busAnswer = gone;
    const noBus = await deep();
    expect([noBus.status, noBus.body]).toEqual([503, unwell({ table: 'ok', bus: 'failed' })]);
    expect(noBus.headers.get('cache-control')).toBe('no-store');
    busAnswer = there;
    tableReads(() => Promise.reject(new Error(CAUSE)));
    const noTable = await deep();
    expect([noTable.status, noTable.body]).toEqual([503, unwell({ table: 'failed', bus: 'ok' })]);
    for (const { body } of [noBus, noTable]) expect(JSON.stringify(body)).not.toContain(CAUSE);
  });

  it.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
    [
      'gives up when it is told to',
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error(CAUSE)));
        }),
    ],
    ['hears nothing', () => new Promise(() => undefined)],
  ])('answers 503 in time while both parts are silent, also where the table %s', async (_, table) => {
    busAnswer = silent;
    tableReads(table);
    const from = Date.now();
    const answer = await deep();
    expect([answer.status, answer.body]).toEqual([503, unwell({ table: 'timeout', bus: 'timeout' })]);
    expect(Date.now() - from).toBeGreaterThanOrEqual(PART_MS - 5);
    expect(Date.now() - from).toBeLessThan(PART_MS + 1000);
  });

  it('asks once for many callers at a time and soon after one another, whatever it has found', async () => {
    for (const [answer, status] of [
      [there, 200],
      [gone, 503],
    ] as const) {
      busAnswer = answer;
      asked = [];
      const reads = tableReads(() => Promise.resolve({}));
      const together = await Promise.all([
        deep(),
        ...Array.from({ length: 20 }, () => world.call('GET', '/api/health?deep=1')),
      ]);
      const afterwards = await world.call('GET', '/api/health?deep=1');
      for (const one of [...together, afterwards]) {
        expect(one.status).toBe(status);
        expect(one.body).toEqual(together[0]?.body);
      }
      expect([asked.length, reads.count()]).toEqual([1, 1]);
      vi.restoreAllMocks();
    }
  });

  it('finds out again that all is well', async () => {
    busAnswer = gone;
    expect((await deep()).status).toBe(503);
    busAnswer = there;
    const answer = await deep();
    expect(answer.status).toBe(200);
    expect(dataOf<Health>(answer).parts).toEqual({ table: 'ok', bus: 'ok' });
  });
});
