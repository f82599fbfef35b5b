import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { dynamo } from '#platform/dynamo.ts';
import { FRESH_MS, TIMEOUT_MS } from '#services/admin/health.ts';
import type { CallResponse } from '#test/support/client.ts';
import { success, TIME } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { ownServer } from '#test/support/with-directory.ts';
import manifest from '../../../package.json' with { type: 'json' };

/** The health route. The bus is replaced by an HTTP server that can fail. */

type BusResponse = (response: ServerResponse) => void;

const respondWith =
  (status: number, body: unknown): BusResponse =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
  };
const available = respondWith(200, { Name: 'directory', Arn: 'arn:aws:events:local:000000000000:event-bus/directory' });
const CAUSE = 'the confidential cause';
const failing = respondWith(400, { __type: 'ResourceNotFoundException', message: CAUSE });
const silent: BusResponse = () => undefined;

let busResponse = available;
let busRequests: string[] = [];

const bus = createServer((request, response) => {
  busRequests.push(String(request.headers['x-amz-target']));
  request.resume();
  busResponse(response);
});
bus.listen(0, '127.0.0.1');
await once(bus, 'listening');
const { port } = bus.address() as AddressInfo;
const server = await ownServer({
  env: { AWS_ENDPOINT_URL_EVENTBRIDGE: `http://127.0.0.1:${port}`, STAGE: 'test' },
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  busResponse = available;
  busRequests = [];
});

afterAll(async () => {
  bus.closeAllConnections();
  bus.close();
});

const health = (query = ''): Promise<CallResponse> => server.call('GET', `/api/health${query}`);

const clock = performance.now.bind(performance);
let later = 0;

/** A deep check after the previous result has expired. */
const deep = (): Promise<CallResponse> => {
  later += FRESH_MS;
  vi.spyOn(performance, 'now').mockImplementation(() => clock() + later);
  return health('?deep=1');
};

/** Stops both clocks, so that no result expires on a busy machine. */
const stopClocks = (): void => {
  later += FRESH_MS;
  vi.spyOn(performance, 'now').mockReturnValue(clock() + later);
  vi.setSystemTime(Date.now());
};

/** Replaces the response of the table to reads of a single item. */
const mockTableReads = (respond: (signal: AbortSignal) => Promise<unknown>): { count: () => number } => {
  const table = dynamo();
  const send = table.send.bind(table) as (...given: unknown[]) => Promise<unknown>;
  let count = 0;
  vi.spyOn(table as { send: typeof send }, 'send').mockImplementation((...given: unknown[]) => {
    if (!(given[0] instanceof GetCommand)) return send(...given);
    count += 1;
    return respond((given[1] as { abortSignal: AbortSignal }).abortSignal);
  });
  return { count: () => count };
};

const ALIVE = { status: 'ok', version: manifest.version, stage: 'test' };
const unhealthy = (parts: Record<string, string>) => ({
  error: 'Unavailable',
  code: 'UNHEALTHY',
  parts,
  checked_at: TIME,
});

describe('a shallow health check', () => {
  it('returns version and stage with `no-store`', async () => {
    const response = await health();
    expect([response.status, response.body]).toEqual([200, { data: ALIVE }]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect((await health('?deep=0')).body).toEqual({ data: ALIVE });
  });

  it('reads neither table nor bus, and succeeds when both are unavailable, uncounted', async () => {
    busResponse = failing;
    const sent = vi.spyOn(dynamo(), 'send').mockRejectedValue(new Error(CAUSE));
    expect(await health()).toMatchObject({ status: 200 });
    expect(sent.mock.calls.filter(([command]) => !(command instanceof UpdateCommand))).toEqual([]);
    expect(busRequests).toEqual([]);
  });
});

describe('a deep health check', () => {
  it('reads one item of the table and describes the bus without publishing', async () => {
    const reads = vi.spyOn(dynamo(), 'send');
    const response = await deep();
    expect([response.status, response.body]).toEqual([
      200,
      { data: { ...ALIVE, parts: { table: 'ok', bus: 'ok' }, checked_at: TIME } },
    ]);
    const commands = reads.mock.calls.map(([command]) => command).filter((command) => command instanceof GetCommand);
    expect(commands.map(({ input }) => input)).toMatchObject([{ Key: { pk: 'HEALTH', sk: 'HEALTH' } }]);
    expect(busRequests).toEqual(['AWSEvents.DescribeEventBus']);
  });

  it('names the failing part without the cause, until it recovers', async () => {
    busResponse = failing;
    const noBus = await deep();
    expect([noBus.status, noBus.body]).toEqual([503, unhealthy({ table: 'ok', bus: 'failed' })]);
    expect(noBus.headers.get('cache-control')).toBe('no-store');
    busResponse = available;
    mockTableReads(() => Promise.reject(new Error(CAUSE)));
    const noTable = await deep();
    expect([noTable.status, noTable.body]).toEqual([503, unhealthy({ table: 'failed', bus: 'ok' })]);
    for (const { body } of [noBus, noTable]) expect(JSON.stringify(body)).not.toContain(CAUSE);
    vi.restoreAllMocks();
    expect(await deep()).toMatchObject(success({ parts: { table: 'ok', bus: 'ok' } }));
  });

  longTest.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
    [
      'rejects when aborted',
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error(CAUSE)));
        }),
    ],
    ['never responds', () => new Promise(() => undefined)],
  ])('returns 503 after the timeout when neither part responds and the table %s', async (_, table) => {
    busResponse = silent;
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const timersOfParts = () => timers.mock.calls.filter(([, delay]) => delay === TIMEOUT_MS).length;
    let timersAtAbort: number | undefined;
    mockTableReads((signal) => {
      signal.addEventListener('abort', () => {
        timersAtAbort ??= timersOfParts();
      });
      return table(signal);
    });
    const response = await deep();
    expect([response.status, response.body]).toEqual([503, unhealthy({ table: 'timeout', bus: 'timeout' })]);
    // Both parts wait concurrently, each for one timeout.
    expect([timersAtAbort, timersOfParts()]).toEqual([2, 2]);
  });

  it('runs once for concurrent callers and reuses a result, whether healthy or not', async () => {
    for (const [response, status] of [
      [available, 200],
      [failing, 503],
    ] as const) {
      busResponse = response;
      busRequests = [];
      const reads = mockTableReads(() => Promise.resolve({}));
      stopClocks();
      const concurrent = await Promise.all(Array.from({ length: 21 }, () => health('?deep=1')));
      const afterwards = await health('?deep=1');
      for (const result of [...concurrent, afterwards]) {
        expect(result.status).toBe(status);
        expect(result.body).toEqual(concurrent[0]?.body);
      }
      expect([busRequests.length, reads.count()]).toEqual([1, 1]);
      vi.useRealTimers();
      vi.restoreAllMocks();
    }
  });
});
